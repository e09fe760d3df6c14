"""Two pictures as inline SVG: where the drives lead, and how many hours each day has. Each has a title and a description in words."""

import math
from collections.abc import Iterator, Sequence
from html import escape

import msgspec

from handrail.apps.trips.rendering.words import hours, name
from handrail.apps.trips.trip import Trip

WIDTH = 720
MAP_HEIGHT = 440
MARGIN = 60
BAR_HEIGHT = 22
BAR_LEFT = 70
BAR_RIGHT = 120
MOST_HOURS = 24


class Point(msgspec.Struct, frozen=True):
    """A place on the map, in pixels."""

    x: float
    y: float


class Chart(msgspec.Struct, frozen=True):
    """Places on a map of a height."""

    points: dict[str, Point]
    height: int


def legs_map(trip: Trip) -> str:
    """The drives as lines between their places; places whose coordinates are not known are left out."""
    chart = _chart(trip)
    if chart is None:
        return ""
    body = [*_lines(trip, chart.points), *_dots(trip, chart.points)]
    words = "; ".join(
        f"day {day.day}: {', '.join(f'{name(leg.origin, trip)} to {name(leg.destination, trip)}' for leg in day.legs)}"
        for day in trip.days
        if day.legs
    )
    return _picture("map", "Map of the drives", f"North is up. {words or 'There is no drive.'}.", chart.height, body)


def hours_bars(trip: Trip) -> str:
    """A bar a day, with the line that none may cross."""
    if not trip.days:
        return ""
    longest = max(trip.hours_a_day, *(min(day.drive_hours, MOST_HOURS) for day in trip.days))
    scale = (WIDTH - BAR_LEFT - BAR_RIGHT) / longest
    height = BAR_HEIGHT * (len(trip.days) + 2)
    edge = BAR_LEFT + trip.hours_a_day * scale
    body = [f'<line class="limit" x1="{edge:.1f}" y1="0" x2="{edge:.1f}" y2="{height - BAR_HEIGHT}"/>']
    for index, day in enumerate(trip.days):
        top, long = BAR_HEIGHT * index, min(day.drive_hours, MOST_HOURS) * scale
        body += [
            f'<text x="0" y="{top + 15}">Day {day.day}</text>',
            f'<rect class="bar" x="{BAR_LEFT}" y="{top + 3}" width="{long:.1f}" height="{BAR_HEIGHT - 6}"/>',
            f'<text x="{BAR_LEFT + long + 6:.1f}" y="{top + 15}">{hours(day.drive_hours)}</text>',
        ]
    body.append(f'<text x="{BAR_LEFT}" y="{height - 6}">The line is at {trip.hours_a_day} hours.</text>')
    words = "; ".join(f"day {day.day}: {hours(day.drive_hours)}" for day in trip.days)
    return _picture("hours", "Hours of driving on each day", f"At most {trip.hours_a_day} hours a day. {words}.", height, body)


def _picture(id: str, title: str, description: str, height: int, body: Sequence[str]) -> str:
    head = f'<title id="{id}-title">{escape(title)}</title><desc id="{id}-desc">{escape(description)}</desc>'
    names = f'role="img" aria-labelledby="{id}-title" aria-describedby="{id}-desc"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" {names}>\n{head}\n' + "\n".join(body) + "\n</svg>"


def _chart(trip: Trip) -> Chart | None:
    """Places in pixels: degrees of longitude are as much narrower as they are there; one scale for both axes."""
    known = {
        id: (stop.longitude, stop.latitude) for id, stop in trip.places.items() if stop.longitude is not None and stop.latitude is not None
    }
    if not known:
        return None
    narrow = math.cos(math.radians(sum(latitude for _, latitude in known.values()) / len(known)))
    flat = {id: (longitude * narrow, latitude) for id, (longitude, latitude) in known.items()}
    left, right = min(x for x, _ in flat.values()), max(x for x, _ in flat.values())
    bottom, top = min(y for _, y in flat.values()), max(y for _, y in flat.values())
    scale = min((WIDTH - 2 * MARGIN) / max(right - left, 0.01), (MAP_HEIGHT - 2 * MARGIN) / max(top - bottom, 0.01))
    points = {id: Point(round(MARGIN + (x - left) * scale, 1), round(MARGIN + (top - y) * scale, 1)) for id, (x, y) in flat.items()}
    return Chart(points, math.ceil(2 * MARGIN + (top - bottom) * scale))


def _lines(trip: Trip, points: dict[str, Point]) -> Iterator[str]:
    ends = [("leg", leg.origin, leg.destination) for day in trip.days for leg in day.legs]
    ends += [("flight", day.flight.origin, day.flight.destination) for day in trip.days if day.flight is not None]
    for kind, origin, destination in dict.fromkeys(ends):
        if origin in points and destination in points:
            a, b = points[origin], points[destination]
            yield f'<line class="{kind}" x1="{a.x}" y1="{a.y}" x2="{b.x}" y2="{b.y}"/>'


def _dots(trip: Trip, points: dict[str, Point]) -> Iterator[str]:
    nights = {day.stay for day in trip.days}
    for id, point in points.items():
        kind = "night" if id in nights else "stop"
        yield f'<circle class="{kind}" cx="{point.x}" cy="{point.y}" r="5"/>'
        # Labels stay inside: those on the right half are written to the left.
        anchor, x = ("end", point.x - 8) if point.x > WIDTH * 0.7 else ("start", point.x + 8)
        yield f'<text x="{x:.1f}" y="{point.y - 7:.1f}" text-anchor="{anchor}">{escape(name(id, trip))}</text>'

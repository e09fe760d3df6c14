"""The planner's own rules, each a guard: what makes a plan one that these travellers can drive.

Rules: a rule reads what the travellers confirmed and what calls have found, and takes no number of the model's where there is one of a
provider's. A detail that nobody knows is no reason to refuse. A refusal says what to change.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from handrail.apps.trips.brief import KIND, NEEDED, Brief, brief_of, plain_brief
from handrail.apps.trips.known import (
    FLIGHT,
    HOTEL,
    LEG,
    PLACE,
    Known,
    KnownDrive,
    KnownFlight,
    KnownPlace,
    drives_of,
    flights_of,
    hotels_of,
    places_of,
)
from handrail.apps.trips.trip import cost_of
from handrail.guards import JudgedCall, Lens, Reading, guard

SUBMIT = "submit_plan"
BRIEF = Lens("facts", KIND)
PLACES = Lens("facts", PLACE)
DRIVES = Lens("facts", LEG)
FLIGHTS = Lens("facts", FLIGHT)
HOTELS = Lens("facts", HOTEL)
ROUNDING_MINUTES = 6
"""How far hours may be off the minutes that they stand for: a tenth of an hour."""

Days = Sequence[Mapping[str, Any]]


def brief_in(state: Reading) -> Brief:
    """What the travellers have confirmed."""
    return brief_of(state.facts(KIND))


def days_of(call: JudgedCall) -> Days:
    """The days of a plan."""
    days: Days = call.arguments["days"]
    return days


def legs_of(day: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The drives of a day."""
    return day.get("legs") or ()


@guard(tool="record_brief", looks=[BRIEF])
def brief_is_complete(state: Reading, call: JudgedCall) -> str | None:
    """Nothing is planned for a party whose age, month or number of days nobody knows."""
    known = {*plain_brief(brief_in(state)), *call.arguments, *(["month"] if "start_date" in call.arguments else [])}
    missing = [field for field in NEEDED if field not in known]
    if not missing:
        return None
    return f"The brief still lacks {', '.join(missing)}. Ask the travellers with ask_traveller, then call record_brief with all of it."


@guard(tool=SUBMIT, looks=[Lens("ok", "record_brief", 1)])
def last_words_are_in_the_brief(state: Reading, call: JudgedCall) -> str | None:
    """A change of mind reaches the plan: what the travellers said last went through the brief, or the plan is for somebody else."""
    if state.ok("record_brief", per="message"):
        return None
    return (
        "The travellers have said something since the brief was recorded. Call record_brief with what is new (wishes takes anything), "
        "change the plan by it, then submit."
    )


@guard(tool=SUBMIT, looks=[BRIEF])
def days_are_as_many_as_asked(state: Reading, call: JudgedCall) -> str | None:
    """A holiday of ten days is no plan of six, and the days are in order."""
    days, wanted = days_of(call), brief_in(state).days
    if [day["day"] for day in days] != list(range(1, len(days) + 1)):
        return f"Number the days 1, 2, 3 and so on, in order; this plan has {[day['day'] for day in days]!r}."
    if wanted is not None and len(days) != wanted:
        return (
            f"The travellers want {wanted} days, and this plan has {len(days)}. A day without a drive (the same stay again) is a day too."
        )
    return None


@guard(tool=SUBMIT, looks=[BRIEF, FLIGHTS])
def days_connect(state: Reading, call: JudgedCall) -> str | None:
    """Nobody wakes up in another town than the one they went to sleep in."""
    brief, days = brief_in(state), days_of(call)
    flights = flights_of(state.facts(FLIGHT)) if any(day.get("flight") for day in days) else {}
    here = brief.start
    for day in days:
        here, wrong = _through(day, here, flights)
        if wrong is not None:
            return f"Day {day['day']} does not connect: {wrong}."
        if day.get("stay") is None and day is not days[-1]:
            return f"Day {day['day']} has no stay: only the last day may go without."
    return None


@guard(tool=SUBMIT, looks=[BRIEF, DRIVES])
def driving_times_are_computed(state: Reading, call: JudgedCall) -> str | None:
    """Minutes are those of estimate_drive, for the roads of that month: a model's guess turns a pass road into a motorway."""
    drives, month = drives_of(state.facts(LEG)), brief_in(state).month
    wrong = []
    for day in days_of(call):
        for leg in legs_of(day):
            drive = drives.get((leg["origin"], leg["destination"]))
            if drive is None or drive.minutes is None:
                continue
            if drive.month != month:
                wrong.append(f"{leg['origin']} → {leg['destination']} was computed for another month: call estimate_drive again")
            elif drive.minutes != leg["minutes"]:
                wrong.append(f"{leg['origin']} → {leg['destination']} takes {drive.minutes} minutes, not {leg['minutes']}")
        minutes = sum(_minutes(leg, drives) for leg in legs_of(day))
        if abs(day.get("drive_hours", 0) * 60 - minutes) > ROUNDING_MINUTES:
            wrong.append(f"drive_hours of day {day['day']} is {minutes / 60:.1f}, not {day.get('drive_hours', 0):g}")
    return _listed(wrong)


@guard(tool=SUBMIT, looks=[BRIEF, DRIVES])
def hours_are_bearable(state: Reading, call: JudgedCall) -> str | None:
    """Six hours of driving a day are enough, and four with elderly people or small children."""
    brief, drives = brief_in(state), drives_of(state.facts(LEG))
    hours = ((day["day"], sum(_minutes(leg, drives) for leg in legs_of(day)) / 60) for day in days_of(call))
    long = [f"day {day} has {each:.1f}" for day, each in hours if each > brief.hours_a_day]
    if not long:
        return None
    why = " (elderly people or small children travel)" if brief.careful else ""
    return f"At most {brief.hours_a_day} hours of driving a day{why}: {'; '.join(long)}. Break the drives up with nights on the way."


@guard(tool=SUBMIT, looks=[BRIEF, PLACES])
def altitude_is_bearable(state: Reading, call: JudgedCall) -> str | None:
    """Nobody stops or sleeps higher than the travellers said they bear."""
    brief = brief_in(state)
    if brief.highest_m is None:
        return None
    places = places_of(state.facts(PLACE))
    high = [
        f"{place} lies at {places[place].altitude_m} m"
        for place in _named(days_of(call))
        if place in places and not brief.allows_altitude(places[place].altitude_m)
    ]
    return None if not high else f"The travellers do not want to be above {brief.highest_m} m: {'; '.join(high)}. Leave these out."


@guard(tool=SUBMIT, looks=[BRIEF])
def must_go_places_are_in(state: Reading, call: JudgedCall) -> str | None:
    """What the whole trip is for is in it: as a stay, or as an end of a drive."""
    named = set(_named(days_of(call)))
    missing = [place for place in brief_in(state).must_go if place not in named]
    return None if not missing else f"The travellers want to see {', '.join(missing)}, and the plan does not go there. Put it in."


@guard(tool=SUBMIT, looks=[BRIEF, PLACES])
def nights_are_where_they_want(state: Reading, call: JudgedCall) -> str | None:
    """Nights are in the regions that the travellers chose (or at the start): after a change of mind nobody is sent up the plateau."""
    brief = brief_in(state)
    if not brief.regions:
        return None
    places = places_of(state.facts(PLACE))
    outside = [
        f"{stay} of day {number} is in {places[stay].region}"
        for number, stay in _nights(days_of(call))
        if stay in places and not brief.allows_night(stay, places[stay].region)
    ]
    return None if not outside else f"The nights are to be in {', '.join(brief.regions)}: {'; '.join(outside)}. Choose other places."


@guard(tool=SUBMIT, looks=[PLACES])
def nights_have_beds(state: Reading, call: JudgedCall) -> str | None:
    """Nobody spends a night on a pass or in a car park, and how high they sleep is said as it is."""
    places = places_of(state.facts(PLACE))
    wrong = list(_bedless(days_of(call), places))
    return _listed(wrong)


@guard(tool=SUBMIT, looks=[BRIEF, FLIGHTS, HOTELS])
def budget_holds(state: Reading, call: JudgedCall) -> str | None:
    """Beds and flights cost no more than the travellers want to spend."""
    brief, days = brief_in(state), days_of(call)
    if brief.budget_cny is None:
        return None
    hotels, flights = hotels_of(state.facts(HOTEL)), flights_of(state.facts(FLIGHT))
    wrong = [f"day {day['day']} needs a hotel, since there is a budget" for day in days if day.get("stay") and not day.get("hotel")]
    for day in days:
        hotel, flight = hotels.get(day.get("hotel") or ""), flights.get(day.get("flight") or "")
        if hotel is not None and hotel.place != day.get("stay"):
            wrong.append(f"{hotel.id} of day {day['day']} is in {hotel.place}, not in {day.get('stay')}")
        wrong += [
            f"{each.id} was looked up for another month" for each in (hotel, flight) if each is not None and each.month != brief.month
        ]
    cost = cost_of(days, brief, Known(hotels=hotels, flights=flights)) or 0
    if cost > brief.budget_cny:
        wrong.append(f"beds and flights cost {cost} CNY, and the budget is {brief.budget_cny}: take cheaper hotels")
    return _listed(wrong)


RULES = (
    brief_is_complete,
    last_words_are_in_the_brief,
    days_are_as_many_as_asked,
    days_connect,
    driving_times_are_computed,
    hours_are_bearable,
    altitude_is_bearable,
    must_go_places_are_in,
    nights_are_where_they_want,
    nights_have_beds,
    budget_holds,
)
"""All of them, in the order in which a model should hear of them."""


def _through(day: Mapping[str, Any], here: str | None, flights: Mapping[str, KnownFlight]) -> tuple[str | None, str | None]:
    """Where the day ends, and what does not connect. A flight that is not known goes anywhere: another guard refuses it."""
    if day.get("flight"):
        flight = flights.get(day["flight"])
        if flight is not None and here not in {None, flight.origin}:
            return here, f"the flight leaves from {flight.origin}, and the travellers are in {here}"
        here = flight.destination if flight is not None else None
    for leg in legs_of(day):
        if here not in {None, leg["origin"]}:
            return here, f"a drive begins in {leg['origin']}, and the travellers are in {here}"
        here = leg["destination"]
    stay = day.get("stay")
    if stay is not None and here not in {None, stay}:
        return here, f"the stay is {stay}, and the travellers are in {here}"
    return stay or here, None


def _minutes(leg: Mapping[str, Any], drives: Mapping[tuple[str, str], KnownDrive]) -> int:
    drive = drives.get((leg["origin"], leg["destination"]))
    return int(leg["minutes"]) if drive is None or drive.minutes is None else drive.minutes


def _named(days: Days) -> Iterable[str]:
    """Every place of a plan, once, in order."""
    found: dict[str, None] = {}
    for day in days:
        found.update(dict.fromkeys(place for leg in legs_of(day) for place in (leg["origin"], leg["destination"])))
        found.update({day["stay"]: None} if day.get("stay") else {})
    return found


def _nights(days: Days) -> Iterator[tuple[int, str]]:
    yield from ((day["day"], day["stay"]) for day in days if day.get("stay"))


def _bedless(days: Days, places: Mapping[str, KnownPlace]) -> Iterator[str]:
    for day in days:
        place = places.get(day.get("stay") or "")
        if place is None:
            continue
        if place.overnight is False:
            yield f"one cannot sleep in {place.id} (day {day['day']}): search with overnight=true near it"
        said = day.get("sleeping_altitude_m")
        if said is not None and place.altitude_m is not None and said != place.altitude_m:
            yield f"{place.id} (day {day['day']}) lies at {place.altitude_m} m, not at {said}"


def _listed(wrong: Sequence[str]) -> str | None:
    return f"{'; '.join(wrong)}." if wrong else None

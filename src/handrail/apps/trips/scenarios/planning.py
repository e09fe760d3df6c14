"""The planner of the rehearsal: brief, search, drives, beds, plan; each step is made once it is missing, so what went wrong is mended.

Rules: it goes by what the travellers said in the whole conversation and what has come back since their last words, and by nothing else.
What was refused is not sent again unchanged. Where it does not get on it asks a short question.
"""

from collections.abc import Sequence
from typing import Any

from handrail.apps.trips.scenarios.hearing import AGAIN, ASK, QUESTIONS, fields_in, heard, times_asked
from handrail.apps.trips.scenarios.itineraries import SICHUAN, Itinerary, Leg, days_of, itinerary_for, legs_between, plan_of
from handrail.models.rehearsal import Call, Conversation, Move, Say, call

SUBMIT = "submit_plan"
AT_ONCE = 4
MOST_TRIES = 4
LONGEST_QUESTION = 190
ALIKE = 60
"""So many letters tell that a refusal is the one before again; firmer words come at the end."""

MOST_ASKED = 2
REFUSED = "A person refused"
GARBLED = "JSON object expected"
WHAT_ELSE = "What would you like me to change?"
FLAWED = "A reviewer found flaws"


class Planning:
    """One of three loops, cut to what the travellers want."""

    name = "trips"

    def fits(self, conversation: Conversation) -> bool:
        """Wherever a plan can be submitted."""
        return SUBMIT in conversation.declarations

    def move(self, conversation: Conversation) -> Move:
        """The first step that is missing."""
        return _Talk(conversation).move()


class _Talk:
    """A conversation, read once."""

    def __init__(self, conversation: Conversation) -> None:
        self.talk = conversation
        self.itinerary: Itinerary = itinerary_for(" ".join(words.text for words in heard(conversation))) or SICHUAN
        found = [row for result in conversation.results_of("search_places") for row in _rows(result.value)]
        self.found: dict[str, Any] = {row["id"]: row for row in found}
        drives = conversation.results_of("estimate_drive")
        self.minutes: dict[Leg, int] = {_ends(each.arguments): each.value["minutes"] for each in drives}

    def move(self) -> Move:
        """The next one."""
        return self._brief() or self._places() or self._notes() or self._drives() or self._hotels() or self._plan()

    def _brief(self) -> Move | None:
        if self.talk.results_of("record_brief") or not self.talk.offers("record_brief"):
            return None
        refused = [result for result in self.talk.results if result.tool == "record_brief" and result.error is not None]
        last = str(refused[-1].error) if refused else ""
        if REFUSED in last:
            return Say(WHAT_ELSE)
        fields = fields_in(self.talk)
        missing = [field for field in QUESTIONS if field not in fields]
        if missing and self.talk.offers(ASK):
            return self._question(missing[0])
        # What was refused once is refused again, unless it was only its form that did not fit.
        tried = any(result.arguments == fields and GARBLED not in str(result.error) for result in refused)
        return Say(last[:LONGEST_QUESTION]) if tried or len(refused) >= MOST_TRIES else call("record_brief", fields)

    def _question(self, field: str) -> Move:
        """Asked once, once more in other words, and then left to the travellers."""
        question, times = QUESTIONS[field], times_asked(self.talk, field)
        if times >= MOST_ASKED:
            return Say(question)
        return call(ASK, {"question": AGAIN.format(question=question) if times else question})

    def _places(self) -> Move | None:
        if not self.talk.offers("search_places"):
            return None
        if not self._tried("search_places", region=self.itinerary.region):
            return call("search_places", {"region": self.itinerary.region, "overnight": True, "limit": 40})
        missing = [stop for stop in dict.fromkeys(self._wanted()) if stop not in self.found and not self._tried("search_places", text=stop)]
        return Call(calls=tuple(("search_places", {"text": stop, "limit": 1}) for stop in missing[:AT_ONCE])) if missing else None

    def _notes(self) -> Move | None:
        if not self.talk.offers("search_notes") or self._tried("search_notes"):
            return None
        return call("search_notes", {"text": self.itinerary.notes})

    def _drives(self) -> Move | None:
        if not self.talk.offers("estimate_drive"):
            return None
        missing = [leg for leg in dict.fromkeys(legs_between(self._stops())) if not self._tried_drive(leg)]
        calls = tuple(("estimate_drive", {"origin": origin, "destination": destination}) for origin, destination in missing[:AT_ONCE])
        return Call(calls=calls) if calls else None

    def _hotels(self) -> Move | None:
        if self._brief_field("budget_cny") is None or not self.talk.offers("check_hotels"):
            return None
        stays = dict.fromkeys(day["stay"] for day in self._days() if day["stay"] is not None)
        missing = [stay for stay in stays if not self._tried("check_hotels", place=stay)]
        return Call(calls=tuple(("check_hotels", {"place": stay}) for stay in missing[:AT_ONCE])) if missing else None

    def _plan(self) -> Move:
        refusals = [result.error for result in self.talk.results if result.tool == SUBMIT and result.error is not None]
        last = refusals[-1] if refusals else ""
        if REFUSED in last:
            return Say(WHAT_ELSE)
        if len(refusals) > MOST_TRIES or (refusals[-2:-1] and refusals[-2][:ALIKE] == last[:ALIKE]):
            return Say(f"I do not get any further: {last}"[:LONGEST_QUESTION])
        days = self._days()
        names = self._names(self._brief_field("must_go") or []) if any(FLAWED in error for error in refusals) else ""
        nights = self._names(list(dict.fromkeys(day["stay"] for day in days if day["stay"] is not None))[:3])
        summary = f"{len(days)} days by car, with nights in {nights} and more.{f' It comes to {names}.' if names else ''}"
        return call(SUBMIT, {"title": f"{len(days)} days in {self.itinerary.title}", "summary": summary, "days": days})

    def _wanted(self) -> Sequence[str]:
        """The loop, with what else has to be in before its last stop."""
        stops, must_go = self.itinerary.stops, self._brief_field("must_go") or []
        return (*stops[:-1], *(place for place in must_go if place not in stops), stops[-1])

    def _stops(self) -> list[str]:
        """What of it was found and is not too high, and can be reached."""
        highest = self._brief_field("highest_m")
        stops: list[str] = []
        for stop in self._wanted():
            row = self.found.get(stop)
            too_high = row is None or (highest is not None and row["altitude_m"] > highest)
            closed = bool(stops) and self._tried_drive((stops[-1], stop)) and (stops[-1], stop) not in self.minutes
            if not (too_high or closed or stops[-1:] == [stop]):
                stops.append(stop)
        return stops

    def _days(self) -> list[dict[str, Any]]:
        stops = self._stops()
        legs = []
        for leg in legs_between(stops):
            if leg not in self.minutes:
                break
            legs.append(leg)
        hours, wanted = self._recorded("most_hours_of_driving_a_day") or 4, self._brief_field("days") or len(legs) or 1
        days = days_of(legs, self.minutes, most=hours * 60, days=wanted)
        hotels = self.talk.results_of("check_hotels")
        beds = {each.arguments["place"]: each.value[0]["id"] for each in hotels if _rows(each.value)}
        names = {id: row["name"] for id, row in self.found.items()}
        return plan_of(days, self.minutes, beds=beds, names=names, start=stops[0] if stops else self.itinerary.stops[0])

    def _recorded(self, field: str) -> Any:
        briefs = self.talk.results_of("record_brief")
        return briefs[-1].value.get(field) if briefs and isinstance(briefs[-1].value, dict) else None

    def _brief_field(self, field: str) -> Any:
        return (self._recorded("brief") or {}).get(field)

    def _names(self, places: Sequence[str]) -> str:
        return ", ".join(self.found[place]["name"] for place in places if place in self.found)

    def _tried(self, tool: str, **arguments: Any) -> bool:
        """Whether it was called like that, with whatever result; what the ring refused to run for now is tried again later."""
        calls = [result.arguments for result in self.talk.results if result.tool == tool]
        return any(all(each.get(key) == value for key, value in arguments.items()) for each in calls)

    def _tried_drive(self, leg: Leg) -> bool:
        return self._tried("estimate_drive", origin=leg[0], destination=leg[1])


def _rows(value: Any) -> list[dict[str, Any]]:
    return [row for row in value if isinstance(row, dict) and "id" in row] if isinstance(value, list) else []


def _ends(arguments: dict[str, Any]) -> Leg:
    return arguments["origin"], arguments["destination"]

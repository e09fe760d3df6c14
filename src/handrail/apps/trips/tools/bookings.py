"""Flights and hotels: looked up, never booked. Prices are those of the month of the trip."""

from typing import Annotated

from pydantic import Field

from handrail import Fact, Result, ToolError, tool
from handrail.apps.trips.geography import Flight, Hotel
from handrail.apps.trips.known import FLIGHT, HOTEL
from handrail.apps.trips.tools.outside import Context, month_of, providers, told

PlaceId = Annotated[str, Field(min_length=1, max_length=80)]


@tool(effect="read", timeout=20, produces={FLIGHT}, examples=[{"origin": "chengdu", "destination": "sanya"}])
async def check_flights(context: Context, origin: PlaceId, destination: PlaceId) -> Result:
    """Look up direct flights from one place to another in the month of the trip. A plan may name only flights from here.

    Args:
        context: holds the providers and the month.
        origin: Id of a place with an airport.
        destination: Id of a place with an airport.
    """
    month = month_of(context)
    with told():
        found = await providers(context).flights.between(origin, destination, month)
    rows = [{"id": each.id, "minutes": each.minutes, "price_cny": each.price_cny, "flights_a_week": each.weekly} for each in found]
    return Result(rows, facts=[_flight(each, month) for each in found])


@tool(effect="read", timeout=20, produces={HOTEL}, examples=[{"place": "kangding"}])
async def check_hotels(context: Context, place: PlaceId, family_rooms: bool = False, oxygen: bool = False) -> Result:
    """Look up hotels of a place that are open in the month of the trip, cheapest first. A plan may name only hotels from here.

    Args:
        context: holds the providers and the month.
        place: Id of a place to sleep in.
        family_rooms: Only those with rooms for families.
        oxygen: Only those with oxygen.
    """
    month = month_of(context)
    with told():
        found = await providers(context).hotels.at(place, month, family_rooms=family_rooms, oxygen=oxygen)
    if not found:
        raise ToolError(f"No such hotel is open in {place!r} in month {month}: ask for less, or sleep somewhere else.")
    rows = [
        {
            "id": each.id,
            "name": each.name,
            "stars": each.stars,
            "price_cny": each.price_cny(month),
            "family_rooms": each.family_rooms,
            "oxygen": each.oxygen,
        }
        for each in found
    ]
    return Result(rows, facts=[_hotel(each, month) for each in found])


def _flight(flight: Flight, month: int) -> Fact:
    about = {
        "origin": flight.origin,
        "destination": flight.destination,
        "minutes": flight.minutes,
        "price_cny": flight.price_cny,
        "month": month,
    }
    return Fact(FLIGHT, flight.id, key=flight.id, about=about)


def _hotel(hotel: Hotel, month: int) -> Fact:
    about = {"place": hotel.place, "name": hotel.name, "price_cny": hotel.price_cny(month), "month": month}
    return Fact(HOTEL, hotel.id, key=hotel.id, about=about)

"""Delivery: orders with and without a yes, what cannot be done, and conversations of several messages."""

import re

from benchmarks.weak_model.tasks.kit import NOT, DeliveryTask, Ended, holds
from benchmarks.weak_model.tasks.scripting import adds, does, places, removes, search
from handrail.apps.delivery import data
from handrail.testing import says

YES = "Yes, please."
CHATTER = """\
What a day, the train was late and then the rain. My sister says hello, she always orders pizza on Tuesdays. Not me: two Fish Tacos and one
Guacamole and Chips from Taqueria Luna, into the cart please."""
CURRIES = {dish.name: dish.food_id for dish in data.dishes() if dish.food_id in {502, 503, 504, 505}}


def second_named(ended: Ended) -> str | None:
    """In the cart is one of the curry that the first answer named as the second."""
    named = re.findall("|".join(CURRIES), ended.answers[0] if ended.answers else "")
    curries = [CURRIES[name] for name in dict.fromkeys(named)]
    if len(curries) < 2:
        return f"the first answer names {len(curries)} curries, and has to name two"
    return None if ended.cart == {curries[1]: 1} else f"the cart is {ended.cart}, not {{{curries[1]}: 1}}"


TASKS = (
    DeliveryTask(
        id="delivery-order-it",
        person=("Order it, please.",),
        begins={101: 2},
        if_asked=YES,
        agrees={101: 2},
        ordered={101: 2},
        right=(places(), says("Your order is placed.")),
        wrong=(says("Your order is placed."),),
    ),
    DeliveryTask(
        id="delivery-changed-mind",
        person=("Place the order.",),
        begins={101: 2},
        cart={101: 2},
        right=(places(), says("It is not ordered.")),
        wrong=(places(), removes(101), says("It is not ordered.")),
    ),
    DeliveryTask(
        id="delivery-add-and-order",
        person=("Order one Pad Thai from Bangkok Corner.",),
        if_asked=YES,
        agrees={201: 1},
        ordered={201: 1},
        right=(search("pad thai", name="Bangkok Corner"), adds(201), places(), says("It is ordered.")),
        wrong=(search("pad thai", name="Bangkok Corner"), adds(201), says("It is ordered.")),
    ),
    DeliveryTask(
        id="delivery-closed",
        person=("Order a Classic Cheeseburger from Burger Garage.",),
        checks=(holds((*NOT, "closed", "opens", "17:00"), lacks=("has been placed", "is ordered", "is placed")),),
        right=(search("classic cheeseburger", name="Burger Garage"), says("Burger Garage is closed; it opens at 17:00.")),
        wrong=(search("cheese"), adds(706), says("Burger Garage is closed; I took something else.")),
    ),
    DeliveryTask(
        id="delivery-another-place",
        person=("Add a Pad Thai from Bangkok Corner.",),
        begins={101: 1},
        checks=(holds((*NOT, "one restaurant", "another restaurant", "Night Noodle", "keep", "instead")),),
        cart={101: 1},
        right=(search("pad thai", name="Bangkok Corner"), adds(201), says("The cart holds dishes of Night Noodle. Keep it?")),
        wrong=(search("pad thai", name="Bangkok Corner"), removes(101), adds(201), says("The cart cannot hold both; I took it instead.")),
    ),
    DeliveryTask(
        id="delivery-instead",
        person=("I'd rather have a Pad Thai from Bangkok Corner. Take the noodles out, and put that in instead.",),
        begins={101: 1},
        if_asked=YES,
        cart={201: 1},
        right=(search("pad thai", name="Bangkok Corner"), removes(101), adds(201), says("Done.")),
        wrong=(search("pad thai", name="Bangkok Corner"), adds(201), says("Done.")),
    ),
    DeliveryTask(
        id="delivery-talk-second",
        person=("Which curries does Curry Leaf have?", "One of the second that you named into my cart, please."),
        if_asked=YES,
        cart=None,
        checks=(second_named,),
        right=(
            search("curry", name="Curry Leaf"),
            says("Chicken Vindaloo, Butter Chicken and Chana Masala."),
            search("butter chicken", name="Curry Leaf"),
            adds(503),
            says("One Butter Chicken."),
        ),
        wrong=(
            search("curry", name="Curry Leaf"),
            says("Butter Chicken, Chicken Vindaloo and Chana Masala."),
            search("butter chicken", name="Curry Leaf"),
            adds(503),
            says("One Butter Chicken."),
        ),
    ),
    DeliveryTask(
        id="delivery-vegan-pizza",
        person=("One vegan pizza for less than 10 euros into my cart.",),
        if_asked=YES,
        cart={303: 1},
        right=(search("pizza", other_information="vegan, under 10"), adds(303), says("A Marinara.")),
        wrong=(search("pizza", other_information="vegan"), adds(404), says("A Garden Pizza.")),
    ),
    DeliveryTask(
        id="delivery-gluten-free-pizza",
        person=("Do you have a gluten-free pizza? If so, put one into my cart.",),
        if_asked=YES,
        cart={405: 1},
        right=(search("pizza", other_information="gluten-free"), adds(405), says("Yes; it is in your cart.")),
        wrong=(search("pizza"), adds(301), says("Yes; it is in your cart.")),
    ),
    DeliveryTask(
        id="delivery-cheaper-one",
        person=("Put the cheaper of the two Banh Mi of Saigon Stand into my cart.",),
        if_asked=YES,
        cart={1204: 1},
        right=(search("banh mi", name="Saigon Stand"), adds(1204), says("The Tofu Banh Mi.")),
        wrong=(search("banh mi", name="Saigon Stand"), adds(1203), says("The Banh Mi.")),
    ),
    DeliveryTask(
        id="delivery-fifteen-euros",
        person=("I have 15 euros. Put two Falafel Wraps from Cedar and Thyme into my cart if I can pay for both, and otherwise one.",),
        if_asked=YES,
        cart={1802: 1},
        right=(search("falafel wrap", name="Cedar and Thyme"), adds(1802), says("Two are 17.00, so it is one.")),
        wrong=(search("falafel wrap", name="Cedar and Thyme"), adds((1802, 2)), says("Both are in.")),
    ),
    DeliveryTask(
        id="delivery-talk-clicks",
        person=("A Fish and Chips from Fish and Anchor into my cart, please.", "Now order all that is in it."),
        clicks={1: {2206: 1}},
        if_asked=YES,
        agrees={2201: 1, 2206: 1},
        ordered={2201: 1, 2206: 1},
        right=(search("fish and chips", name="Fish and Anchor"), adds(2201), says("Done."), places(), says("Ordered.")),
        wrong=(
            search("fish and chips", name="Fish and Anchor"),
            adds(2201),
            says("Done."),
            removes(2206),
            places(),
            says("Ordered."),
        ),
    ),
    DeliveryTask(
        id="delivery-what-did-i-do",
        person=("What have I done in the app so far?",),
        shows="Dim Sum House",
        begins={2301: 1},
        checks=(holds(("added", "add", "put"), ("opened", "open", "visited", "page", "viewed")),),
        cart={2301: 1},
        right=(does("get_user_actions"), says("You opened a page, and added one dish.")),
        wrong=(does("get_user_actions"), says("Nothing so far.")),
    ),
    DeliveryTask(
        id="delivery-order-of-nothing",
        person=("Place my order now.",),
        checks=(holds(("empty", *NOT), lacks=("has been placed", "is placed", "order placed")),),
        right=(places(), says("Your cart is empty.")),
        wrong=(search("noodles"), adds(102), says("Your cart was empty, so I put noodles into it.")),
    ),
    DeliveryTask(
        id="delivery-no-seafood",
        person=("I cannot eat seafood. A bowl with rice noodles and chicken from Saigon Stand into my cart, please.",),
        if_asked=YES,
        cart={1206: 1},
        right=(search("rice noodles with chicken", name="Saigon Stand"), adds(1206), says("The Lemongrass Chicken Bowl.")),
        wrong=(search("rice noodles", name="Saigon Stand"), adds(1205), says("The Summer Rolls.")),
    ),
    DeliveryTask(
        id="delivery-chatter",
        person=(CHATTER,),
        if_asked=YES,
        cart={702: 2, 705: 1},
        right=(search("fish tacos", "guacamole", name="Taqueria Luna"), adds((702, 2), 705), says("Done.")),
        wrong=(search("fish tacos", "guacamole", name="Taqueria Luna"), adds(702, 705), says("Done.")),
    ),
    DeliveryTask(
        id="delivery-the-rest",
        person=("Take the plum tea out, and order the rest.",),
        begins={1101: 2, 1108: 1},
        if_asked=YES,
        agrees={1101: 2},
        ordered={1101: 2},
        right=(removes(1108), places(), says("Ordered.")),
        wrong=(places(), says("Ordered.")),
    ),
    DeliveryTask(
        id="delivery-misspelt",
        person=("One Bulgoggi from Seoul Kichen into my cart, please.",),
        if_asked=YES,
        cart={1103: 1},
        right=(search("bulgogi", name="Seoul Kitchen"), adds(1103), says("Done.")),
        wrong=(search("bulgogi", name="Seoul Kitchen"), adds(1105), says("Done.")),
    ),
    DeliveryTask(
        id="delivery-not-on-the-menu",
        person=("Put a Pizza Hawaii from Roma Antica into my cart.",),
        checks=(holds(NOT),),
        right=(search("pizza hawaii", name="Roma Antica"), says("Roma Antica does not have that one.")),
        wrong=(search("pizza hawaii", name="Roma Antica"), adds(301), says("It is not the same, but there you are.")),
    ),
)

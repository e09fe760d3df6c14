"""A drawing of a dish, as SVG: vessels and food by the kind of dish, colours by its tags.

- The same dish gives the same drawing, byte for byte; dishes of one kind differ by what their tags and their numbers choose.
- It has a title that says what it is, and nothing that could run or load anything. It stays under 4 kB.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from html import escape

from handrail.apps.delivery.catalogue import Dish

MOST_BYTES = 4_000
LONGEST_NAME = 120
INK = "#2d2a26"
GROUNDS = ("#f6e7d3", "#e7f0e4", "#fbe3dc", "#e6eef6", "#f4e8f3", "#fdf3cf")
BY_TAG = (
    ("spicy", ("#c8321f", "#e0532d", "#8f1d14")),
    ("seafood", ("#f0937a", "#e9b49c", "#c46a55")),
    ("fish", ("#f2a088", "#e7c4ae", "#b9705c")),
    ("sweet", ("#d98fa5", "#f1c9a5", "#8a4b32")),
    ("vegan", ("#5f9b4c", "#9dbf5a", "#3c6f3f")),
    ("vegetarian", ("#d9a441", "#8fb15b", "#b9792f")),
    ("chicken", ("#d99a4e", "#ecc98a", "#a56a2b")),
    ("beef", ("#8a4b32", "#b8714f", "#5e2f20")),
    ("pork", ("#c7746a", "#e4a79b", "#8d463f")),
)
OTHERWISE = ("#b9843f", "#d8b27a", "#7f5a2a")


class Palette:
    """Colours and small choices for one dish.

    Attributes:
        main, light, dark: of the food.
        ground: behind it all.
    """

    def __init__(self, dish: Dish) -> None:
        """Choose by its tags and its number."""
        self._drawn = sha256(f"dish {dish.food_id}".encode()).digest()
        self.main, self.light, self.dark = next((colours for tag, colours in BY_TAG if tag in dish.tags), OTHERWISE)
        self.ground = GROUNDS[self._drawn[0] % len(GROUNDS)]

    def at(self, number: int, most: int) -> int:
        """A choice below `most`, the same each time."""
        return self._drawn[1 + number % 30] % most


def drawing(dish: Dish) -> bytes:
    """The drawing of a dish."""
    palette = Palette(dish)
    parts = SHAPES.get(dish.kind, _plate)(palette)
    title = escape(dish.name[:LONGEST_NAME])
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 120" role="img" aria-labelledby="t">'
        f'<title id="t">{title}</title><rect width="160" height="120" fill="{palette.ground}"/>'
        f'<ellipse cx="80" cy="103" rx="58" ry="7" fill="{INK}" opacity=".12"/>{"".join(parts)}</svg>'
    )
    return svg.encode()


def _ellipse(x: float, y: float, rx: float, ry: float, fill: str, *, more: str = "") -> str:
    return f'<ellipse cx="{x:g}" cy="{y:g}" rx="{rx:g}" ry="{ry:g}" fill="{fill}"{more}/>'


def _path(d: str, fill: str, more: str = "") -> str:
    return f'<path d="{d}" fill="{fill}"{more}/>'


def _line(d: str, stroke: str, width: float = 3) -> str:
    return f'<path d="{d}" fill="none" stroke="{stroke}" stroke-width="{width:g}" stroke-linecap="round"/>'


def _scattered(palette: Palette, *, x: int, y: int, wide: int, high: int, count: int, size: float = 4) -> list[str]:
    """Bits of food in a field."""
    colours = (palette.main, palette.light, palette.dark, "#5f9b4c")
    return [
        _ellipse(
            x + palette.at(3 * number, wide), y + palette.at(3 * number + 1, high), size + palette.at(number, 3), size, colours[number % 4]
        )
        for number in range(count)
    ]


def _dish(fill: str = "#fffdf8") -> list[str]:
    return [_ellipse(80, 84, 62, 20, fill, more=f' stroke="{INK}" stroke-opacity=".15"'), _ellipse(80, 82, 46, 13, "#f1ebe0")]


def _bowl_under(colour: str) -> list[str]:
    return [_path("M26 62H134C134 90 110 104 80 104S26 90 26 62Z", colour), _path("M60 102H100V108H60Z", colour)]


def _plate(palette: Palette) -> list[str]:
    heap = _path("M44 82C46 60 62 52 80 54S114 62 116 82Z", palette.main)
    return [*_dish(), heap, *_scattered(palette, x=54, y=62, wide=52, high=18, count=7)]


def _bowl(palette: Palette) -> list[str]:
    top = _ellipse(80, 62, 54, 15, palette.light)
    return [*_bowl_under("#46607a"), top, *_scattered(palette, x=40, y=54, wide=80, high=14, count=9, size=5)]


def _soup(palette: Palette) -> list[str]:
    steam = [_line(f"M{x} 40C{x - 6} 32 {x + 6} 26 {x} 16", "#ffffff") for x in (60, 80, 100)]
    top = [_ellipse(80, 62, 54, 15, palette.dark), _ellipse(80, 63, 48, 12, palette.main)]
    return [*_bowl_under("#7a4646"), *top, *_scattered(palette, x=48, y=57, wide=64, high=10, count=5, size=3), *steam]


def _noodles(palette: Palette) -> list[str]:
    strands = [
        _line(
            f"M{34 + 7 * number} {60 + palette.at(number, 5)}C{50 + 6 * number} {40 + palette.at(number + 9, 10)} 90 74 120 60", colour, 4
        )
        for number, colour in enumerate(("#e8c873", "#f0d78c", "#dcb65c", "#f0d78c", "#e8c873", "#dcb65c"))
    ]
    sticks = [_line("M96 56L146 14", "#6b3f22", 4), _line("M104 58L152 22", "#6b3f22", 4)]
    top = _scattered(palette, x=50, y=50, wide=56, high=14, count=6)
    return [*_bowl_under("#3f5d4c"), _ellipse(80, 62, 54, 15, palette.light), *strands, *top, *sticks]


def _curry(palette: Palette) -> list[str]:
    rice = _path("M30 78C32 60 46 54 60 56S78 66 78 80Z", "#fdfbf4")
    sauce = _path("M74 82C76 64 94 60 108 64S128 74 126 84Z", palette.main)
    return [*_dish(), rice, sauce, *_scattered(palette, x=84, y=68, wide=34, high=12, count=6)]


def _pizza(palette: Palette) -> list[str]:
    base = [_ellipse(80, 74, 60, 32, "#d9a45b"), _ellipse(80, 72, 52, 26, palette.main), _ellipse(80, 71, 47, 22, "#f6dc93")]
    cuts = [_line("M80 46V98", "#b9792f", 1.5), _line("M32 62L128 84", "#b9792f", 1.5), _line("M128 60L32 84", "#b9792f", 1.5)]
    return [*base, *_scattered(palette, x=46, y=56, wide=68, high=30, count=9, size=5), *cuts]


def _burger(palette: Palette) -> list[str]:
    return [
        _path("M38 60C38 30 122 30 122 60Z", "#d99a4e"),
        *[_ellipse(x, y, 2.5, 1.5, "#fbeecb") for x, y in ((62, 46), (76, 41), (90, 46), (102, 50), (70, 52))],
        _path("M34 60H126L118 68L104 62L90 69L74 62L58 69L42 63Z", "#6fae4f"),
        _path("M38 68H122V80H38Z", palette.dark),
        _path("M38 66H122L108 76L96 68Z", "#f2c14e"),
        _path("M38 82H122V88C122 96 112 100 102 100H58C48 100 38 96 38 88Z", "#d99a4e"),
    ]


def _taco(palette: Palette) -> list[str]:
    def one(x: int) -> list[str]:
        filling = _scattered(palette, x=x + 8, y=52, wide=46, high=12, count=6, size=5)
        return [
            *filling,
            _path(f"M{x} 92C{x} 50 {x + 62} 50 {x + 62} 92Z", "#e8b95b"),
            _line(f"M{x + 8} 86C{x + 12} 62 {x + 30} 58 {x + 40} 60", "#f5d58c"),
        ]

    return [*_dish(), *one(24), *one(70)]


def _salad(palette: Palette) -> list[str]:
    greens = ("#5f9b4c", "#86b556", "#3f7d45", "#a3c968")
    leaves = [
        _ellipse(
            38 + 11 * n, 56 - palette.at(n, 9), 13, 9, greens[n % 4], more=f' transform="rotate({palette.at(n, 60) - 30} {38 + 11 * n} 54)"'
        )
        for n in range(8)
    ]
    return [
        *_bowl_under("#e9e2d2"),
        _ellipse(80, 62, 54, 13, "#4b7f41"),
        *leaves,
        *_scattered(palette, x=46, y=48, wide=68, high=12, count=6),
    ]


def _cup(palette: Palette) -> list[str]:
    cup = _path("M46 50H106V82C106 96 94 102 76 102S46 96 46 82Z", "#ffffff", f' stroke="{INK}" stroke-opacity=".2"')
    handle = _line("M106 58C126 56 126 84 105 82", "#ffffff", 7)
    steam = [_line(f"M{x} 38C{x - 5} 32 {x + 5} 26 {x} 18", "#ffffff") for x in (66, 84)]
    return [handle, cup, _ellipse(76, 51, 29, 8, palette.dark), *steam]


def _glass(palette: Palette) -> list[str]:
    drink = _path("M57 44H103L98 102H62Z", palette.main)
    glass = _path("M52 26H108L100 106H60Z", "#ffffff", f' opacity=".45" stroke="{INK}" stroke-opacity=".3"')
    ice = [
        f'<rect x="{62 + 13 * n}" y="{48 + palette.at(n, 12)}" width="11" height="11" rx="2" fill="#fff" opacity=".6"/>' for n in range(3)
    ]
    return [glass, drink, *ice, _line("M88 70L104 12", palette.dark, 4)]


def _dessert(palette: Palette) -> list[str]:
    scoops = [_ellipse(64, 58, 20, 18, palette.light), _ellipse(96, 58, 20, 18, palette.main), _ellipse(80, 44, 19, 17, "#fff4e2")]
    stem = [_path("M40 62H120C118 84 102 90 80 90S42 84 40 62Z", "#dfeaf0"), _path("M76 88H84V100H102V105H58V100H76Z", "#dfeaf0")]
    return [*scoops, *stem, _ellipse(80, 25, 5, 5, palette.dark)]


def _sandwich(palette: Palette) -> list[str]:
    layers = [_path("M30 76H130V84H30Z", "#6fae4f"), _path("M32 68H128V77H32Z", palette.main), _path("M34 84H126V90H34Z", palette.light)]
    breads = [_path("M30 68C30 44 130 44 130 68Z", "#d9a45b"), _path("M30 90H130C130 104 30 104 30 90Z", "#d9a45b")]
    return [*breads, *layers, *[_line(f"M{x} 56L{x + 8} 62", "#b9792f", 2) for x in (58, 78, 98)]]


def _dumplings(palette: Palette) -> list[str]:
    def one(x: int, y: int) -> list[str]:
        return [
            _path(
                f"M{x} {y}C{x} {y - 28} {x + 38} {y - 28} {x + 38} {y}C{x + 30} {y + 8} {x + 8} {y + 8} {x} {y}Z",
                "#f8efdd",
                f' stroke="{palette.dark}" stroke-opacity=".4"',
            ),
            *[_line(f"M{x + 10 + 7 * n} {y - 17}L{x + 12 + 5 * n} {y - 8}", palette.light, 1.5) for n in range(3)],
        ]

    return [*_dish("#c79a5f"), *one(32, 78), *one(88, 78), *one(60, 92), *one(60, 66)]


def _roll(palette: Palette) -> list[str]:
    def one(x: int, y: int) -> list[str]:
        return [
            _ellipse(x, y + 10, 16, 9, "#2f3b33"),
            _path(f"M{x - 16} {y}H{x + 16}V{y + 10}H{x - 16}Z", "#2f3b33"),
            _ellipse(x, y, 16, 9, "#fbf8ef"),
            _ellipse(x, y, 8, 5, palette.main),
        ]

    return [*_dish(), *one(50, 64), *one(84, 60), *one(116, 68), *one(66, 80), *one(100, 84)]


def _skewers(palette: Palette) -> list[str]:
    found = _dish()
    for number, y in enumerate((60, 74, 88)):
        found.append(_line(f"M18 {y + 6}L144 {y - 8}", "#8a6a45", 2.5))
        colours = (palette.main, palette.dark, "#86b556", palette.light)
        found += [_ellipse(44 + 18 * n, y + 3 - 2 * n, 9, 7, colours[(n + number) % 4]) for n in range(5)]
    return found


def _pan(palette: Palette) -> list[str]:
    pan = [_line("M128 70L156 58", INK, 8), _ellipse(76, 78, 60, 26, "#3a3a3c"), _ellipse(76, 75, 52, 20, palette.main)]
    return [*pan, *_scattered(palette, x=36, y=64, wide=78, high=20, count=11, size=5)]


def _bread(palette: Palette) -> list[str]:
    loaf = _path("M28 84C22 54 52 44 80 44S138 54 132 84C130 96 30 96 28 84Z", "#d9a45b")
    return [
        loaf,
        *[_line(f"M{x} 54C{x + 8} 60 {x + 6} 70 {x + 2} 76", "#f3d9a6", 4) for x in (52, 74, 96)],
        *_scattered(palette, x=50, y=78, wide=60, high=8, count=4, size=2),
    ]


SHAPES: dict[str, Callable[[Palette], Sequence[str]]] = {
    "bowl": _bowl,
    "bread": _bread,
    "burger": _burger,
    "cup": _cup,
    "curry": _curry,
    "dessert": _dessert,
    "dumplings": _dumplings,
    "glass": _glass,
    "noodles": _noodles,
    "pan": _pan,
    "pizza": _pizza,
    "plate": _plate,
    "roll": _roll,
    "salad": _salad,
    "sandwich": _sandwich,
    "skewers": _skewers,
    "soup": _soup,
    "taco": _taco,
}
"""Every kind of dish; one that is not here lies on a plate."""

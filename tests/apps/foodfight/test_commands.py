"""The app on the command line: seeded, talked to, and checked, as real processes."""

from pathlib import Path

import pytest

from tests.cli.processes import finished

EXAMPLE = "Which promo fights are open at Pepper Palace?"


def database(folder: Path) -> dict[str, str]:
    """The setting for a database in that folder."""
    return {"HANDRAIL_DATABASE_URL": f"sqlite:///{folder / 'foodfight.db'}"}


@pytest.mark.slow
def test_seed_then_chat(tmp_path: Path) -> None:
    where = database(tmp_path)
    seeded = finished("seed", "foodfight", folder=tmp_path, **where)
    assert (seeded.returncode, seeded.stderr) == (0, "")
    assert seeded.stdout == (
        f"10 made-up restaurants with 50 dishes and 24 promo fights are now in sqlite+aiosqlite:///{tmp_path / 'foodfight.db'}.\n"
    )
    again = finished("seed", "foodfight", folder=tmp_path, **where)
    assert again.stdout == f"There are restaurants in sqlite+aiosqlite:///{tmp_path / 'foodfight.db'} already; nothing was added.\n"
    talked = finished("chat", "foodfight", "--message", EXAMPLE, folder=tmp_path, **where)
    assert talked.returncode == 0, talked.stderr
    assert "2 open: fight 7 for 2 × Small plate (15.50), outcome 1 is free;" in talked.stdout
    assert "create_promo_fight" not in talked.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "said"), [("yes", "Fight 7 is accepted."), ("no", "That was not done: A person refused this very call;")]
)
def test_a_write_is_set_on_and_asked_for(tmp_path: Path, answers: str, said: str) -> None:
    where = database(tmp_path) | {"HANDRAIL_FOODFIGHT_WRITES": "1"}
    finished("seed", "foodfight", folder=tmp_path, **where)
    asked = ("--message", "Accept fight 7 at Pepper Palace")
    talked = finished("chat", "foodfight", "--answers", answers, *asked, folder=tmp_path, **where)
    assert talked.returncode == 0, talked.stderr
    assert "Accept promo fight 7?" in talked.stdout and said in talked.stdout


@pytest.mark.slow
def test_a_database_without_restaurants_is_told_what_to_do(tmp_path: Path) -> None:
    talked = finished("chat", "foodfight", "--message", "What is open?", folder=tmp_path, **database(tmp_path))
    assert "then run `handrail seed foodfight`" in talked.stdout
    assert "The fights cannot be looked up at the moment." in talked.stdout

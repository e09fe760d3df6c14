"""What a start and an install take: structure only, no test looks at a time."""

import sys
from pathlib import Path

import pytest

from benchmarks.overhead import systems
from benchmarks.sizes import __main__ as command
from benchmarks.sizes import installed as install
from benchmarks.sizes.imports import imported


@pytest.mark.slow
def test_a_start_is_looked_at_in_new_processes() -> None:
    found = imported({name: Path(sys.executable) for name in ("hand", "aiohttp")}, rounds=1)
    assert [each.system for each in found] == ["hand", "aiohttp"]
    assert all(each.first_ms >= each.import_ms > 0 and each.memory_mb > 1 for each in found)
    assert found[0].modules > 100


def test_an_install_without_an_index_is_not_measured_and_said_not_to_be(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock = tmp_path / "base.lock"
    lock.write_text(f"nobodys-package==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    monkeypatch.setattr(install, "LOCK", lock)
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert install.installed() is None
    assert "the base install is not measured: uv could not do it" in capsys.readouterr().err


def test_what_handrail_itself_takes_is_apart_from_its_pages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    source = tmp_path / "handrail"
    for name, size in {"__init__.py": 3_000, "service/static/page.js": 500_000, "__pycache__/x.pyc": 900_000}.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(b"x" * size)
    empty = tmp_path / "base.lock"
    empty.touch()
    monkeypatch.setattr(install, "LOCK", empty)
    monkeypatch.setattr(install, "SOURCE", source)
    monkeypatch.setattr(install, "PAGES", source / "service" / "static")
    found = install.installed()
    assert found is not None
    assert (found.packages, round(found.handrail_mb, 6), found.pages_mb) == (0, 0.003, 0.5)


@pytest.mark.slow
def test_the_command_prints_a_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(systems, "made", lambda name: None)
    monkeypatch.setattr(command, "installed", lambda: None)
    command.main(["--short"])
    printed = capsys.readouterr().out
    assert "| **handrail.run** " in printed and "agno" not in printed
    assert "size of a base install was not measured" in printed

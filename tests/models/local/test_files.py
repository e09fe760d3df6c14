"""A file that cannot be run is refused at once, with what to do."""

from pathlib import Path

import pytest

from handrail.errors import InputError
from handrail.models.local.files import model_file, models_there


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "handrail" / "models"
    folder.mkdir(parents=True)
    return folder


def test_a_path_is_taken_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF...")
    assert model_file(str(path)) == path


@pytest.mark.parametrize("name", ["small", "small.gguf"])
def test_a_bare_name_is_a_model_that_was_fetched(cache: Path, name: str) -> None:
    (cache / "small.gguf").write_bytes(b"GGUF...")
    assert model_file(name) == cache / "small.gguf"


@pytest.mark.parametrize("name", ["", "other", "some/where/small", "../small"])
def test_what_is_not_there_is_said_together_with_what_is(cache: Path, name: str) -> None:
    (cache / "small.gguf").write_bytes(b"GGUF...")
    with pytest.raises(InputError, match=r"there is no model .*--model local:.*; fetched are small$"):
        model_file(name)
    assert models_there() == ("small",)


def test_what_is_no_gguf_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match="is no GGUF file"):
        model_file(str(path))


def test_too_little_memory_is_said_before_anything_is_loaded(tmp_path: Path) -> None:
    path, meminfo = tmp_path / "some.gguf", tmp_path / "meminfo"
    path.write_bytes(b"GGUF...")
    meminfo.write_text("MemTotal: 999999 kB\nMemAvailable: 200000 kB\n", encoding="ascii")
    with pytest.raises(InputError, match=r"needs about 0\.4 GB of memory, and 0\.2 GB are left"):
        model_file(str(path), meminfo=meminfo)


def test_where_nobody_says_how_much_memory_is_left_nobody_asks(tmp_path: Path) -> None:
    path = tmp_path / "some.gguf"
    path.write_bytes(b"GGUF...")
    assert model_file(str(path), meminfo=tmp_path / "none") == path

"""The environments of the peers: pinned, made only when something changed, and left out with a word where they cannot be had."""

import re
from pathlib import Path

import pytest

from benchmarks.peers import __main__ as command
from benchmarks.peers import environments
from benchmarks.peers.catalogue import PEERS, SHARED, Peer
from benchmarks.peers.environments import LOCKS, ROOT, STAMP, lock_of, made, python_of, version_of
from benchmarks.peers.interpreters import interpreter
from tests.benchmarks.environments import environment_of

PIN = re.compile(r"^([a-z0-9][a-z0-9._-]*)==(\S+)", re.MULTILINE)
BESIDE = [name for name, peer in PEERS.items() if peer.beside_handrail]
NEVER = "3.99"


def pins(lock: Path) -> dict[str, str]:
    return dict(PIN.findall(lock.read_text(encoding="utf-8")))


@pytest.fixture
def peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A peer that no index has, with all its files in a folder of the test's own."""
    monkeypatch.setattr(environments, "PLACE", tmp_path / "environments")
    monkeypatch.setattr(environments, "LOCKS", tmp_path)
    monkeypatch.setattr(environments, "PEERS", {"nobody": Peer(("nobodys-package",))})
    (tmp_path / "nobody.lock").write_text(f"nobodys-package==1.0 \\\n    --hash=sha256:{'0' * 64}\n")
    return "nobody"


def put(name: str) -> Path:
    """An environment as if it had been made."""
    folder = environments.PLACE / name
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()
    base = interpreter("3.11")
    assert base is not None
    (folder / STAMP).write_text(environments.wanted(name, base))
    return folder / "bin" / "python"


def test_there_is_a_lock_for_every_peer_and_no_other() -> None:
    assert sorted(path.stem for path in LOCKS.glob("*.lock")) == sorted(PEERS)


@pytest.mark.parametrize("name", PEERS)
def test_a_lock_pins_the_peer(name: str) -> None:
    assert version_of(name) == pins(lock_of(name))[PEERS[name].packages[0].partition("[")[0]]


@pytest.mark.parametrize("name", BESIDE)
def test_a_lock_pins_what_handrail_needs_and_the_client_at_handrails_own_version(name: str) -> None:
    ours, theirs = pins(ROOT / "requirements" / "base.lock"), pins(lock_of(name))
    assert set(ours) - set(theirs) == set(), f"run `python -m benchmarks.peers --upgrade {name}`"
    assert {package: theirs[package] for package in SHARED} == {package: ours[package] for package in SHARED}


def test_this_python_will_do_where_it_is_new_enough() -> None:
    assert interpreter("3.11") is not None
    assert interpreter(NEVER) is None


def test_a_stand_in_that_leads_nowhere_is_no_interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shim = tmp_path / "python3.14"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert interpreter.__wrapped__("3.14") is None


def test_an_environment_counts_as_made_until_its_lock_changes(peer: str) -> None:
    assert made(peer) is None
    python = put(peer)
    assert made(peer) == python == python_of(peer)
    lock_of(peer).write_text(lock_of(peer).read_text().replace("1.0", "1.1"))
    assert made(peer) is None


def test_an_environment_that_cannot_be_made_is_left_out_with_the_reason(
    peer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    assert python_of(peer) is None
    assert "nobody is left out: uv could not do it" in capsys.readouterr().err
    assert made(peer) is None


def test_a_peer_that_needs_another_python_is_left_out_with_the_reason(
    peer: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(environments, "PEERS", {peer: Peer(("nobodys-package",), python=NEVER)})
    assert python_of(peer) is None
    assert f"needs Python {NEVER} or newer" in capsys.readouterr().err


def test_the_command_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["nobody"])
    assert "there is no peer nobody; there are openai_agents" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("name", BESIDE)
def test_handrails_sources_can_be_imported_beside_a_peer(name: str) -> None:
    python = environment_of(name)
    assert environments.output([str(python), "-c", "import handrail; print(handrail.__file__)"]).strip() == str(
        ROOT / "src/handrail/__init__.py"
    )

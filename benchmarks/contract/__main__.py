"""`python -m benchmarks.contract --examples N --seed S`: ask the service about N things, and say what is not as its description says.

- schemathesis makes requests from `/openapi.json`: those that fit, those that do not, and those without a key. All its checks are on.
- Without a seed it asks the same every time, and with a seed the same for that seed. Exit 0 where nothing is wrong, 1 where something is.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.contract.service import LONGEST_PAUSE, Known

ROOT = Path(__file__).parents[2]
KNOWN = "HANDRAIL_CONTRACT_KNOWN"
OPERATIONS = 27
"""Roughly as many: the examples are spread over them."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = _parser().parse_args(arguments)
    with answering() as known, tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = _command(known, asked.examples, asked.seed, asked.phases, report)
        status = subprocess.run(command, cwd=folder, env=_environment(known), stdout=sys.stderr, check=False).returncode
        print(msgspec.json.encode({"ok": status == 0, "seed": asked.seed, **_summary(report)}).decode())
    return 0 if status == 0 else 1


@contextmanager
def answering() -> Iterator[Known]:
    """The service, in a process of its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("HANDRAIL_", "OPENAI_"))}
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.contract.service"], cwd=ROOT, env=own, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield msgspec.json.decode(process.stdout.readline(), type=Known)
    finally:
        process.terminate()
        process.communicate()


def _command(known: Known, examples: int, seed: int | None, phases: str, report: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "schemathesis.cli",
        f"--config-file={Path(__file__).with_name('schemathesis.toml')}",
        "run",
        f"{known.url}/openapi.json",
        f"--header=Authorization:Bearer {known.key}",
        "--exclude-path-regex=^/v1/audio",  # what it answers depends on the machine's extras
        f"--max-examples={max(1, -(-examples // OPERATIONS))}",
        *(["--generation-deterministic"] if seed is None else [f"--seed={seed}", "--generation-database=none"]),
        f"--phases={phases}",
        "--checks=all",
        "--suppress-health-check=all",
        "--continue-on-failure",
        f"--request-timeout={LONGEST_PAUSE:g}",
        "--no-color",
        "--report=json",
        f"--report-json-path={report}",
    ]


def _environment(known: Known) -> dict[str, str]:
    hooks = {"SCHEMATHESIS_HOOKS": "benchmarks.contract.hooks", KNOWN: msgspec.json.encode(known).decode(), "NO_PROXY": "*"}
    return {**os.environ, **hooks, "PYTHONPATH": str(ROOT)}


def _summary(report: Path) -> dict[str, Any]:
    """What is worth a line; schemathesis has told the rest."""
    found: dict[str, Any] = msgspec.json.decode(report.read_bytes()) if report.exists() else {}
    return {
        "operations": found.get("operations", {}).get("tested", 0),
        "requests": found.get("test_cases", {}).get("generated", 0),
        "failures": [f"{each['title']}: {', '.join(each['operations'])}" for each in found.get("failures", [])],
        "seconds": round(found.get("running_time", 0.0), 1),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.contract", description="Does the service do as its description says?")
    parser.add_argument("--examples", type=int, default=2_000, help="made-up requests; those that cover the description come on top")
    parser.add_argument("--seed", type=int, default=None, help="what chance depends on; without it nothing is left to chance")
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful", help="of schemathesis")
    return parser


if __name__ == "__main__":
    sys.exit(main())

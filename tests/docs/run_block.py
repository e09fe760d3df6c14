"""Runs one block of a page as a script: `python run_block.py FILE`. A block may await at its top level."""

import ast
import asyncio
import inspect
import sys
from pathlib import Path


def main() -> None:
    """Compile the file with top-level await allowed, and run it as `__main__`."""
    path = Path(sys.argv[1])
    sys.path.insert(0, str(path.parent))
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    namespace = vars(sys.modules["__main__"])
    awaited = eval(code, namespace)
    if inspect.iscoroutine(awaited):
        asyncio.run(awaited)


if __name__ == "__main__":
    main()

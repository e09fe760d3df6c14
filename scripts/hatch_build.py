"""A build hook: the wheel and the sdist carry the built pages, so that whoever installs them needs no Node.

An editable install builds nothing: there, `make web` does. From an sdist there is nothing to build either: it has the pages already.
"""

import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Pages(BuildHookInterface[Any]):
    """Builds the pages before they are packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Run the script that builds them, where there is something to build."""
        root = Path(self.root)
        if version != "editable" and (root / "web").is_dir():
            subprocess.run([root / "scripts" / "web.sh"], check=True)

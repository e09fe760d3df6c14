#!/usr/bin/env bash
# Build the documentation strictly (a broken link is an error) into site/. Adds its own pinned packages to .venv first.
set -euo pipefail
cd "$(dirname "$0")/.."
stamp=.venv/.docs-stamp
wanted=$(cat requirements/docs.lock .venv/.handrail-stamp | sha256sum | cut -d' ' -f1)
if [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ]; then
  echo "docs: adding the packages of requirements/docs.lock"
  VIRTUAL_ENV=$PWD/.venv .venv/bin/uv --quiet pip install --require-hashes -r requirements/docs.lock
  printf '%s\n' "$wanted" >"$stamp"
fi
# It brings what draws the diagrams.
scripts/web.sh modules || echo "docs: diagrams are shown as the text that they are drawn from" >&2
# Not --quiet: a warning that is not printed is not counted either. (The theme prints an advertisement for its successor otherwise.)
NO_MKDOCS_2_WARNING=1 .venv/bin/mkdocs build --strict --site-dir site
echo "docs: site/index.html"

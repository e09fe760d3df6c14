#!/usr/bin/env bash
# Make requirements/*.lock again from pyproject.toml: pins and hashes, no addresses. `scripts/lock.sh --upgrade` takes newer versions.
set -euo pipefail
cd "$(dirname "$0")/.."
uv=.venv/bin/uv
compile() { # compile OUT [more arguments]
  local out=$1
  shift
  "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
    --no-emit-find-links pyproject.toml "$@" --output-file "requirements/$out"
}

# dev first: everything else is held to its versions, so one package has one version in all locks.
compile dev.lock --extra service --extra postgres --extra agents --extra mcp --extra lambda --extra telemetry --extra tokens --extra search --extra aiohttp --extra voice --extra local --extra pydantic-ai --group dev "$@"
held=(--constraint requirements/dev.lock)
compile service.lock --extra service "${held[@]}"
compile base.lock "${held[@]}"
compile docs.lock --extra service --group docs "${held[@]}"

# What installs all the rest: uv alone, at the version of dev.lock.
"$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
  --no-emit-find-links "${held[@]}" --output-file requirements/bootstrap.lock - <<<"uv"

if grep -nE '://|--(extra-)?index-url|--find-links|--trusted-host' requirements/*.lock; then
  echo "A lock holds an address (above): make it again without one." >&2
  exit 1
fi
wc -l requirements/*.lock

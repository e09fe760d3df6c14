#!/usr/bin/env bash
# Make .venv with everything that a developer needs and the `handrail` command. Needs Python 3.11 or newer and nothing else.
# Done again only when a lock or the project part of pyproject.toml has changed (the stamp holds their checksum).
# PYTHON=... chooses the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*"; }
die() {
  printf '%s\n' "setup: $*" >&2
  exit 1
}
checksum() { { sed '/^\[tool\.ruff\]/,$d' pyproject.toml; cat requirements/bootstrap.lock requirements/dev.lock scripts/setup.sh; } | sha256sum | cut -d' ' -f1; }

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
find_python() {
  local name
  for name in "${PYTHON:-}" python3 python3.11 python3.12 python3.13 python3.14 /usr/bin/python3; do
    if [ -n "$name" ] && new_enough "$name"; then
      printf '%s' "$name"
      return 0
    fi
  done
  return 1
}

make_venv() { # make_venv PYTHON: says nothing when it works
  rm -rf .venv
  "$1" -m venv .venv >.setup.log 2>&1 && [ -x .venv/bin/pip ]
}

install_venv_module() { # Debian keeps ensurepip in a package of its own
  command -v apt-get >/dev/null || die "this Python cannot make virtual environments (no ensurepip) and there is no apt-get to add it: install python3-venv, or set PYTHON to one that can."
  [ "$(id -u)" = 0 ] || die "this Python cannot make virtual environments: run 'sudo apt-get install python3-venv', then make again."
  say "adding Debian's python3-venv"
  {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv
  } >.setup.log 2>&1 || {
    cat .setup.log >&2
    die "apt-get could not install python3-venv (its words are above)."
  }
}

main() {
  # Two makes at once take turns; the lock is this file itself.
  if command -v flock >/dev/null; then
    exec 9<scripts/setup.sh
    flock 9
  fi
  local stamp=.venv/.handrail-stamp wanted python began=$SECONDS
  wanted=$(checksum)
  if [ -x .venv/bin/handrail ] && [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ]; then return 0; fi

  if [ ! -x .venv/bin/pip ] || ! new_enough .venv/bin/python; then
    python=$(find_python) || die "Python 3.11 or newer is needed. On Debian: apt-get install python3 python3-venv. Elsewhere set PYTHON."
    say "making .venv with $("$python" --version)"
    if ! make_venv "$python"; then
      # The fresh package belongs to Debian's own Python, which need not be the first one on the path.
      install_venv_module
      make_venv "$python" || { new_enough /usr/bin/python3 && make_venv /usr/bin/python3; } || {
        cat .setup.log >&2
        die "no virtual environment could be made (the reason is above)."
      }
    fi
  fi
  rm -f "$stamp"
  say "fetching uv"
  .venv/bin/python -m pip install --disable-pip-version-check --no-input --require-hashes -r requirements/bootstrap.lock >.setup.log 2>&1 || {
    cat .setup.log >&2
    die "pip could not install uv (its words are above): is a package index within reach?"
  }
  say "installing $(grep -c '^[a-z]' requirements/dev.lock) pinned packages"
  local uv=(.venv/bin/uv --quiet pip)
  VIRTUAL_ENV=$PWD/.venv "${uv[@]}" sync --require-hashes requirements/dev.lock
  VIRTUAL_ENV=$PWD/.venv "${uv[@]}" install --no-deps --no-build-isolation --editable .
  rm -f .setup.log
  printf '%s\n' "$wanted" >"$stamp"
  say "done in $((SECONDS - began)) s: .venv/bin/handrail"
}
main

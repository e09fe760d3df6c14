#!/usr/bin/env bash
# See that there is a Chromium for the tests of the pages: the one that CHROMIUM names, Debian's, or (as root on Debian) a new one.
set -euo pipefail
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] && exit 0
command -v apt-get >/dev/null || {
  echo "browser: the tests of the pages need Chromium: install it, or name it with CHROMIUM=..." >&2
  exit 1
}
[ "$(id -u)" = 0 ] || {
  echo "browser: the tests of the pages need Chromium: run 'sudo apt-get install chromium', or name one with CHROMIUM=..." >&2
  exit 1
}
echo "browser: adding Debian's chromium"
log=$(mktemp)
{
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core
} >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
rm -f "$log"

#!/usr/bin/env bash
# Build the pages (web/) into src/handrail/service/static: only when something of them has changed (the stamp holds their checksum).
# Needs Node 20 or newer with npm (scripts/npm.sh). `scripts/web.sh modules` only installs what building and testing them needs.
set -euo pipefail
cd "$(dirname "$0")/../web"

say() { printf '%s\n' "web: $*"; }
die() {
  printf '%s\n' "web: $*" >&2
  exit 1
}
npm=$PWD/../scripts/npm.sh

# Two makes at once take turns; the lock is this file itself.
if command -v flock >/dev/null; then
  exec 9<../scripts/web.sh
  flock 9
fi
wanted=$(cat package-lock.json .npmrc | sha256sum | cut -d' ' -f1)
if [ "$(cat node_modules/.handrail-stamp 2>/dev/null)" != "$wanted" ]; then
  say "installing pinned packages"
  "$npm" ci --silent --no-progress 2>.npm.log || {
    cat .npm.log >&2
    die "npm could not install the packages (its words are above)"
  }
  rm -f .npm.log
  printf '%s\n' "$wanted" >node_modules/.handrail-stamp
fi
[ "${1:-}" = modules ] && exit 0

static=../src/handrail/service/static
sources=$(find src public ./*.html ./*.ts ./*.json .npmrc -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
[ "$(cat $static/.stamp 2>/dev/null)" = "$sources" ] && exit 0
say "building the pages"
# Beside what is served, and then in its place: whoever reads meanwhile finds one or the other, whole.
"$npm" run --silent build -- --logLevel warn --outDir "$static.new" --emptyOutDir
printf '%s\n' "$sources" >"$static.new/.stamp"
rm -rf $static
mv "$static.new" $static

#!/usr/bin/env bash
# What the module for browsers needs in Node beside the native command: to open a recording, to verify it, to seek.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/viewer.sh [--seats N] [--seconds S] [--rounds R] [--recording FILE] [--bin DIR]

  --seats N         players of the arena who draw all inputs by dice (24 by default)
  --seconds S       how long they play (240 by default)
  --recording FILE  this recording instead of theirs
  --rounds R        how often each is measured, by turns (5 by default)
  --bin DIR         where the programs are (build/release/bin by default, built if it is)

Prints the size of the module, and of each time the first in its process (cold) and the median. The native command
has one thread.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
seats=24 seconds=240 rounds=5 bin='' recording=''
read_options 'seats=number seconds=number rounds=number recording=text bin=text' "$@"
no_arguments

if [ -z "$bin" ]; then
    bin=$top/build/release/bin
    # shellcheck source=server/packages.sh
    . "$top/server/packages.sh"
    tickbox_ensure_packages nodejs
    tickbox_ensure_viewer
    (cd "$top" && tickbox_build_release "$top" tickbox tickbox_viewer_module viewer-recordings)
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "$recording" ]; then
    recording=$scratch/match.tickbox
    "$bin/viewer-recordings" "$recording" "$seats" "$seconds"
fi
node "$top/tests/bench/viewer.js" "$bin" "$recording" "$rounds"

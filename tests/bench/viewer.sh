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

wrong() {
    echo "tests/bench/viewer.sh: $1" >&2
    usage >&2
    exit 2
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
seats=24 seconds=240 rounds=5 bin='' recording=''
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --seats | --seconds | --rounds | --bin | --recording)
        [ $# -ge 2 ] || wrong "$1 needs a value"
        case $1 in
        --bin | --recording) ;;
        *) [[ "$2" =~ ^[1-9][0-9]{0,4}$ ]] || wrong "$1 takes a number from 1, not $2" ;;
        esac
        declare "${1#--}=$2"
        shift
        ;;
    *) wrong "unknown: $1" ;;
    esac
    shift
done

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

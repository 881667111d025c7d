#!/usr/bin/env bash
# Does what the tutorial of the public headers says, with a build that it installs.
#   tutorial_test.sh BUILD COMPILER
set -euo pipefail

build=$1 compiler=$2
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The options of the programs are those of the tutorial; the time is that of a compiler without a cache.
unset "${!TICKBOX_@}"
export CCACHE_DISABLE=1 CXX=$compiler HOME=$scratch
# The first section installs the tree of the release build, which is this one.
readme=$top/common/include/tickbox/README.md
install=$(sed -n '/^### 1\./,/^### 2\./{/^cmake /p}' "$readme" | sed "s|--preset release|$build|; t; s|build/release|$build|")
if [ "$(wc -l <<<"$install")" -ne 2 ] || ! (cd "$top" && bash -eux -c "$install") >"$scratch/installed.txt" 2>&1; then
    tail -n 40 "$scratch/installed.txt"
    echo "not ok - the install of the tutorial"
    exit 1
fi
# Without npm's registry the gateway's packages cannot be had.
gateway=(SOCK_STREAM SOCK_DGRAM)
npm ping --fetch-retries=0 >/dev/null 2>&1 || gateway=()
read -ra ports < <(python3 -c '
import socket
import sys
sockets = [socket.socket(type=getattr(socket, kind)) for kind in sys.argv[1:]]
for each in sockets:
    each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in sockets))' SOCK_DGRAM SOCK_STREAM "${gateway[@]}")
python3 "$top/tests/consumer/tutorial.py" "$readme" "${ports[@]}" >"$scratch/tutorial.sh"
# game_of FILE: the first block of C++ in a document.
# shellcheck disable=SC2016 # the marks of a block
game_of() { sed -n '/^```cpp$/,/^```$/{/^```/d;p};/^```cpp$/,/^```$/{/^```$/q}' "$1"; }
if ! diff <(game_of "$top/README.md") <(game_of "$readme"); then
    echo "not ok - the game of the top README is that of the tutorial"
    exit 1
fi
start=$SECONDS
cd "$scratch"
if ! bash tutorial.sh >said.txt 2>&1; then
    tail -n 60 said.txt
    echo "not ok - the tutorial"
    exit 1
fi
echo "ok - the tutorial"
echo "figure: from an empty folder to a desync found in $((SECONDS - start)) s"

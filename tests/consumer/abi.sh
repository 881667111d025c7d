#!/usr/bin/env bash
# Compares the binary interface of tickbox/client.h with the one in client.abi: engines that were built against an older
# header must go on with a newer library. Functions may be added. After a struct has grown at its end, or an enumeration:
# --set, and look at the difference.
#   abi.sh BUILD COMPILER [--set]      BUILD: a release build, for the headers that it makes
set -euo pipefail

build=$1 compiler=$2
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
golden=tests/consumer/client.abi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The functions alone, with what a debugger knows of their types. Nothing calls them, so nothing else is linked.
"$compiler" -std=c++23 -g -O0 -fPIC -fvisibility=hidden -I. -Icommon -Icommon/include -I"$build/generated" -shared \
    -Wl,--version-script=common/package/client_library.map client/library/library.cpp -o "$scratch/libclient.so"
abidw --headers-dir common/include/tickbox --drop-private-types --exported-interfaces-only --no-corpus-path \
    --no-comp-dir-path --no-show-locs "$scratch/libclient.so" >"$scratch/now.abi"
if [ "${3:-}" = --set ]; then
    cp "$scratch/now.abi" "$golden"
elif ! abidiff --no-added-syms "$golden" "$scratch/now.abi"; then
    echo "not ok - an engine that was built against tickbox/client.h would not run with this library"
    exit 1
fi

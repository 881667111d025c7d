#!/usr/bin/env bash
# Asks g++ and clang++, from -O0 to all that this processor has, whether every tick has the hash of the golden file.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/golden/compilers.sh

Builds tickbox-golden by g++ and clang++-19 at -O0, -O2 and -O3 -march=native in build/golden-compilers, and compares every tick
of every scene and of the stored recording; looks for floating-point instructions in the simulation's objects. Not by g++ -O2: tests/run.sh does that.
Exit: 0 all agree, 1 one does not or has floats, 2 wrong usage.
USAGE
}

# shellcheck source=tests/golden/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
golden_begin "$@"
tickbox_ensure_packages g++ clang-19 libxxhash-dev

floats=0
# The -O0 builds come first: they run slowly, while the others are built.
for variant in "g++ -O0" "clang++-19 -O0" "clang++-19 -O2" "g++ -O3 -march=native" "clang++-19 -O3 -march=native"; do
    folder=build/golden-compilers/${variant// /}
    read -ra command <<<"$variant"
    golden_build "$folder" "${command[@]}"
    golden_ask "$variant" "$folder" golden_all "" "$folder/tickbox-golden"
    if [ "$(uname -m)" = x86_64 ]; then
        tests/golden/no_float.sh "$folder"/common-{sim,engine,games-*}.o || floats=1
    fi
done
golden_answers
exit $floats

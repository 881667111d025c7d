#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/run.sh [release|asan|tsan|dev] [ctest options]

  release  the optimised build with assertions, every test, those of the gateway too (the default)
  asan     what decodes, allocates or has threads, under AddressSanitizer and UndefinedBehaviorSanitizer, but for a few
           tests that take long
  tsan     what has threads, under ThreadSanitizer
  dev      the debug build with a check after every step

With --all, asan runs every test (tests/campaign.sh --checks does).
tests/fuzz.sh runs the decoders under the same sanitizers.

Builds in build/<preset>. What follows the preset goes to ctest: tests/run.sh asan -R InputBuffer
USAGE
}

case "${1:-release}" in
-h | --help)
    usage
    exit 0
    ;;
release | asan | tsan | dev) ;;
*)
    echo "tests/run.sh: unknown preset $1; there are release, asan, tsan and dev" >&2
    exit 2
    ;;
esac
preset=${1:-release}
[ $# -eq 0 ] || shift

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
# shellcheck source=server/packages.sh
. server/packages.sh
packages=("${TICKBOX_BUILD_PACKAGES[@]}")
options=()
case $preset in
asan | tsan) packages+=("${TICKBOX_SANITIZER_PACKAGES[@]}") ;;
release)
    packages+=(nodejs chromium libenet-dev prometheus libsdl2-dev love xauth xvfb abigail-tools)
    options=(-DTICKBOX_VIEWER=ON)
    ;;
esac
packages+=(python3-yaml)
# Where another package has kubectl already, Debian's cannot be installed.
command -v kubectl >/dev/null || packages+=(kubernetes-client)
tickbox_ensure_packages "${packages[@]}"
# The page is played behind the gateway, if npm's registry can be reached.
if [ "$preset" = release ]; then
    tickbox_ensure_viewer
    tickbox_ensure_gateway || [ $? = 3 ]
fi
tickbox_share_cache "$top"

# The labels of the tests to build and run. An empty list means all tests. Tests that `long` names are left out: they take
# a third of the time under AddressSanitizer. `release` runs them, and `asan --all` does.
labels=() long=''
case $preset in
asan)
    labels=(unit threads simulation crash integration flood)
    long='^(OverloadTest|SilentClientTest|All/GamesLaws|LawMaps.*)\.|\.(CostlyFilesAllMay|SeeingFurther|CheatingInput'
    long+='|WholeRecordsThatAreMissing|TenThousandInSight|OfAnotherGameCome|OfTheServerCostsHalfASecond|StandsStillAndGoesOn'
    long+='|FollowsTheRateOfTheServersClock|AreRefusedByTheCompiler|InAnObjectFileAreFound'
    long+='|HaveAPageBelowFiveMegabytes|OutlivesLossAndJitter|NoRunOfLostSnapshots|NumbersComeRoundWhile)'
    # The simulator and the hunt for reused nonces have one seed here; release finds the simulator's own faults.
    long+='|^(SimulatorItself|PlantedBugs|Kinds/PlantedBug)\.|^Parts/Simulator\.(FindsNothing/[1-9]|FindsNothingInAnotherGame)'
    long+='|NonceIsUsedTwice/([2-9]|[1-9][0-9])'
    ;;
tsan) labels=(threads integration) ;;
esac
if [ "${1:-}" = --all ]; then
    labels=() long=''
    shift
fi

cmake --preset "$preset" --log-level=WARNING ${options[@]+"${options[@]}"}
if [ ${#labels[@]} -eq 0 ]; then
    cmake --build --preset "$preset"
else
    cmake --build --preset "$preset" --target "${labels[@]/#/tests_}"
fi

only=()
if [ ${#labels[@]} -gt 0 ]; then only=(--label-regex "^($(IFS='|' && echo "${labels[*]}"))\$"); fi
# More at once than there are processors: many tests wait for a file, a program or a clock.
run_tests() { ctest --preset "$preset" --parallel "$1" ${only[@]+"${only[@]}"} "${@:2}"; }
processors=$(nproc)
if [ $# -gt 0 ]; then
    run_tests $((2 * processors)) "$@"
    exit
fi

# A sanitizer writes what it finds into files. So a second run of a test does not hide it.
found=$top/build/$preset/found
rm -rf "$found"
mkdir -p "$found"
for each in ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS; do
    export "$each=${!each:+${!each}:}log_path=$found/${each%_OPTIONS}"
done
trap 'cat "$found"/* 2>/dev/null || true' EXIT

# These tests run real programs by the clock of a machine that others use as well. One that fails is run once more, and
# both outcomes are printed. These tests use the processor for a twentieth of their time, under a sanitizer for more.
timed='^(integration|flood)$'
together=$((4 * processors))
case $preset in asan | tsan) together=$((2 * processors)) ;; esac
run_tests $((2 * processors)) --label-exclude "$timed" ${long:+--exclude-regex "$long"}
run_tests $together --label-regex "$timed" --repeat until-pass:2
if [ -n "$(ls "$found")" ]; then
    echo "tests/run.sh: a sanitizer has found something in a test that was run once more:" >&2
    exit 1
fi
# A program for Node, which no build makes. Its tests measure rates, so they have the processors to themselves.
[ "$preset" != release ] || tests/gateway/run.sh

#!/usr/bin/env bash
# Installs what is missing, builds, and runs the tests.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/run.sh [release|asan|tsan|dev] [ctest options]

  release  the optimised build with assertions, every test (the default)
  asan     every test again under AddressSanitizer and UndefinedBehaviorSanitizer
  tsan     what has threads, under ThreadSanitizer
  dev      the debug build with all audits

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
# shellcheck source=tests/packages.sh
. tests/packages.sh
tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}"
tickbox_share_cache "$top"

cmake --preset "$preset" --log-level=WARNING
targets=(all)
if [ "$preset" = tsan ]; then
    targets=(unit_os unit_parallel_verify disk_faults disk_server integration tickbox tickbox-server)
fi
cmake --build --preset "$preset" --target "${targets[@]}"
run_tests() { ctest --preset "$preset" --parallel "$(nproc)" "$@"; }
if [ $# -gt 0 ] || [ "$preset" = tsan ]; then
    run_tests "$@"
    exit
fi
run_tests --label-exclude '^integration$'
# Real programs by the clock of a machine that others use as well: one that fails is run once more,
# and both outcomes are printed.
run_tests --label-regex '^integration$' --repeat until-pass:2

#!/usr/bin/env bash
# Fuzzes every decoder for a while, from the corpora in the tree.
set -euo pipefail

if [ $# -gt 1 ] || [[ ! "${1:-10}" =~ ^[0-9]+$ ]]; then
    echo "usage: tests/fuzz.sh [seconds per target, 10 by default]" >&2
    exit 2
fi
seconds=${1:-10}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
# shellcheck source=tests/packages.sh
. tests/packages.sh
tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}" "${TICKBOX_LINT_PACKAGES[@]}"
tickbox_share_cache "$top"

targets=()
for folder in tests/fuzz/corpus/*/; do
    targets+=("$(basename "$folder")")
done
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT
run_one() {
    mkdir "$found/$1"
    if ! "build/fuzz/bin/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -artifact_prefix="$found/$1-" \
        "$found/$1" "tests/fuzz/corpus/$1" >"$found/$1.log" 2>&1; then
        tail -n 40 "$found/$1.log" >&2
        echo "not ok - fuzz $1"
        return 1
    fi
    echo "ok - fuzz $1: $(grep -oE '^Done [0-9]+ runs' "$found/$1.log" | grep -oE '[0-9]+') executions"
}
export -f run_one
export found seconds
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_one {}'

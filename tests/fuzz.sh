#!/usr/bin/env bash
# Fuzzes every decoder, from the corpora in the tree: for some time, or for a number of executions.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/fuzz.sh [SECONDS] [--executions N] [--out DIR] [TARGET ...]

  SECONDS         for each target, 10 by default
  --executions N  instead: until each was executed N times, counted over all calls with the same DIR; stop it at any
                  time, and call it again to go on
  --out DIR       keeps counts, grown corpora and findings there; build/fuzzing by default with --executions, else
                  nothing but findings is kept
  TARGET          a folder of tests/fuzz/corpus, as in decode_request; every one by default

Builds with clang, under AddressSanitizer and UndefinedBehaviorSanitizer. Exit 1 when something was found.
USAGE
}

wrong() {
    echo "tests/fuzz.sh: $1" >&2
    usage >&2
    exit 2
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
seconds='' executions='' out='' targets=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --executions)
        [[ "${2:-}" =~ ^[1-9][0-9]{0,11}$ ]] || wrong "--executions takes a number from 1, not '${2:-}'"
        executions=$2
        shift
        ;;
    --out)
        [ -n "${2:-}" ] || wrong "--out needs a folder"
        out=$2
        shift
        ;;
    [0-9]*)
        [[ "$1" =~ ^[1-9][0-9]{0,5}$ ]] || wrong "seconds are a number from 1, not $1"
        seconds=$1
        ;;
    *)
        [ -d "tests/fuzz/corpus/$1" ] || wrong "no target of that name: $1; there are $(cd tests/fuzz/corpus && echo *)"
        targets+=("$1")
        ;;
    esac
    shift
done
if [ -n "$seconds" ] && [ -n "$executions" ]; then wrong "either seconds or --executions"; fi
if [ ${#targets[@]} -eq 0 ]; then
    for folder in tests/fuzz/corpus/*/; do
        targets+=("$(basename "$folder")")
    done
fi

# shellcheck source=server/packages.sh
. server/packages.sh
tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}" "${TICKBOX_SANITIZER_PACKAGES[@]}"
tickbox_share_cache "$top"
cmake --preset fuzz --log-level=WARNING
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}"

# Empties the folder that was made without --out, except for findings.
forget() {
    rm -rf "$out"/*.log "$out"/*.count "${targets[@]/#/$out/}"
    rmdir --ignore-fail-on-non-empty "$out"
}

if [ -z "$out" ] && [ -n "$executions" ]; then out=build/fuzzing; fi
if [ -z "$out" ]; then
    out=$(mktemp -d)
    trap forget EXIT
fi
mkdir -p "$out"

# executed TARGET: how often, in all calls so far.
executed() {
    if [ -f "$out/$1.count" ]; then echo "$(<"$out/$1.count")"; else echo 0; fi
}

interrupted=72 # as libFuzzer says it
# fuzz TARGET OPTION...: one call of a fuzzer; adds what it executed to the target's count.
fuzz() {
    local target=$1 ended=0 ran
    shift
    mkdir -p "$out/$target"
    "build/fuzz/bin/fuzz_$target" "$@" -max_len=4096 -artifact_prefix="$out/$target-" \
        "$out/$target" "tests/fuzz/corpus/$target" >"$out/$target.log" 2>&1 || ended=$?
    # A fuzzer that is stopped, as by Ctrl-C, prints no total. Its last line then counts: a little less than it executed.
    ran=$(grep -oE '^(Done [0-9]+ runs|#[0-9]+)' "$out/$target.log" | tail -n 1 | grep -oE '[0-9]+' || echo 0)
    echo $(($(executed "$target") + ran)) >"$out/$target.count"
    if [ "$ended" -eq "$interrupted" ]; then
        echo "   - fuzz $target: stopped"
        return 1
    elif [ "$ended" -ne 0 ]; then
        tail -n 40 "$out/$target.log" >&2
        echo "not ok - fuzz $target: what it found, if anything, is $out/$target-*"
        return 1
    fi
}

run_one() {
    local target=$1 count
    if [ -z "$executions" ]; then
        fuzz "$target" -max_total_time="${seconds:-10}" || return 1
    else
        # In pieces, so that little is lost where the machine stops.
        while count=$(executed "$target") && [ "$count" -lt "$executions" ]; do
            fuzz "$target" -runs=$((executions - count)) -max_total_time=600 || return 1
            echo "   - fuzz $target: $(executed "$target") of $executions executions"
        done
    fi
    echo "ok - fuzz $target: $(executed "$target") executions"
}
export -f executed fuzz run_one
export out seconds executions interrupted
printf '%s\n' "${targets[@]}" | xargs -P "$(nproc)" -I{} bash -c 'run_one {}' || exit 1

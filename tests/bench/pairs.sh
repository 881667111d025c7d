#!/usr/bin/env bash
# Compares two programs: runs them by turns, and prints the median of the ratios of each figure.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/pairs.sh BEFORE AFTER [--pairs N] [--only REGEX] [-- ARGS...]

  BEFORE, AFTER   two programs that print a JSON document as their last line with --json, each with
                  arguments of its own if it is quoted: "build/release/bin/tickbox-bench-shard --lag 6"
  --pairs N       how often each runs (9 by default). Every second pair begins with AFTER
  --only REGEX    print only the figures whose name matches
  ARGS            further arguments of both

The name of a figure is its path in the document. Prints, of each figure that is not the same in all
runs, the medians before and after, the median of the ratios of the pairs (after / before), and their
range. Then the names of the others. A machine in other use changes the figures of a pair alike, so
trust the ratios: if 1 is well inside the range, the pairs show no difference.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
pairs=9 only=''
read_options 'pairs=number4 only=text --' "$@"
[ ${#arguments[@]} -eq 2 ] || wrong "takes two programs, not ${#arguments[@]}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Runs the program of one side, 0 or 1, and keeps its document.
run() {
    local side=$1 code=0 command
    read -ra command <<<"${arguments[$side]}"
    "${command[@]}" "${passed_on[@]}" --json --quiet >"$scratch/out" || code=$?
    if [ "$code" -ne 0 ]; then
        echo "tests/bench/pairs.sh: ${arguments[$side]} ended with $code" >&2
        exit "$code"
    fi
    tail -n 1 "$scratch/out" >>"$scratch/$side"
}

for ((pair = 0; pair < pairs; ++pair)); do
    run $((pair % 2))
    run $((1 - pair % 2))
done

jq --null-input --raw-output --arg only "$only" --slurpfile before "$scratch/0" --slurpfile after "$scratch/1" '
    # An element of a list has the name that it gives itself, or its number.
    def name_at($path): . as $document | [range($path | length) as $i | $path[$i] | if type == "number" then
            ($document | getpath($path[:$i + 1]) | objects | [.name, .world, .n, .engine] | map(select(. != null) | tostring)
                | join(" ") | select(. != "")) // tostring
        else . end] | join("/");
    def median: sort | .[(length - 1) / 2 | floor];
    [$before[0] | paths(numbers) as $path | {name: name_at($path), runs: [$before, $after] | map(map(getpath($path)))}
        | select(.name | test($only)) | .is_constant = (.runs | flatten | unique | length == 1)]
    | (["figure", "before", "after", "ratio", "least", "most"],
        (.[] | select(.is_constant | not) | [.name] + (.runs | map(median))
            + (.runs | transpose | map(select(.[0] != 0 and .[1] != null) | .[1] / .[0])
                | if . == [] then ["-", "-", "-"] else [median, min, max] | map(. * 1000 | round / 1000) end)),
        ["the same in all runs: " + (map(select(.is_constant) | .name) | join(", "))])
    | @tsv' | awk -F '\t' 'NF == 1 { print; next } { printf "%-36s %11s %11s %8s %8s %8s\n", $1, $2, $3, $4, $5, $6 }'

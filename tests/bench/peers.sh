#!/usr/bin/env bash
# Tickbox beside other libraries in one run: the shard beside ENet, the step beside Box2D and Chipmunk.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/peers.sh [--clients N] [--ticks N] [--rounds R] [--bodies N] [--csv FILE] [--bin DIR]

  --clients N   clients of the shard and of ENet (1000 by default)
  --ticks N     ticks of each run of them (600 by default)
  --rounds R    how often each takes its turn (5 by default)
  --bodies N    bodies of each physics world, 0: no physics (by default those of tickbox-bench-physics,
                which take some minutes)
  --csv FILE    the results (peers.csv by default)
  --bin DIR     where the programs are (build/release/bin by default, built if it is)

At each lag the shard runs first. ENet then carries as many datagrams of the same sizes, and receives
once a tick, or waits in enet_host_service between the ticks. Figures are the medians of the rounds,
ratios the medians of their ratios. FILE begins with the machine. Prints the times and the ratios.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
clients=1000 ticks=600 rounds=5 bodies='' csv=peers.csv bin=''
read_options 'clients=number ticks=number rounds=number bodies=count6 csv=text bin=text' "$@"
no_arguments

if [ -z "$bin" ]; then
    bin=$top/build/release/bin
    # shellcheck source=server/packages.sh
    . "$top/server/packages.sh"
    tickbox_ensure_packages libenet-dev
    (cd "$top" && tickbox_build_release "$top" tickbox-bench-shard tickbox-bench-enet tickbox-bench-physics)
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Prints a line of the results: subject, case, figure, value.
line() {
    jq --null-input --raw-output '$ARGS.positional | @csv' --args "$@"
}

package() {
    dpkg-query --show --showformat '${Version}' "$1" 2>/dev/null || echo unknown
}

describe_machine() {
    line subject case figure value
    line machine '' processor "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    line machine '' processors "$(nproc)"
    line machine '' kernel "$(uname -sr)"
    line machine '' build "$("$bin/tickbox-bench-shard" --version | head -n 1)"
    for name in libenet-dev libbox2d-dev libchipmunk-dev libsodium-dev; do
        line machine '' "$name" "$(package "$name")"
    done
}

# Runs a program, and prints its document with the name of its case.   measure CASE PROGRAM ARGS...
measure() {
    local name=$1
    shift
    "$bin/$1" "${@:2}" --clients "$clients" --ticks "$ticks" --json --quiet | tail -n 1 | jq --compact-output --arg name "$name" '{name: $name} + .'
}

# One round of the network at a lag.
take_turns() {
    local lag=$1 shard load receives
    shard=$(measure tickbox tickbox-bench-shard --lag "$lag")
    mapfile -t load < <(jq '.sent, (.bytes | round), (.input_bytes | round)' <<<"$shard")
    echo "$shard"
    for receives in once waiting; do
        measure "enet $receives" tickbox-bench-enet --receives "$receives" --sent "${load[0]}" \
            --snapshot-bytes "${load[1]}" --input-bytes "${load[2]}"
    done
}

# The medians of all rounds at a lag, and the time of Tickbox in that of ENet. Of an ENet that waits, the time has sleeps and
# wake-ups too, which that of the shard has not: no ratio.
summarise() {
    jq --slurp --raw-output --arg lag "$1" '
        def median: sort | .[(length - 1) / 2 | floor];
        group_by(.name) | map({key: .[0].name, value: .}) | from_entries as $runs
        | ($runs | to_entries[] | .key as $name | .value as $of | $of[0] | to_entries[] | select(.value | type == "number")
            | .key as $figure | ["network", "\($name), lag \($lag)", $figure, ($of | map(.[$figure]) | median)]),
        ["network", "tickbox / enet once, lag \($lag)", "total_us",
            ([$runs.tickbox, $runs["enet once"]] | transpose | map(.[0].total_us / .[1].total_us) | median * 1000 | round / 1000)]
        | @csv'
}

describe_machine >"$csv"
for ((round = 1; round <= rounds; ++round)); do
    for lag in 1 2 6; do
        echo "round $round of $rounds, lag $lag" >&2
        take_turns "$lag" >>"$scratch/$lag"
    done
done
for lag in 1 2 6; do
    summarise "$lag" <"$scratch/$lag" >>"$csv"
done
if [ "$bodies" != 0 ]; then
    "$bin/tickbox-bench-physics" --json --quiet ${bodies:+--n "$bodies"} | tail -n 1 | jq --raw-output '
        (.worlds[] | ["physics", "\(.world), \(.n) bodies, \(.engine)", "us_per_tick", .us_per_tick]),
        (.ratios[] | ["physics", "\(.world), \(.n) bodies, tickbox / \(.against)", "us_per_tick", .ratio])
        | @csv' >>"$csv"
fi
grep -E 'total_us|us_per_tick' "$csv"

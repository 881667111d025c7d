#!/usr/bin/env bash
# What readers of a room cost its server: processor time per tick with 0, 1 and 16 that follow its log, or with 0 and 10
# pages, by turns.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/followers.sh [--clients N] [--seats N] [--pages] [--rounds R] [--seconds S] [--bin DIR]

  --clients N   who play (64 by default)
  --seats N     the seats of the room (1000 by default): a map for more has more entities
  --pages       pages in place of followers: each follows the log, and asks for /v1/status once a second
  --rounds R    how often each number of followers takes its turn (9 by default)
  --seconds S   how long a turn is (5 by default)
  --bin DIR     where the programs are (build/release/bin by default, built if it is)

The readers discard what they get. A room of the arena for 1000 has 289 entities, one for 3350 has 936; each client adds one. Prints the median of the processor microseconds per tick, and its ratio to that
without a follower. The turns alternate, so the machine is as busy for each.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
cd "$top"
clients=64 seats=1000 rounds=9 seconds=5 bin='' pages='' counts=(0 1 16)
read_options 'clients=number seats=number pages=switch rounds=number seconds=number bin=text' "$@"
no_arguments
[ -z "$pages" ] || counts=(0 10)

if [ -z "$bin" ]; then
    bin=build/release/bin
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox tickbox-server
fi

# shellcheck source=tests/running_server.sh
. tests/running_server.sh

"${of_server[@]}" "$bin/tickbox-server" --port 0 --admin-port 0 --json --quiet --seed 7 --max-clients "$seats" >"$scratch/ready" 2>"$scratch/log" &
running=($!)
find_server "$scratch/ready"
"${of_others[@]}" "$bin/tickbox" load "$address" --clients "$clients" --bot mix --seconds $((rounds * 3 * (seconds + 1) + 60)) \
    --json --quiet >/dev/null 2>&1 &
running+=($!)
sleep 5

# What a page asks for beside the log, until its reader is gone.
poll_page() {
    exec 4<>"/dev/tcp/${admin%:*}/${admin##*:}"
    "${of_others[@]}" cat <&4 >/dev/null &
    local answers=$!
    while sleep 1 && kill -0 "$1" 2>/dev/null; do
        printf 'GET /v1/status?after=1000000 HTTP/1.1\r\nHost: %s\r\n\r\n' "$admin" >&4
    done
    kill "$answers" 2>/dev/null
}

# One reader, until it is stopped.
follow() {
    local reader=$BASHPID
    if [ -n "$pages" ]; then poll_page "$reader" & fi
    exec 3<>"/dev/tcp/${admin%:*}/${admin##*:}"
    printf 'GET /rooms/1/log HTTP/1.1\r\nHost: %s\r\n\r\n' "$admin" >&3
    exec "${of_others[@]}" cat <&3 >/dev/null
}

# Processor seconds and ticks so far.
use() {
    metrics "$admin" | awk '$1 == "process_cpu_seconds_total" { cpu = $2 } $1 == "tickbox_ticks_total" { ticks = $2 } END { print cpu, ticks }'
}

turns=("${counts[@]}")
for _ in $(seq "$rounds"); do
    # Each round is the reverse of the one before: so none is always measured behind the same.
    for followers in "${turns[@]}"; do
        readers=()
        for _ in $(seq "$followers"); do
            follow &
            readers+=($!)
        done
        sleep 1
        before=$(use)
        sleep "$seconds"
        echo "$before $(use)" | awk '{ print ($3 - $1) * 1e6 / ($4 - $2) }' >>"$scratch/cost-$followers"
        for reader in "${readers[@]}"; do
            kill "$reader"
            wait "$reader" 2>/dev/null || true
        done
    done
    mapfile -t turns < <(printf '%s\n' "${turns[@]}" | tac)
done
median() { sort -n "$1" | awk '{ of[NR] = $1 } END { print of[int((NR + 1) / 2)] }'; }
alone=$(median "$scratch/cost-0")
for followers in "${counts[@]}"; do
    cost=$(median "$scratch/cost-$followers")
    echo "$followers $cost $alone" | awk '{ printf "%2d readers  %8.1f us per tick  ratio %.3f\n", $1, $2, $2 / $3 }'
done

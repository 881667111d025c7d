#!/usr/bin/env bash
# Plays on a server, first in quiet, then while one attack after another runs. Prints what the players and the server noticed.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/floods.sh [--seconds S] [--rate R] [--rounds N] [--bin DIR] [ATTACK...]

  --seconds S   of each run (20 by default)
  --rate R      datagrams per second of each attack but client (100000 by default)
  --rounds N    of all attacks, each with a server of its own (1 by default)
  --bin DIR     where the programs are (build/release/bin by default, built if it is)
  ATTACK        of quiet, malformed, hello, connect, resume, packets, client (all by default)

Everything happens on 127.0.0.0/8. Where the kernel grants no large buffers (the server logs socket_buffer_small), use
--rate 20000: a small buffer holds that many datagrams for the millisecond in which the server sleeps. The server runs on
the first processor. Eight clients, which play and verify, share the second one with the attacker.

Fails (exit code 1, `not ok - ...`) where an attack gets a player lost or its view differ, is answered with more bytes than
it sent, or lets fewer than 3 of 5 newcomers in.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/command_line.sh"
cd "$top"
seconds=20 rate=100000 rounds=1 bin=''
read_options 'seconds=number6 rate=number6 rounds=number6 bin=text' "$@"
all=(quiet malformed hello connect resume packets client)
for attack in "${arguments[@]}"; do
    printf '%s\n' "${all[@]}" | grep -qxF -- "$attack" || wrong "no attack of that name: $attack"
done
attacks=("${arguments[@]:-${all[@]}}")

if [ -z "$bin" ]; then
    bin=build/release/bin
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox tickbox-server tickbox-flood
fi

# shellcheck source=tests/running_server.sh
. tests/running_server.sh

# The sum of a metric over the lines that hold TEXT.   sum_of FILE NAME TEXT
sum_of() { awk -v name="$2" -v text="$3" '$1 ~ "^" name "([{]|$)" && index($1, text) { sum += $NF } END { printf "%d", sum }' "$1"; }

# What the kernel has dropped for the server's socket: its buffer was full.
kernel_drops() { awk -v port="$(printf ':%04X' "$1")" 'index($2, port) { print $NF }' /proc/net/udp; }

flags_of() {
    case $1 in
    client) echo "--kind client --times 100" ;;
    *) echo "--kind $1 --rate $rate" ;;
    esac
}

fail() {
    echo "not ok - $1" >&2
    failed=1
}

# Of five newcomers. A busy machine may keep out the others by chance.
newcomers_least=3

# One run with a server of its own; a line for the table.
run_one() {
    local attack=$1 address admin port server players attacker newcomer=- held=yes
    rm -f "$scratch/ready"
    "${of_server[@]}" "$bin/tickbox-server" --port 0 --admin-port 0 --json --quiet >"$scratch/ready" 2>"$scratch/log" &
    server=$!
    running=("$server")
    find_server "$scratch/ready"
    port=${address##*:}

    "${of_others[@]}" "$bin/tickbox" load "$address" --clients 8 --bot stress --ramp 0 --seconds "$seconds" --admin "$admin" --json --quiet \
        >"$scratch/load" 2>"$scratch/load.err" &
    players=$!
    running+=("$players")
    sleep 1
    if [ "$attack" != quiet ]; then
        # The attack begins a second after the players, and ends a second before them.
        # shellcheck disable=SC2046 # words
        "${of_others[@]}" "$bin/tickbox-flood" "$address" $(flags_of "$attack") --time "$((seconds > 2 ? seconds - 2 : 1))s" --json \
            >"$scratch/flood" 2>"$scratch/flood.err" &
        attacker=$!
        running+=("$attacker")
        sleep "$(awk -v s="$seconds" 'BEGIN { print s / 3 }')"
        local got_in=0 tries=5
        for _ in $(seq "$tries"); do
            if "${of_others[@]}" "$bin/tickbox" connect "$address" --seconds 0.1 --json --quiet >/dev/null 2>>"$scratch/connect.err"; then
                got_in=$((got_in + 1))
            fi
        done
        newcomer=$got_in/$tries
        [ "$got_in" -ge "$newcomers_least" ] || fail "$attack: $newcomer newcomers got in, fewer than $newcomers_least"
        wait "$attacker" || held=no
    else
        echo '{"sent":0,"missed":0,"bytes_sent":0,"bytes_answered":0}' >"$scratch/flood"
    fi
    # 5: the generator was held up by the others on its processor. Its document is whole.
    local code=0
    wait "$players" || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 5 ] || held=no
    metrics "$admin" >"$scratch/metrics"
    local lost
    lost=$(kernel_drops "$port")
    kill -TERM "$server"
    wait "$server" || held=no
    running=()

    jq -r --slurpfile flood "$scratch/flood" --arg attack "$attack" --arg newcomer "$newcomer" --arg lost "$lost" \
        --arg in "$(sum_of "$scratch/metrics" tickbox_packets_total in)" --argjson seconds "$seconds" '
        [$attack, ($flood[0].sent | tostring), $lost, $in,
         (.snapshot_gap_ms.p50 | tostring), (.snapshot_gap_ms.p99 | tostring), (.state_hash.mismatched | tostring),
         (.clients.dropped | tostring), (.tick_ms.p99 | . * 100 | round / 100 | tostring), (.server.cpu_percent | round | tostring),
         (.server.rss_bytes / 1048576 | . * 10 | round / 10 | tostring), $newcomer,
         (if $flood[0].bytes_sent > 0 then $flood[0].bytes_answered / $flood[0].bytes_sent * 100 | round | tostring else "-" end),
         (.generator.late_p99_ms | tostring)] | @tsv' "$scratch/load" >>"$scratch/table"
    tail -n 1 "$scratch/table" | tr '\t' ' ' >&2
    {
        echo "$attack:"
        awk '/^tickbox_packets_dropped_total/ && $NF > 0 { gsub(/.*reason="|"}/, "", $1); print "  " $1, $NF }' "$scratch/metrics"
    } >>"$scratch/reasons"
    if jq -e '.bytes_answered > .bytes_sent' "$scratch/flood" >/dev/null; then
        fail "$attack: $(jq -r '"\(.bytes_answered) bytes answered to \(.bytes_sent) sent"' "$scratch/flood")"
    fi
    if [ "$held" = no ] || [ "$(jq '.state_hash.mismatched + .clients.dropped + 8 - .clients.connected' "$scratch/load")" -ne 0 ]; then
        fail "$attack: a player was lost or saw something else; see above"
        cat "$scratch/load.err" "$scratch/flood.err" "$scratch/log" >&2
    fi
}

failed=0
printf '%s\n' "attack	sent	kernel lost	server took	gap p50	gap p99	mismatched	dropped	tick p99	cpu %	RSS MiB	got in	answered %	generator late" >"$scratch/table"
for _ in $(seq "$rounds"); do
    for attack in "${attacks[@]}"; do
        run_one "$attack"
    done
done
awk -F '\t' '{ printf "%-10s", $1; for (i = 2; i <= NF; ++i) printf " %14s", $i; print "" }' "$scratch/table"
echo "Datagrams dropped by the server:"
cat "$scratch/reasons"
exit "$failed"

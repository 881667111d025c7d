#!/usr/bin/env bash
# A real server with many clients: the server on one processor, `tickbox load` on another.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/many.sh [--clients N] [--seconds S] [--verify PART] [--rounds R] [--link] [--bin DIR] [-- FLAG...]

  --clients N    light and full clients (1000 by default)
  --seconds S    of each round (60 by default)
  --verify PART  the full ones, as `load --verify` has it (1/16 by default)
  --rounds R     each with a new server (3 by default)
  --link         in place of loopback: a link between two network namespaces, as between two machines.
                 What arrives at an end is received by the processor of that end; on loopback the sender
                 does it. Needs root
  --bin DIR      where the programs are (build/release/bin by default, built if it is)
  FLAG           further flags of tickbox-server

Prints a line for each round: milliseconds of a tick, of the gap between two snapshots and of a round trip, the shares of
the two processors that server and load take, and how much of the time the load was late.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
cd "$top"
clients=1000 seconds=60 verify=1/16 rounds=3 bin='' link=''
read_options 'clients=number seconds=number verify=text rounds=number link=switch bin=text --' "$@"
no_arguments

if [ -z "$bin" ]; then
    bin=build/release/bin
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox tickbox-server
fi

# shellcheck source=tests/running_server.sh
. tests/running_server.sh

bind=127.0.0.1
if [ -n "$link" ]; then
    [ "$(nproc)" -ge 2 ] || wrong "--link needs two processors"
    # Each end is a process that keeps its namespace: both go when the script ends.
    unshare --net sleep infinity &
    running+=($!)
    unshare --net sleep infinity &
    running+=($!)
    server_end=(nsenter --net="/proc/${running[0]}/ns/net") load_end=(nsenter --net="/proc/${running[1]}/ns/net")
    sleep 0.2
    "${server_end[@]}" ip link add name wire type veth peer name wire netns "${running[1]}"
    bind=10.77.0.1
    address_of=1 processors=1
    for end in server_end load_end; do
        declare -n within=$end
        "${within[@]}" ip link set lo up
        "${within[@]}" ip address add "10.77.0.$address_of/24" dev wire
        "${within[@]}" ip link set wire up
        # A mask: 1 is the first processor, 2 the second one.
        "${within[@]}" unshare --mount sh -c "mount -t sysfs none /sys && echo $processors >/sys/class/net/wire/queues/rx-0/rps_cpus"
        ((++address_of, processors *= 2))
    done
    of_server=("${server_end[@]}" "${of_server[@]}") of_others=("${load_end[@]}" "${of_others[@]}")
fi

# Beyond loopback, the admin side asks for a token.
make_admin_token
ends=("${running[@]}")
for round in $(seq "$rounds"); do
    "${of_server[@]}" "$bin/tickbox-server" --bind "$bind" --port 0 --admin-bind "$bind" --admin-port 0 --json --quiet \
        --admin-token-file "$scratch/token" --max-clients "$clients" --allow-strangers "${passed_on[@]}" >"$scratch/ready" 2>"$scratch/log" &
    server=$!
    running=("${ends[@]}" "$server")
    find_server "$scratch/ready"
    code=0
    "${of_others[@]}" "$bin/tickbox" load "$address" --admin "$admin" --admin-token-file "$scratch/token" --clients "$clients" \
        --verify "$verify" --ramp 3 --seconds "$seconds" --json --quiet >"$scratch/load" 2>"$scratch/load.err" || code=$?
    jq --raw-output --arg round "$round" --arg code "$code" '
        def percent: . * 1000 | round / 10;
        "round \($round): \(.verdict), exit \($code), \(.clients.connected) clients, \(.clients.dropped) dropped, \(.state_hash.checked) hashes, \(.state_hash.mismatched) differ"
        + "\n  tick p50 \(.tick_ms.p50) p99 \(.tick_ms.p99) p99.9 \(.tick_ms.p999), overruns \(.tick_overruns), skipped \(.ticks_skipped)"
        + "\n  gap p50 \(.snapshot_gap_ms.p50) p99 \(.snapshot_gap_ms.p99), rtt p50 \(.rtt_ms.p50) p99 \(.rtt_ms.p99)"
        + "\n  server \(.server.cpu_percent | round) %, load \(.generator.cpu_percent | round) %, late for \(.generator.late_share | percent) %"
    ' "$scratch/load" || cat "$scratch/load.err"
    kill "$server"
    wait "$server" 2>/dev/null || true
    running=("${ends[@]}")
    rm -f "$scratch/ready"
done

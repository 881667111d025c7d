#!/usr/bin/env bash
# How a person's play is over a bad road, by each client: hashes, predictions, inputs that come late.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/play.sh [--seconds S] [--delay MS] [--jitter MS] [--loss PERCENT] [--burst N] [GAME ...]

  --seconds S       how long each client plays (60 by default)
  --delay, --jitter of each way, in milliseconds (80 and 20 by default)
  --loss PERCENT    of the packets of each way (5 by default)
  --burst N         packets that are lost together, in the mean (1 by default: each loss is independent)
  GAME              arena, platformer or bomber; all of them by default

Makes two network namespaces and a bad road between them (play/road.c): server, six bots and gateway in one, the client in the
other. The clients come one after the other: `tickbox connect`, the bot in Python (of the arena), and the page in Chromium by
WebRTC and by WebSocket. Prints a line of JSON for each. `exact_share` is of the predictions that nothing else touched, `late_share` of the
inputs; those of a page without its first five seconds. Root; the programs, pages and gateway that tests/run.sh has built.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
cd "$top"
seconds=60 delay=80 jitter=20 loss=5 burst=1
read_options 'seconds=number delay=count jitter=count loss=count2 burst=number' "$@"
games=("${arguments[@]}")
[ ${#games[@]} -gt 0 ] || games=(arena platformer bomber)
for game in "${games[@]}"; do
    [ -e "build/release/bin/$game-play/play.wasm" ] || wrong "no page of $game is built: tests/run.sh release -R Web"
done
[ "$(id -u)" = 0 ] || wrong "this makes network namespaces: run it as root"

scratch=$(mktemp -d)
near=tickbox-near-$$ far=tickbox-far-$$
running=()
finish() {
    [ ${#running[@]} -eq 0 ] || kill "${running[@]}" 2>/dev/null || true
    wait
    ip netns del "$near" 2>/dev/null || true
    ip netns del "$far" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
gcc -O2 tests/bench/play/road.c -o "$scratch/the-road"
ip netns add "$near"
ip netns add "$far"

# begin NAME PROGRAM...: starts a program in the far namespace, or the road, and waits for the word ready.
begin() {
    local name=$1
    "${@:2}" >"$scratch/$name" 2>"$scratch/$name.log" &
    running+=($!)
    for _ in $(seq 100); do
        grep -q ready "$scratch/$name" && return
        sleep 0.1
    done
    cat "$scratch/$name.log" >&2
    echo "$name did not become ready" >&2
    exit 1
}

begin road "$scratch/the-road" "$near" 10.77.0.2 "$far" 10.77.0.1 "$delay" "$jitter" "$loss" "$burst"
there=(ip netns exec "$far")
for game in "${games[@]}"; do
    begin server "${there[@]}" build/release/bin/tickbox-server --game "$game" --bind 10.77.0.1 --allow-strangers --seed 7 --json
    begin gateway "${there[@]}" node server/gateway/gateway.js --to 10.77.0.1:7777 --bind 10.77.0.1 --allow-strangers \
        --files "build/release/bin/$game-play" --json
    "${there[@]}" build/release/bin/tickbox load 10.77.0.1:7777 --clients 6 --seconds 24h --quiet >/dev/null 2>&1 &
    running+=($!)
    sleep 2
    for client in native python webrtc websocket; do
        if [ $client = python ] && [ "$game" != arena ]; then continue; fi
        ip netns exec "$near" node tests/bench/play/play.js $client "$game" 10.77.0.1:7777 http://10.77.0.1:8080/ "$seconds" || true
    done
    kill "${running[@]:1}"
    wait "${running[@]:1}" || true
    running=("${running[0]}")
done

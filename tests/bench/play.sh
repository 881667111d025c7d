#!/usr/bin/env bash
# How a person's play is over a bad road, by each client: hashes, predictions, inputs that come late.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/bench/play.sh [--seconds S] [--delay MS] [--jitter MS] [--loss PERCENT] [--burst N]
           [--clients NAMES] [GAME ...]

  --seconds S       how long each client plays (60 by default, at least 7)
  --delay, --jitter of each way, in milliseconds (80 and 20 by default)
  --loss PERCENT    of the packets of each way (5 by default)
  --burst N         packets that are lost together, in the mean (1 by default: each loss is independent)
  --clients NAMES   which of "native python sdl love webrtc websocket firefox" play; all of them by default
  GAME              arena, platformer or bomber; all of them by default

Makes two network namespaces and a bad road between them (play/road.c): server, six bots and gateway in one, the client in the
other. The clients come one after the other: `tickbox connect`, of the arena the bot in Python and the window of SDL, of the
platformer the window of LÖVE, and the page in Chromium by WebRTC and by WebSocket and in Firefox by WebRTC. Prints a line of
JSON for each. `exact_share` is of the predictions that nothing else touched, `late_share` of the inputs; those of a page
without its first five seconds. `cpu_per_s` and `memory_mb` are of the client's process, in a browser of the page's; the
windows are drawn by the processor. Root; the programs, pages and gateway that tests/run.sh has built, and firefox-esr.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/../command_line.sh"
cd "$top"
seconds=60 delay=80 jitter=20 loss=5 burst=1
clients='native python sdl love webrtc websocket firefox'
read_options 'seconds=number delay=count jitter=count loss=count2 burst=number clients=text' "$@"
[ "$seconds" -ge 7 ] || wrong "--seconds takes a number from 7: the first five are for warming up"
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
if [[ " $clients " == *" sdl "* ]]; then
    package=$top/build/release/common/package
    # shellcheck disable=SC2046 # several flags
    gcc -O2 client/engines/sdl/arena.c -Icommon/include "$package/libarena_client.so" "-Wl,-rpath,$package" \
        $(pkg-config --cflags --libs sdl2) -o "$scratch/arena"
fi
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
    for client in $clients; do
        screen=()
        case $client-$game in
        sdl-arena | love-platformer) screen=(xvfb-run -a) ;;
        python-arena | native-* | webrtc-* | websocket-* | firefox-*) ;;
        *) continue ;;
        esac
        ip netns exec "$near" "${screen[@]}" node tests/bench/play/play.js "$client" "$game" 10.77.0.1:7777 \
            http://10.77.0.1:8080/ "$seconds" "$scratch/arena" || true
    done
    kill "${running[@]:1}"
    wait "${running[@]:1}" || true
    running=("${running[0]}")
done

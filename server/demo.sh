#!/usr/bin/env bash
# One real match in one command: a server, 32 clients and a recording. Checks that their reports agree.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: server/demo.sh [--json] [--stay] | --play

Installs what is missing (as root), builds, starts a server that records, lets 32 clients play for 20 s (8 of them through 80 ms, 20 ms
jitter and 5 % loss), stops it, replays the recording, and says whether everything held. At the end it makes a page of the match, to
open in a browser. The first time, the page and its compiler come while the match runs, so the match does not wait for them.

  --json  the verdict as one JSON document, the last line of output
  --stay  keeps the server up and prints what to try next; Ctrl-C ends it
  --play  instead: starts a server, seven bots and the gateway, prints the address at which a browser plays (port 8080 if
          that is free), and goes on until Ctrl-C. It records nothing. It needs the page's compiler and npm's registry the
          first time

Exit: 0 all held, 1 something could not be run or has ended too early, 2 wrong usage, 3 something did not hold.
USAGE
}

json=no
stay=no
play=no
for argument in "$@"; do
    case "$argument" in
    --json) json=yes ;;
    --stay) stay=yes ;;
    --play) play=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "server/demo.sh: unknown option $argument; there are --json, --stay and --play" >&2
        exit 2
        ;;
    esac
done

if [ "$play" = yes ] && [ $# -gt 1 ]; then
    echo "server/demo.sh: --play stands alone" >&2
    exit 2
fi

# The options of this server are those below, not those of the user's environment.
unset "${!TICKBOX_@}"

readonly good_clients=24 bad_clients=8 seconds=20
readonly bad_link="delay=80ms,jitter=20ms,loss=5%"

say() { echo "$@" >&2; }

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
# shellcheck source=server/packages.sh
. server/packages.sh
say "1/5 looking for what the build needs"
tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}"
tickbox_share_cache "$top"
if [ "$play" = yes ]; then
    tickbox_ensure_viewer
    tickbox_ensure_gateway
fi

work=$(mktemp -d)
build=
page=
server=
good=
bad=
bots=
gateway=
is_page_later=no
finish() {
    trap '' INT TERM HUP
    local program
    local of_build
    for of_build in $build $page; do
        kill -TERM -- "-$of_build" 2>/dev/null || true
        wait "$of_build" || true
    done
    # The choice of this run alone.
    if [ "$is_page_later" = yes ] && [ -e build/release/CMakeCache.txt ]; then
        sed -i 's/^\(TICKBOX_VIEWER:[A-Z]*=\).*/\1AUTO/' build/release/CMakeCache.txt
    fi
    for program in $gateway $bots $good $bad $server; do
        if kill -0 "$program" 2>/dev/null; then
            kill -TERM "$program"
            wait "$program" || true
        fi
    done
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

# Runs a build in a session of its own, in the background. So a signal to this script stops the whole build at once,
# the compilers too. In the foreground, bash would handle the signal only after the build has ended.
run_build() {
    setsid "$@" >&2 </dev/null &
    build=$!
    local ended=0
    wait "$build" || ended=$?
    # A signal that leaves something out ends the wait, and not the build: this ends with the script.
    kill -0 "$build" 2>/dev/null || build=
    return "$ended"
}

# Gets the compiler of the page, and builds the page.
# shellcheck disable=SC2317 # called in the background
build_page() {
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_ensure_viewer && cmake --preset release --log-level=WARNING -DTICKBOX_VIEWER=AUTO &&
        cmake --build --preset release --target tickbox_viewer_html
}
export -f build_page

say "2/5 building (a few minutes the first time)"
bin=$top/build/release/bin
viewer=()
if [ "$play" = yes ]; then
    viewer=(-DTICKBOX_VIEWER=ON)
elif [ ! -e "$bin/viewer.html" ]; then
    is_page_later=yes
    viewer=(-DTICKBOX_VIEWER=OFF)
fi
run_build cmake --preset release --log-level=WARNING ${viewer[@]+"${viewer[@]}"}
targets=(tickbox tickbox-server)
[ "$play" = no ] || targets+=(tickbox_play_pages)
run_build cmake --build --preset release --target "${targets[@]}"

# wait_for NAME PROGRAM: until the program has written its ready line to NAME.ready. Its log is NAME.log.
wait_for() {
    for _ in $(seq 100); do
        if [ -s "$work/$1.ready" ] || ! kill -0 "$2" 2>/dev/null; then break; fi
        sleep 0.1
    done
    jq -e .address "$work/$1.ready" >"$work/checked" 2>/dev/null && return
    cat "$work/$1.log" >&2
    say "the $1 did not become ready"
    exit 1
}

# go_on NAME...: until Ctrl-C. Fails if one of these programs ends before that, with the end of its log.
go_on() {
    local name programs=() is_stopped=no
    trap 'is_stopped=yes' INT TERM
    for name in "$@"; do programs+=("${!name}"); done
    wait -n "${programs[@]}" || true
    [ "$is_stopped" = no ] || return 0
    for name in "$@"; do
        if kill -0 "${!name}" 2>/dev/null; then continue; fi
        tail -n 20 "$work/$name.log" >&2
        say "ended too early: the $name"
    done
    return 1
}

record=(--record "$work/recordings" --record-max-bytes 1GiB)
[ "$play" = no ] || record=()
say "3/5 starting a server${record:+ that records}"
"$bin/tickbox-server" --port 0 --admin-port 0 "${record[@]}" --json >"$work/server.ready" 2>"$work/server.log" &
server=$!
wait_for server "$server"
address=$(jq -r .address "$work/server.ready")
admin=$(jq -r .admin "$work/server.ready")

if [ "$play" = yes ]; then
    say "4/5 seven bots join, and the gateway starts"
    "$bin/tickbox" load "$address" --clients 7 --seconds 24h --quiet >"$work/bots.log" 2>&1 &
    bots=$!
    # The page has the address that it had the last time, where nobody else is there.
    port=8080
    if (exec 3<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then port=0; fi
    rtc_port=$(node -e 'const s = require("dgram").createSocket("udp4").bind(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })')
    node server/gateway/gateway.js --to "$address" --files "$bin/arena-play" --port $port --rtc-port "$rtc_port" --figures-port 0 --json \
        >"$work/gateway.ready" 2>"$work/gateway.log" &
    gateway=$!
    wait_for gateway "$gateway"
    say "5/5 open http://$(jq -r .address "$work/gateway.ready")/ in a browser, and play. Ctrl-C ends it"
    go_on server bots gateway || exit 1
    exit 0
fi

# Whether the server has the page of the match.
serves_page() (
    exec 2>/dev/null 3<>"/dev/tcp/${admin%:*}/${admin##*:}" &&
        printf 'GET /view HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$admin" >&3 && head -n 1 <&3 | grep -q ' 200 '
)

if [ "$is_page_later" = yes ]; then
    say "    meanwhile the page for browsers is built: it is there at the end"
    setsid nice -n 19 bash -c build_page >"$work/page.log" 2>&1 </dev/null &
    page=$!
elif serves_page; then
    say "    see it in a browser: http://$admin/view"
fi
say "4/5 $((good_clients + bad_clients)) clients play for $seconds s at $address"
"$bin/tickbox" load "$address" --clients "$good_clients" --seconds "$seconds" --seed 1 --admin "$admin" --json --quiet \
    >"$work/good.json" 2>"$work/good.log" &
good=$!
"$bin/tickbox" load "$address" --clients "$bad_clients" --seconds "$seconds" --seed 2 --net "$bad_link,seed=7" \
    --json --quiet >"$work/bad.json" 2>"$work/bad.log" &
bad=$!
good_exit=0
bad_exit=0
wait "$good" || good_exit=$?
wait "$bad" || bad_exit=$?
good=
bad=
for run in good bad; do
    if ! tail -n 1 "$work/$run.json" | jq -es 'length == 1 and .[0].clients' >"$work/checked" 2>/dev/null; then
        cat "$work/$run.log" >&2
        say "the clients could not be run to their end"
        exit 1
    fi
done

say "5/5 replaying the recording"
server_exit=0
if [ "$stay" = no ]; then
    if ! kill -TERM "$server" 2>/dev/null; then
        tail -n 20 "$work/server.log" >&2
        say "the server ended while the clients played"
        exit 1
    fi
    wait "$server" || server_exit=$?
    server=
fi
replay_exit=0
"$bin/tickbox" replay verify "$work"/recordings/*.tickbox --json --quiet >"$work/replay.json" 2>"$work/replay.log" ||
    replay_exit=$?
if ! tail -n 1 "$work/replay.json" | jq -es 'length == 1 and .[0].ticks' >"$work/checked" 2>/dev/null; then
    cat "$work/replay.log" >&2
    say "the recording could not be replayed (exit $replay_exit)"
    exit 1
fi

document=$(jq -c -n \
    --slurpfile good <(tail -n 1 "$work/good.json") --slurpfile bad <(tail -n 1 "$work/bad.json") \
    --slurpfile replay <(tail -n 1 "$work/replay.json") \
    --argjson exits "[$good_exit, $bad_exit, $replay_exit, $server_exit]" '
    $good[0] as $g | $bad[0] as $b | $replay[0] as $r |
    {clients: {asked: ($g.clients.asked + $b.clients.asked), connected: ($g.clients.connected + $b.clients.connected),
               dropped: ($g.clients.dropped + $b.clients.dropped)},
     state_hash: {checked: ($g.state_hash.checked + $b.state_hash.checked),
                  mismatched: ($g.state_hash.mismatched + $b.state_hash.mismatched)},
     prediction: {checked: $g.prediction.checked, exact: $g.prediction.exact, touched: $g.prediction.touched},
     tick_ms: {p50: $g.tick_ms.p50, p99: $g.tick_ms.p99},
     replay: {ticks: $r.ticks, mismatched: $r.mismatched}} |
    # A load that ends inconclusive (5), as on a machine that is too slow, shows no fault of the server.
    .verdict = (if .clients.connected == .clients.asked and .clients.dropped == 0
                   and ($exits | map(. == 0) | .[2:] | all) and ($exits[:2] | map(. == 0 or . == 5) | all)
                   and .state_hash.checked > 1000 and .state_hash.mismatched == 0
                   and .prediction.exact >= 0.99 * .prediction.checked and .prediction.checked > 1000
                   and .replay.ticks > 1000 and .replay.mismatched == 0
                then "held" else "failed" end)')

figure() { jq -r "$1" <<<"$document"; }
verdict=$(figure .verdict)
if [ "$json" = no ]; then
    cat <<REPORT

  clients       $(figure '"\(.clients.connected) of \(.clients.asked) connected"'), $bad_clients of them through $bad_link
  state hashes  $(figure '"\(.state_hash.checked) checked, \(.state_hash.mismatched) differ"')
  predictions   $(figure '"\(.prediction.exact) of \(.prediction.checked) exact to the bit"') (clients without loss, ticks in which no other body touched their own; at least 99 % must be exact)
  server tick   $(figure 'def short: . * 100 | round / 100; "p50 \(.tick_ms.p50 | short) ms, p99 \(.tick_ms.p99 | short) ms"') of 16.7 ms
  replay        $(figure '"\(.replay.ticks) ticks stepped again, \(.replay.mismatched) differ"')

  verdict       $([ "$verdict" = held ] && echo "everything held" || echo "SOMETHING DID NOT HOLD")
REPORT
fi
if [ "$verdict" != held ]; then
    say "clients without loss: exit $good_exit, with loss: exit $bad_exit, replay: exit $replay_exit, server: exit $server_exit"
    tail -n 5 "$work"/*.log >&2
fi

# The page of the match: one file that steps it again and compares every hash, in a browser.
made=$top/build/match.html
why=
if [ "$json" = yes ]; then
    echo "$document"
fi
if [ -n "$page" ]; then
    say "making the page of the match (Ctrl-C leaves it out)"
    trap 'why="left out"' INT
    wait "$page" || why=${why:-$(tail -n 1 "$work/page.log")}
    # What is left out is still being built, and ends with this script.
    [ "$why" = "left out" ] || page=
    [ -n "$why" ] || run_build cmake --build --preset release --target tickbox tickbox-server || why=${why:-its build failed}
    trap 'exit 130' INT
fi
rm -f "$made"
recordings=("$work"/recordings/*.tickbox)
if [ -z "$why" ] && "$bin/tickbox" replay page "${recordings[0]}" -o "$made" --quiet >"$work/page.log" 2>&1; then
    say "see the match again, and verified there, in a browser: file://$made"
else
    say "no page of the match: ${why:-$(tail -n 1 "$work/page.log")}"
fi

if [ "$stay" = yes ]; then
    if serves_page; then say "see the server in a browser: http://$admin/view"; fi
    cat >&2 <<NEXT

The server goes on at $address. Try in another terminal:
  build/release/bin/tickbox connect $address
  build/release/bin/tickbox load $address --clients 200 --seconds 10 --admin $admin
  curl http://$admin/metrics
Ctrl-C ends it.
NEXT
    go_on server || exit 1
fi
[ "$verdict" = held ] || exit 3

#!/usr/bin/env bash
# Runs one server for as long as one likes, recording, with players who stay, come, go and vanish behind bad links, and
# with rooms that open and close. A follower steps a match meanwhile. Compares the memory that the server takes at the end
# with what it took once warm.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/soak.sh [--minutes M] [--clients N] [--bin DIR]

  --minutes M   how long (20 by default, 4 at the least)
  --clients N   who stay all the time (24 by default); eight more come and go, or are killed, three times a minute, and
                one player after the other is in a room that is opened for it and closed while it plays
  --bin DIR     where the programs are (build/release/bin by default, built if it is)

Every ten seconds the server is looked at. At the end: its own memory in the last quarter beside that in the second,
ticks that took longer than they may while the kernel let the server run, views and ticks that differ, players lost,
and what its recordings prove. Ctrl-C ends it early, with what there is. Exit 3 when something does not hold.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/command_line.sh"
cd "$top"
minutes=20 clients=24 bin=''
read_options 'minutes=number clients=number bin=text' "$@"
no_arguments
[ "$minutes" -ge 4 ] || wrong "nothing is warm in less than 4 minutes, not $minutes"

if [ -z "$bin" ]; then
    bin=build/release/bin
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox tickbox-server
fi

# shellcheck source=tests/running_server.sh
. tests/running_server.sh
stopping=no
trap 'stopping=yes' INT TERM

# A signal for this script does not reach the programs that it runs; the script passes it on.
start() { setsid "$@" & }

mkdir "$scratch/recordings" "$scratch/desyncs" "$scratch/guests"
"$bin/tickbox" token keygen --out "$scratch/keys" --quiet
make_admin_token
authorization="Authorization: Bearer $(cat "$scratch/token")"
start "${of_server[@]}" "$bin/tickbox-server" --port 0 --admin-port 0 --json --quiet --rooms arena=2 --shards 2 --max-clients 64 \
    --key-file "$scratch/keys" --admin-token-file "$scratch/token" --record "$scratch/recordings" --record-rotate-time 1m \
    --record-max-bytes 64MiB --desync-dir "$scratch/desyncs" >"$scratch/ready" 2>"$scratch/log"
server=$!
running=("$server")
find_server "$scratch/ready"

readonly net="delay=80ms,jitter=20ms,loss=5%,duplicate=1%,reorder=1%,corrupt=0.1%"
start "${of_others[@]}" "$bin/tickbox" load "$address" --key-file "$scratch/keys" --clients "$clients" --bot mix --net "$net" \
    --seconds $((minutes * 60)) --json --quiet >"$scratch/steady" 2>"$scratch/steady.err"
steady=$!
running+=("$steady")
start "${of_others[@]}" "$bin/tickbox" replay verify --follow "http://$admin" --admin-token-file "$scratch/token" --json --quiet >"$scratch/followed" \
    2>"$scratch/followed.err"
follower=$!
running+=("$follower")

# Ticks that took too long so far.
overruns() { metrics "$admin" "$authorization" | awk '$1 == "tickbox_tick_overruns_total" { print $2 }'; }

# Nanoseconds that the threads of the shards were ready and did not run.
mapfile -t shards < <(grep -lx shard "/proc/$server/task"/*/comm)
kept_waiting() { cat "${shards[@]/%comm/schedstat}" | awk '{ waited += $2 } END { printf "%.0f\n", waited }'; }

# Eight guests for some 14 seconds. Every third party is killed after 9 seconds, without a goodbye.
#   entertain NUMBER
entertain() {
    local number=$1 guest
    "${of_others[@]}" "$bin/tickbox" load "$address" --key-file "$scratch/keys" --clients 8 --bot mix --ramp 2 --seconds 12 --seed "$number" \
        --net "delay=40ms,loss=2%" --json --quiet >"$scratch/guests/$number" 2>/dev/null &
    guest=$!
    if [ $((number % 3)) -eq 0 ]; then
        sleep 9
        kill -KILL "$guest"
        rm -f "$scratch/guests/$number"
    fi
    wait "$guest" || true
}

# One room after the other: somebody plays there while it closes. The rooms are of another game than those that stay.
open_and_close() {
    local room at player
    while ask POST '/rooms?game=bomber' "$admin" "$authorization" >"$scratch/room" && read -r room at <<<"$(jq -er '"\(.room) \(.address)"' "$scratch/room")"; do
        "$bin/tickbox" token issue --key-file "$scratch/keys" --client 4000000000 --server "$at" --room "$room" --expires 1m --out - --quiet |
            "${of_others[@]}" "$bin/tickbox" load "$at" --token - --clients 1 --seconds 60 --json --quiet >"$scratch/in_room" 2>/dev/null &
        player=$!
        sleep 0.5
        ask DELETE "/rooms/$room" "$admin" "$authorization" >"$scratch/room"
        wait "$player" || true
        jq '.clients.connected' "$scratch/in_room" >>"$scratch/rooms"
    done
}
: >"$scratch/rooms"
open_and_close &
rooms=$!
running+=("$rooms")

begin=$SECONDS number=0 guests='' slow=0 waited=$(kept_waiting) unexplained=0
while [ "$stopping" = no ] && kill -0 "$steady" 2>/dev/null && kill -0 "$server" 2>/dev/null; do
    if [ $((number % 2)) -eq 0 ]; then
        [ -z "$guests" ] || wait "$guests" || true
        entertain $((number / 2)) 2>/dev/null &
        guests=$!
    fi
    number=$((number + 1))
    sleep 10 || true
    kill -0 "$server" 2>/dev/null || break
    now_slow=$(overruns) now_waited=$(kept_waiting)
    awk '/^RssAnon/ { print $2 }' "/proc/$server/status" >>"$scratch/memory"
    # Slow ticks are explained if the kernel kept the thread waiting for 12 ms or more for each of them.
    if [ "$now_slow" -gt "$slow" ] && [ $((now_waited - waited)) -lt $(((now_slow - slow) * 12000000)) ]; then
        unexplained=$((unexplained + now_slow - slow))
    fi
    slow=$now_slow waited=$now_waited
    if [ $((number % 6)) -eq 0 ]; then
        echo "$(((SECONDS - begin) / 60)) min: $(tail -n 1 "$scratch/memory") KiB, $slow slow ticks" >&2
    fi
done
[ -z "$guests" ] || wait "$guests" || true
kill "$rooms" 2>/dev/null || rooms=''

failed=0
fail() {
    echo "not ok - $1" >&2
    failed=3
}
# 5: the generator was held up by the others on its processor. Its document is whole.
code=0
[ "$stopping" = no ] || kill -INT "$steady" 2>/dev/null || true
wait "$steady" || code=$?
[ "$code" -eq 0 ] || [ "$code" -eq 5 ] || [ "$stopping" = yes ] || fail "those who stayed ended with $code: $(tail -n 1 "$scratch/steady.err")"
code=0
kill -TERM "$server" 2>/dev/null || true
wait "$server" || code=$?
[ "$code" -eq 0 ] || fail "the server ended with $code: $(tail -n 1 "$scratch/log")"
code=0
wait "$follower" || code=$?
[ "$code" -eq 0 ] || fail "the follower ended with $code: $(tail -n 1 "$scratch/followed.err")"
running=()
[ -n "$rooms" ] || fail "no more rooms opened: $(cat "$scratch/room")"

# Of the samples in the second, or the last, quarter.   median_of FIRST LAST
median_of() { sed -n "$1,$2p" "$scratch/memory" | sort -n | awk '{ of[NR] = $1 } END { print of[int((NR + 1) / 2)] }'; }
samples=$(wc -l <"$scratch/memory")
[ "$samples" -ge 8 ] || { fail "too short to tell: $samples samples"; exit "$failed"; }
warm=$(median_of $((samples / 4 + 1)) $((samples / 2)))
last=$(median_of $((samples * 3 / 4 + 1)) "$samples")
opened=$(wc -l <"$scratch/rooms") played=$(grep -cx 1 "$scratch/rooms" || true)
verified=0
for file in "$scratch"/recordings/*.tickbox; do
    if "$bin/tickbox" replay verify "$file" --quiet >/dev/null 2>"$scratch/verify.err"; then
        verified=$((verified + 1))
    else
        fail "$(basename "$file"): $(tail -n 1 "$scratch/verify.err")"
    fi
done
differ=$(cat "$scratch/steady" "$scratch"/guests/* | jq -s 'map(.state_hash.mismatched) | add')
checked=$(cat "$scratch/steady" "$scratch"/guests/* | jq -s 'map(.state_hash.checked) | add')
lost=$(jq .clients.dropped "$scratch/steady")
[ "$differ" -eq 0 ] || fail "$differ views differ"
[ "$lost" -eq 0 ] || fail "$lost of those who stayed were lost"
[ "$played" -gt 0 ] || fail "nobody played in one of the $opened rooms that opened"
[ "$unexplained" -eq 0 ] || fail "$unexplained ticks took too long while nothing kept the server from running"
[ $((last * 100)) -le $((warm * 101)) ] || fail "memory grew by more than 1 %"
[ -z "$(ls "$scratch/desyncs")" ] || fail "files about desyncs: $(ls "$scratch/desyncs")"
cat <<TEXT
minutes        $(((SECONDS - begin) / 60))
memory         $warm KiB in the second quarter, $last KiB in the last
slow ticks     $slow, of which $unexplained while nothing kept the server from running
views          $checked checked, $differ differ
followed       $(jq .ticks "$scratch/followed") ticks, $(jq .mismatched "$scratch/followed") differ
players        $lost of $clients lost; $((number / 2)) parties of guests
rooms          $opened opened and closed, in $played of them somebody played
recordings     $verified verified
TEXT
exit "$failed"

#!/usr/bin/env bash
# Has a real tickbox-server record the match that every other build steps again: match-*.tickbox here, and match.txt, their list.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/golden/record.sh

A server records for half a minute into three files, one after the other, while clients with every kind of bot come, play and
leave; for a while it may write no more, which leaves a gap. The files and their list in tests/golden are replaced: do
so only when the world shall move differently, or the format is another, and say why in the commit.
Exit: 0 replaced, 1 something did not happen as it should, and nothing is replaced, 2 wrong usage.
USAGE
}

# shellcheck source=tests/golden/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
golden_begin "$@"
tickbox_build_release "$top" tickbox tickbox-server tickbox-golden
bin=build/release/bin

# shellcheck source=tests/running_server.sh
. tests/running_server.sh

fail() {
    echo "tests/golden/record.sh: $1" >&2
    cat "$scratch/server.log" >&2
    exit 1
}

# Waits until the server's log has that number of lines with these words, for half a minute at most.
wait_for() {
    local count=$1 words=$2 left=600
    until [ "$(grep -c -- "$words" "$scratch/server.log")" -ge "$count" ]; do
        left=$((left - 1))
        [ $left -gt 0 ] || fail "no $words"
        sleep 0.05
    done
}

play() {
    "$bin/tickbox" "$@" --quiet >>"$scratch/clients.log" 2>&1 &
    running+=($!)
}

# The log goes through a pipe: the limit that stops the recording below would stop a log file too.
"$bin/tickbox-server" --port 0 --admin-port 0 --json --max-clients 14 --seed 6000011 \
    --record "$scratch/recorded" --record-rotate-time 11s >"$scratch/ready.json" \
    2> >(cat >"$scratch/server.log") &
server=$!
running+=("$server")
find_server "$scratch/ready.json"

play load "$address" --clients 6 --ramp 2 --seconds 24 --bot mix --seed 1
sleep 1
play connect "$address" --seconds 7 --bot chase --net 'delay=40ms,jitter=20ms,loss=20%,seed=3'
sleep 2
play load "$address" --clients 3 --seconds 9 --bot stress --seed 2
sleep 5
play connect "$address" --seconds 4 --bot still

wait_for 2 recording_opened
sleep 1.5
# As on a disk that is full: what is longer than nothing cannot be written. Then there is room again.
prlimit --pid "$server" --fsize=1:
wait_for 1 recording_degraded
play load "$address" --clients 2 --seconds 8 --bot wander --seed 4
sleep 1
prlimit --pid "$server" --fsize=unlimited:
wait_for 1 recording_resumed
sleep 0.5 # until the next keyframe, which ends the gap
play connect "$address" --seconds 5 --bot chase
wait_for 3 recording_opened
sleep 4
# In the midst of play: the last record before the trailer is of less than 100 ms.
kill -TERM "$server"
wait "$server" || fail "it did not end well"

part=0
parts=()
for recorded in "$scratch"/recorded/*.tickbox; do
    parts+=("$scratch/match-$part.tickbox")
    "$bin/tickbox-golden" store "${parts[-1]}" "$recorded"
    part=$((part + 1))
done
"$bin/tickbox-golden" list "$scratch/match.txt" "${parts[@]}"
for happened in ' part 2 ' ' gaps 1 .* joins [1-9]' ' leaves [1-9]' ' made_up [1-9]' ' strikes [1-9]'; do
    grep -q -- "$happened" "$scratch/match.txt" || fail "no$happened in what was recorded"
done
rm -f tests/golden/match-*.tickbox
cp "${parts[@]}" "$scratch/match.txt" tests/golden
"$bin/tickbox-golden" replay tests/golden/match.txt

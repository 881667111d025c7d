#!/usr/bin/env bash
# Looks for faults for as long as asked: the simulator on every processor, seed after seed.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/campaign.sh [--minutes M] [--first-seed S] [--seconds S] [--recorder-kills N] [--server-kills N]
                         [--checks] [--out DIR] [--bin DIR]

  --minutes M      of the clock on the wall (2 by default)
  --first-seed S   begin with this seed (1 by default)
  --seconds S      virtual time of each run (60 by default)
  --recorder-kills N, --server-kills N
                   afterwards, kill -9 a recorder and a whole server under load N times (0 by default)
  --checks         at the beginning, what CI leaves out, on a slow machine too: every test under AddressSanitizer, those
                   with threads under ThreadSanitizer, ten seconds of each fuzz target, clang-tidy over every source, the
                   images and packages built twice, and for arm64
  --out DIR        where the summary and each process's lines go (a new folder under build/ by default)
  --bin DIR        where the programs are (by default build/release/bin, which is then built)

One process for each processor; after each 24 runs a soak of half an hour of virtual time, for what memory does, where
time is left. Ctrl-C ends it early; the summary then says what ran. Exit 3 when something was found.
USAGE
}

# shellcheck source=tests/command_line.sh
. "$(dirname "${BASH_SOURCE[0]}")/command_line.sh"
cd "$top"
minutes=2 first_seed=1 seconds=60 out='' bin='' recorder_kills=0 server_kills=0 checks=''
read_options 'minutes=number12 first-seed=number12 seconds=number12 recorder-kills=number12 server-kills=number12 checks=switch out=text bin=text' "$@"
no_arguments

if [ -n "$checks" ]; then
    tests/run.sh asan --all
    tests/run.sh tsan
    tests/fuzz.sh
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox_schema_headers
    tests/lint.sh --all
    docker/test.sh --twice
    docker/test.sh --arm64
fi
if [ -z "$bin" ]; then
    bin=build/release/bin
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_build_release "$top" tickbox-simulator crash
fi
if [ -z "$out" ]; then
    mkdir -p build
    out=$(mktemp -d "build/campaign-XXXXXX")
fi
mkdir -p "$out"

# Processes take a batch of seeds each, in turn, so that no seed is run twice and none is left out. After each batch
# comes a soak that is long enough to tell whether memory stays where it was.
readonly batch=24 soak_seconds=1800
deadline=$((SECONDS + minutes * 60))
stopping=no
running=()

# shellcheck disable=SC2317 # called by the trap
stop() {
    stopping=yes
    local pid
    for pid in "${running[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
    done
}
trap stop INT TERM

# One processor's share: batches until the time is up. A batch that has to stop ends after its present run.
#   simulate WORKER WORKERS
simulate() {
    local worker=$1 workers=$2 number=0 child='' seed code
    # A Ctrl-C reaches the simulator as well, which then ends after its present run.
    trap 'stopping=yes; [ -z "$child" ] || kill -TERM "$child" 2>/dev/null || true' TERM INT
    while [ "$stopping" = no ] && [ "$SECONDS" -lt "$deadline" ]; do
        seed=$((first_seed + (number * workers + worker) * batch))
        play "batch-$seed" --seed "$seed" --seeds "$batch" --seconds "$seconds"
        [ "$stopping" = yes ] || [ "$SECONDS" -ge "$deadline" ] || play "soak-$seed" --profile soak --seed "$seed" --seconds "$soak_seconds"
        number=$((number + 1))
    done
}

# Runs one simulator to its end. Only simulate() calls it: it uses that function's `child`, `code` and `worker`.
#   play NAME ARGUMENTS
play() {
    local name=$1
    shift
    "$bin/tickbox-simulator" "$@" --json >"$out/$name.json" 2>>"$out/lines-$worker.txt" &
    child=$!
    code=0
    wait "$child" || code=$?
    # A signal interrupts the wait, not the run.
    while kill -0 "$child" 2>/dev/null; do wait "$child" || code=$?; done
    if [ "$code" -ne 0 ] && [ "$code" -ne 3 ] && [ "$stopping" = no ]; then
        echo "tickbox-simulator $*: exit $code" >>"$out/crashes.txt"
    fi
}

run_simulator() {
    local workers worker pid
    workers=$(nproc)
    for ((worker = 0; worker < workers; ++worker)); do
        simulate "$worker" "$workers" &
        running+=("$!")
    done
    for pid in "${running[@]}"; do
        while kill -0 "$pid" 2>/dev/null; do wait "$pid" || true; done
    done
    running=()
}

# Kills begin at another instant each time: the seed says at which.
#   kill_some SUITE COUNT
kill_some() {
    [ "$stopping" = no ] && [ "$2" -gt 0 ] || return 0
    TICKBOX_SEED=$first_seed TICKBOX_RECORDER_KILLS=$2 TICKBOX_SERVER_KILLS=$2 \
        "$bin/crash" --gtest_filter="$1.*" >"$out/$1.txt" 2>&1 &
    running=("$!")
    local code=0
    wait "${running[0]}" || code=$?
    [ "$code" -eq 0 ] || [ "$stopping" = yes ] || echo "$1, seed $first_seed, $2 kills: exit $code" >>"$out/crashes.txt"
    running=()
    echo "$2 of $1: exit $code; $(grep -E 'median|p99|lost' "$out/$1.txt" | tail -n 1)" >>"$out/kills.txt"
}

run_simulator
kill_some RecorderKill "$recorder_kills"
kill_some ServerKill "$server_kills"

find "$out" \( -name 'batch-*.json' -o -name 'soak-*.json' \) -size +0 -print0 | xargs -0 -r cat |
    jq -s '{runs: (map(.runs) | add // 0), virtual_hours: ((map(.virtual_seconds) | add // 0) / 3600 * 100 | round / 100),
        cpu_seconds: (map(.cpu_seconds) | add // 0 | round), views: (map(.views) | add // 0),
        recorded_ticks: (map(.recorded_ticks) | add // 0),
        faults: (map(.faults | to_entries) | flatten | group_by(.key) | map({(.[0].key): (map(.value) | add)}) | add // {}),
        failures: (map(.failures) | flatten)}' >"$out/summary.json"
jq -r '"runs           \(.runs)", "virtual hours  \(.virtual_hours)", "CPU seconds    \(.cpu_seconds)", "views          \(.views)",
    "recorded ticks \(.recorded_ticks)",
    (.faults | to_entries[] | "  \(.key) \(.value)"),
    "failures       \(.failures | length)", (.failures[] | "  \(.command)", (.findings[] | "    \(.checker): expected \(.expected); got \(.got)"))' \
    "$out/summary.json" | tee "$out/summary.txt"
[ ! -e "$out/kills.txt" ] || tee -a "$out/summary.txt" <"$out/kills.txt"
echo "summary in $out"
if [ -s "$out/crashes.txt" ]; then
    echo "did not end as they should:"
    cat "$out/crashes.txt"
    exit 3
fi
[ "$(jq '.failures | length' "$out/summary.json")" -eq 0 ] || exit 3

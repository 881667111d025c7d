#!/usr/bin/env bash
# Spoils copies of the golden file and of the stored match, and looks whether tickbox-golden says what is wrong with them.
#   golden_test.sh PROGRAM
set -euo pipefail

program=$1
here=$(dirname "${BASH_SOURCE[0]}")
golden=$here/hashes.txt
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect EXIT "TEXT SAID" WORD...
expect() {
    local wanted=$1 text=$2 got=0
    shift 2
    "$program" "$@" >"$scratch/said.txt" 2>&1 || got=$?
    if [ "$got" -eq "$wanted" ] && grep -qF -- "$text" "$scratch/said.txt"; then
        echo "ok - $*"
    else
        echo "not ok - $*: exit $got instead of $wanted, or not said: $text"
        cat "$scratch/said.txt"
        failed=1
    fi
}

# The line of a tick of a scene.
line_of() {
    echo $(($(grep -n "^scene $1\$" "$golden" | cut -d : -f 1) + $2))
}

spoiled=$scratch/hashes.txt
pile=$(line_of pile 100)
right=$(sed -n "${pile}p" "$golden")
read -r state report motion <<<"$right"

sed "${pile}s/^.*\$/00000000000000ff $report $motion/" "$golden" >"$spoiled"
expect 3 "pile differs first at tick 100: the state is $state, the file has 00000000000000ff; the motion of all 150 ticks is the same" \
    check "$spoiled" --short
expect 3 "1 of $(grep -c '^scene ' "$golden") scenes differ" check "$spoiled" --short
expect 3 "match: 150 ticks agree" check "$spoiled" --short
sed "${pile}s/^.*\$/$state 000000ff $motion/" "$golden" >"$spoiled"
expect 3 "pile differs first at tick 100: the state is the same, the report is $report, the file has 000000ff" \
    check "$spoiled" --short
sed "${pile}s/^.*\$/$state $report 000000ff/" "$golden" >"$spoiled"
expect 3 "the state and the report are the same; the motion differs first at tick 100: it is $motion, the file has 000000ff" \
    check "$spoiled" --short
sed "$((pile - 50))s/^.*\$/00000000000000ff $report $motion/" "$golden" >"$spoiled"
expect 3 "pile differs first at tick 50: the state is" check "$spoiled" --short
expect 3 "the file has 00000000000000ff; the motion differs first at tick 50: it is" check "$spoiled" --short
sed "${pile}s/ [^ ]*\$//" "$golden" >"$spoiled"
expect 1 "hashes.txt:$pile: no tick of a scene: \"$state $report\"" check "$spoiled" --short
sed "${pile}d" "$golden" >"$spoiled"
expect 3 "pile has 1999 ticks in the file instead of 2000" check "$spoiled" --short
sed "s/^scene pile\$/scene heap/" "$golden" >"$spoiled"
expect 3 "pile is not in the file" check "$spoiled" --short
expect 3 "there is no scene heap any more" check "$spoiled" --short
sed "${pile}s/^./g/" "$golden" >"$spoiled"
expect 1 "hashes.txt:$pile: no tick of a scene: \"g" check "$spoiled" --short
expect 1 "cannot read $scratch/none" check "$scratch/none"
expect 1 "cannot write $scratch/none/file" write "$scratch/none/file"
expect 0 "pile tick 100 state $state report $report motion $motion" show pile 100
expect 2 "unknown scene heap; there are arena" show heap 100
expect 2 "a tick is a number from 0 to 2000, not 2001" show pile 2001
expect 2 "usage:" check
expect 2 "usage:" check "$golden" --shorter
expect 0 "usage:" --help

# Copies of the match, to spoil.
fresh_match() { cp "$here"/match-*.tickbox "$here/match.txt" "$scratch"; }
# Turns one bit of a file's byte.   flip FILE OFFSET
flip() {
    local byte
    byte=$(od -An -t u1 -j "$2" -N 1 "$1")
    printf '%b' "\\x$(printf '%02x' $((byte ^ 1)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

match=$scratch/match.txt
fresh_match
expect 0 "of 3 parts stepped again, all as recorded" replay "$match"
flip "$scratch/match-1.tickbox" 5000
expect 3 "match-1.tickbox is damaged, or holds nothing" replay "$match"
fresh_match
truncate -s -8 "$scratch/match-2.tickbox"
expect 3 "match-2.tickbox is damaged, or holds nothing" replay "$match"
fresh_match
cp "$scratch/match-2.tickbox" "$scratch/match-1.tickbox"
expect 3 "is:       match-1.tickbox part 2 " replay "$match"
fresh_match
sed -i 's/ gaps 1 / gaps 0 /' "$match"
expect 3 "the list: match-1.tickbox part 1 " replay "$match"
fresh_match
sed -i '/^match-2/s/ motion .*/ motion 000000ff/' "$match"
expect 3 "the list: match-2.tickbox part 2 " replay "$match"
rm "$scratch/match-0.tickbox"
expect 1 "cannot read $scratch/match-0.tickbox" replay "$match"
expect 1 "cannot read $scratch/none" replay "$scratch/none"
sed -i '/^match/d' "$match"
expect 3 "names no recording" replay "$match"
fresh_match
expect 0 "3 parts written" list "$match" "$scratch"/match-{0,1,2}.tickbox
if ! cmp "$here/match.txt" "$match"; then
    echo "not ok - the list that is written is the one that is checked"
    failed=1
fi

expect 0 "scenes of 2000 ticks written" write "$spoiled"
if ! cmp "$golden" "$spoiled"; then
    echo "not ok - what is written is what is checked"
    failed=1
fi
exit $failed

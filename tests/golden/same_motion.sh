#!/usr/bin/env bash
# Compares the motion of two scenes in the golden file, tick by tick.
#   same_motion.sh FILE SCENE SCENE
set -euo pipefail

motion_of() { awk -v wanted="$2" '/^scene / { is_wanted = $2 == wanted; next } is_wanted { print $3 }' "$1"; }

ticks=$(motion_of "$1" "$2" | wc -l)
if [ "$ticks" -eq 0 ]; then
    echo "same_motion.sh: no scene $2 in $1" >&2
    exit 2
fi
if diff <(motion_of "$1" "$2") <(motion_of "$1" "$3") >/dev/null; then
    echo "ok - $2 and $3 move alike in all $ticks ticks"
else
    echo "not ok - $2 and $3 move differently, first in tick" \
        "$(cmp -l <(motion_of "$1" "$2" | tr -d '\n') <(motion_of "$1" "$3" | tr -d '\n') 2>/dev/null | awk 'NR == 1 { print int(($1 - 1) / 8) + 1 }')"
    exit 1
fi

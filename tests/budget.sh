#!/usr/bin/env bash
# Fails if a part of the tree has more lines than tests/budget.txt allows, or if a file is in no part.
#   budget.sh           check
#   budget.sh --set     write the lines of each part into the file
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table=tests/budget.txt
sources=$(mktemp)
trap 'rm -f "$sources" "$sources.counted"' EXIT
git ls-files '*.cpp' '*.h' '*.js' '*.html' '*.css' '*.py' '*.sh' '*.in' '*.md' '*.c' '*.lua' >"$sources"
: >"$sources.counted"

over=0
while read -r most files part patterns; do
    [[ $most =~ ^[0-9]+$ ]] || continue
    # The patterns of a row, without what an earlier row has.
    read -ra globs <<<"$patterns"
    mine=$(git ls-files "${globs[@]}" | grep -Fxf "$sources" | grep -vFxf "$sources.counted" || true)
    echo "$mine" >>"$sources.counted"
    lines=0 count=0
    if [ -n "$mine" ]; then
        lines=$(xargs cat <<<"$mine" | wc -l)
        count=$(wc -l <<<"$mine")
    fi
    if [ "${1:-}" = --set ]; then
        sed -i -E "s#^ *[0-9]+ +[0-9]+( +$part )#$(printf '%7d %5d' "$lines" "$count")\1#" $table
    elif [ "$lines" -gt "$most" ] || [ "$count" -gt "$files" ]; then
        echo "$table: $part has $lines lines in $count files; $most in $files are allowed" >&2
        over=1
    fi
done <"$table"
if left=$(grep -vFxf "$sources.counted" "$sources"); then
    echo "$table has no row for: ${left//$'\n'/ }" >&2
    over=1
fi
exit $over

#!/usr/bin/env bash
# Runs clang-tidy over units of compilation, except those that were found clean before with the same text, headers and
# comments included. It does not matter where the files are, so neither a fresh clone nor a move pays again.
#
# From TICKBOX_TIDY_UNTIL on (seconds since 1970), the script writes the names of the units into the file TICKBOX_TIDY_LEFT
# instead.
set -euo pipefail

if [ $# -lt 2 ]; then
    echo "usage: tests/tidy.sh BUILD UNIT... (a build folder, files that its compile_commands.json names)" >&2
    exit 2
fi
build=$1
shift
top=$(pwd)
clean=${XDG_CACHE_HOME:-${HOME:-$top}/.cache}/tickbox-tidy
mkdir -p "$clean"
settings=$(clang-tidy-19 --version | cat - .clang-tidy)

# The text of all files that the command read when it last compiled, as the build noted it; all that it would read, if it
# has not compiled yet.
read_by() {
    local object=${1##* -o }
    local files
    cd "$build"
    files=$(ninja -t deps "${object%% *}" | sed -n 's/^    //p')
    if [ -n "$files" ]; then
        echo "$files" | xargs cat
    else
        eval "${1% -o *} -E -P -C ${1##* -c }" | sed "s|$top||g"
    fi
}

failed=0
for unit in "$@"; do
    command=$(grep -B1 -F "\"file\": \"$unit\"" "$build/compile_commands.json" | sed -n 's/^ *"command": "\(.*\)",$/\1/p' | sed 's/\\"/"/g')
    seen=$( (echo "$settings" "${command//$top/}" && read_by "$command") | sha256sum)
    mark=$clean/${seen%% *}
    if [ -e "$mark" ]; then continue; fi
    if [ -n "${TICKBOX_TIDY_UNTIL:-}" ] && [ "$(date +%s)" -ge "$TICKBOX_TIDY_UNTIL" ]; then
        echo "$unit" >>"$TICKBOX_TIDY_LEFT"
        continue
    fi
    if clang-tidy-19 -p "$build" --quiet --extra-arg=-Wno-ignored-gch "$unit" 2>/dev/null; then touch "$mark"; else failed=1; fi
done
exit "$failed"

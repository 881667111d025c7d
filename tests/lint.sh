#!/usr/bin/env bash
# Checks the format of all sources, the shell scripts, the size of each part of the tree, and by clang-tidy the sources
# that changed.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/lint.sh [--all | --since REV] [--minutes M]

  --since REV   clang-tidy checks what changed since REV of all sources; without this option, what
                the commits of the last day changed of the programs' sources. A source that only
                moved, or only includes other paths, did not change
  --all         clang-tidy checks every source, the tests' too
  --minutes M   the time for clang-tidy: units that it does not reach are counted, and
                tests/campaign.sh --checks reaches them (5, more than an ordinary change
                needs; no limit with --all)

Configures build/tidy, and compiles nothing.
USAGE
}

wrong() {
    echo "tests/lint.sh: $1" >&2
    usage >&2
    exit 2
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
base='' all=no minutes='' sources=('*.cpp')
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit 0
        ;;
    --all) all=yes ;;
    --since)
        base=${2:-}
        git rev-parse --quiet --verify "$base^{commit}" >/dev/null || wrong "--since needs a revision, not '$base'"
        shift
        ;;
    --minutes)
        [[ "${2:-}" =~ ^[1-9][0-9]{0,4}$ ]] || wrong "--minutes takes a number from 1, not '${2:-}'"
        minutes=$2
        shift
        ;;
    *) wrong "unknown: $1" ;;
    esac
    shift
done
[ "$all" = no ] || [ -z "$base" ] || wrong "either --all or --since"
if [ "$all" = no ] && [ -z "$base" ]; then
    base=$(git rev-list -1 --before='1 day ago' HEAD)
    sources=('common/*.cpp' 'server/*.cpp' 'client/*.cpp')
fi
[ "$all" = yes ] || minutes=${minutes:-5}

# shellcheck source=server/packages.sh
. server/packages.sh
tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}" "${TICKBOX_LINT_PACKAGES[@]}"

at_once() { xargs -P "$(nproc)" "$@"; }
git ls-files '*.h' '*.cpp' | at_once -n 100 clang-format-19 --dry-run --Werror
git ls-files '*.sh' .ci/run | at_once -n 8 shellcheck --external-sources
tests/budget.sh

# The hash of what clang-tidy judges of a source: all but blank lines and the paths that it includes.
judged() { { grep -vE '^(#include .*)?$' || true; } | sha256sum; }

# The sources that say something else than at $base, wherever they were then.
changed_sources() {
    local status old new
    git diff -M30% --name-status --diff-filter=d "$base" -- "${sources[@]}" | while IFS=$'\t' read -r status old new; do
        new=${new:-$old}
        if [[ $status == A ]] || [ "$(git show "$base:$old" | judged)" != "$(judged <"$new")" ]; then
            echo "$new"
        fi
    done
}

if [ -z "$base" ]; then
    changed=$(git ls-files "${sources[@]}")
else
    changed=$(changed_sources)
fi
# clang-tidy reads several sources as one unit, as the build compiles them: each alone costs five times as much.
cmake --preset release -B build/tidy --log-level=WARNING >/dev/null
cmake --build build/tidy --target tickbox_schema_headers >/dev/null
marks=$(mktemp -d)
trap 'rm -rf "$marks"' EXIT
sed -n "s|^.|$top/&|p" <<<"$changed" >"$marks/changed"
units=$(sed -n 's|^ *"file": "\(.*\)",*$|\1|p' build/tidy/compile_commands.json | grep -vE 'verify_interface|cmake_pch' |
    sort -u | while read -r unit; do
    # A source that no target of this build compiles (fuzz targets' mains) has no flags to be checked with.
    if grep -qsFf "$marks/changed" <(echo "$unit") "$unit"; then echo "$unit"; fi
done)
touch "$marks/left"
if [ -n "$units" ]; then
    until=${minutes:+$(($(date +%s) + 60 * minutes))}
    echo "$units" | TICKBOX_TIDY_UNTIL=$until TICKBOX_TIDY_LEFT=$marks/left at_once -n 1 tests/tidy.sh build/tidy
fi
count() { grep -c . || true; }
echo "lint: format and scripts checked, $(echo "$changed" | count) sources changed, in $(echo "$units" | count) units for clang-tidy," \
    "$(count <"$marks/left") of them not reached"

#!/usr/bin/env bash
# Checks the format of all sources, the shell scripts, and by clang-tidy the sources that changed.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/lint.sh [--all | --since REV]

Without an option clang-tidy looks at what the commits of the last day changed of the programs' sources; --since at what changed
since a revision; --all at every source, the tests' too. Needs a configured build/release (tests/run.sh makes it).
USAGE
}

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$top"
case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
--all) base='' sources=('*.cpp') ;;
--since) base=${2:?tests/lint.sh: --since needs a revision} sources=('*.cpp') ;;
"") base=$(git rev-list -1 --before='1 day ago' HEAD) sources=('common/*.cpp' 'server/*.cpp' 'client/*.cpp') ;;
*)
    usage >&2
    exit 2
    ;;
esac

# shellcheck source=tests/packages.sh
. tests/packages.sh
tickbox_ensure_packages "${TICKBOX_LINT_PACKAGES[@]}"

git ls-files '*.h' '*.cpp' | xargs clang-format-19 --dry-run --Werror
git ls-files '*.sh' .ci/run | xargs shellcheck --external-sources

if [ -z "$base" ]; then
    changed=$(git ls-files "${sources[@]}")
else
    changed=$(git diff --name-only --diff-filter=d "$base" -- "${sources[@]}")
fi
# A source that no target of this build compiles (fuzz targets' mains) has no flags to be checked with.
tidied=$(for source in $changed; do
    if grep -qF "\"$top/$source\"" build/release/compile_commands.json; then echo "$source"; fi
done)
if [ -n "$tidied" ]; then
    echo "$tidied" | xargs -P "$(nproc)" -n 4 tests/tidy.sh build/release
fi
echo "lint: format and scripts checked, $(echo "$tidied" | grep -c . || true) sources tidied"

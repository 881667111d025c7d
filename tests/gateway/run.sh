#!/usr/bin/env bash
# Installs the gateway's packages and runs its tests, with node's own test runner.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/gateway/run.sh [--quick]

Installs Node and the packages of npm that server/gateway/package-lock.json names (no script of a package runs) into
build/gateway, then runs tests/gateway/*.test.js. Uses loopback only.

  --quick  leaves packages as they are if they are there

Exit: 0 all tests passed, 1 not, 2 wrong usage.
USAGE
}

quick=no
for argument in "$@"; do
    case "$argument" in
    --quick) quick=yes ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        echo "tests/gateway/run.sh: unknown option $argument; there is --quick" >&2
        exit 2
        ;;
    esac
done

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cd "$top"
# shellcheck source=server/packages.sh
. server/packages.sh
missing=()
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
[ ${#missing[@]} -eq 0 ] || tickbox_ensure_packages "${missing[@]}"
major=$(node -p 'process.versions.node.split(".")[0]')
if [ "$major" -lt 18 ]; then
    echo "tests/gateway/run.sh: $(command -v node) is Node $(node --version); the gateway needs 18.20 or later" >&2
    exit 1
fi
# In build/, with a link to it: the checks of the tree read all that is in server/, and do not follow links.
modules=server/gateway/node_modules
if [ "$quick" = no ] || [ ! -d "$modules" ]; then
    mkdir -p build/gateway
    cp server/gateway/package.json server/gateway/package-lock.json server/gateway/.npmrc build/gateway/
    npm ci --ignore-scripts --omit=dev --no-audit --no-fund --prefix build/gateway
    [ -L "$modules" ] || rm -rf "$modules"
    ln -sfn ../../build/gateway/node_modules "$modules"
fi
# One file after the other: some of them measure rates.
status=0
for file in tests/gateway/*.test.js; do
    node --test "$file" || status=1
done
exit "$status"

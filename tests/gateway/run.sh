#!/usr/bin/env bash
# Installs Node and the packages that server/gateway/package-lock.json names into build/gateway (no script of a package
# runs), then runs the tests of the gateway. Loopback only. Exit: 0 all passed, 1 not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=server/packages.sh
. server/packages.sh
missing=()
for program in nodejs:node npm:npm; do
    command -v "${program#*:}" >/dev/null || missing+=("${program%:*}")
done
[ ${#missing[@]} -eq 0 ] || tickbox_ensure_packages "${missing[@]}"
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 18 || (a == 18 && b >= 20) ? 0 : 1)'; then
    echo "tests/gateway/run.sh: the gateway needs Node 18.20 or later, this is $(node --version); install nodejs of Debian 12" >&2
    exit 1
fi
# The checks of the tree read all that is in server/, and do not follow links.
mkdir -p build/gateway
cp server/gateway/package.json server/gateway/package-lock.json server/gateway/.npmrc build/gateway/
npm ci --ignore-scripts --omit=dev --no-audit --no-fund --prefix build/gateway
[ -L server/gateway/node_modules ] || rm -rf server/gateway/node_modules
ln -sfn ../../build/gateway/node_modules server/gateway/node_modules
status=0
for file in tests/gateway/*.test.js; do  # one after the other: they measure rates
    node --test "$file" || status=1
done
exit "$status"

#!/usr/bin/env bash
# Tests the gateway, with Node and the packages that server/gateway/package-lock.json names, which it installs into
# build/gateway. No script of a package runs. Loopback only, but for npm. Exit: 0 all passed, or skipped since the packages are
# not here and npm's registry cannot be reached; 1 not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=server/packages.sh
. server/packages.sh
tickbox_ensure_gateway || exit "$(($? == 3 ? 0 : 1))"
status=0
for file in tests/gateway/*.test.js; do  # one after the other: they measure rates
    node --test "$file" || status=1
done
exit "$status"

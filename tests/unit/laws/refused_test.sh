#!/usr/bin/env bash
# Sources that must not compile: each says in its first lines what the compiler must print.
#   refused_test.sh COMPILER
set -euo pipefail

compiler=$1
folder=$(dirname "${BASH_SOURCE[0]}")/refused
top=$folder/../../../..
failed=0
for source in "$folder"/*.cpp; do
    name=$(basename "$source" .cpp)
    wanted=$(sed -n '\|^// |!q; s|^// ||p' "$source")
    got=0
    said=$("$compiler" -std=c++23 -fsyntax-only -I"$top" -I"$top/common/include" "$source" 2>&1) || got=$?
    if [ "$name" = accepted ]; then
        if [ "$got" -eq 0 ]; then continue; fi
    elif [ "$got" -ne 0 ] && ! grep -vxqF "$(grep -oF "$wanted" <<<"$said")" <<<"$wanted"; then
        echo "ok - $name: $(grep -m1 -F "$wanted" <<<"$said" | sed 's/.*error: //')"
        continue
    fi
    echo "not ok - $name: exit $got, without \"$wanted\""
    echo "$said"
    failed=1
done
exit $failed

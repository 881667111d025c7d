#!/usr/bin/env bash
# Sources that must not compile: each says in its first lines what the compiler must print. Then every member of the interface, misspelt
# and with another signature: the first error is a sentence that names the member.
#   refused_test.sh COMPILER
set -euo pipefail

compiler=$1
folder=$(dirname "${BASH_SOURCE[0]}")/refused
top=$folder/../../../..
failed=0

compile() { "$compiler" -std=c++23 -fsyntax-only -fno-diagnostics-color -I"$top" -I"$top/common/include" "$@" 2>&1; }

for source in "$folder"/*.cpp; do
    name=$(basename "$source" .cpp)
    wanted=$(sed -n '\|^// |!q; s|^// ||p' "$source")
    got=0
    said=$(compile "$source") || got=$?
    if [ "$name" = accepted ] || [ "$name" = every_member ]; then
        if [ "$got" -eq 0 ]; then continue; fi
    elif [ "$got" -ne 0 ] && ! grep -vxqF "$(grep -oF "$wanted" <<<"$said")" <<<"$wanted"; then
        echo "ok - $name: $(grep -m1 -F "$wanted" <<<"$said" | sed 's/.*error: //')"
        continue
    fi
    echo "not ok - $name: exit $got, without \"$wanted\""
    echo "$said"
    failed=1
done

# refuses WHAT MEMBER SED: the first error of the changed source is a sentence that names the member.
refuses() {
    local said got=0 first
    sed "$3" "$folder/every_member.cpp" | cmp -s - "$folder/every_member.cpp" && got=unchanged
    if [ "$got" = 0 ]; then said=$(sed "$3" "$folder/every_member.cpp" | compile -x c++ -) || got=$?; fi
    first=$(grep -m1 -F 'error: ' <<<"${said:-}" | sed 's/.*error: //') || true
    if [ "$got" = 1 ] && grep -qE "^static assertion failed.*: .*\b$2\b" <<<"$first"; then
        echo "ok - $1 $2: $first"
        return
    fi
    echo "not ok - $1 $2: exit $got"$'\n'"${said:-}"
    failed=1
}

must="name version Input Avatar Kinds body top_speed map join"
types="Outcomes Events Commands Results Seat Room Secret BotState"
can=$(sed -nE '/define TICKBOX_DETAIL_HOOKS/,/clang-format/{s/each\(each\)//; s/\beach\((\w+)\)/\n\1\n/gp}' \
    "$top/common/include/tickbox/hooks.h" | grep -E '^\w+$')
for member in $must $can $types; do
    # The first of its lines: of the kind Flag, where each kind has one.
    place="0,/ ${member}[ ({]/"
    refuses "another signature:" "$member" "$place{s/using $member = .*/using $member = int;/
        s/static constexpr .* $member = .*/static constexpr std::nullptr_t $member{};/; s/static .* $member(.*/static void $member(std::nullptr_t) {}/}"
done
for member in $must apply command bot bot_styles; do
    refuses "misspelt:" "$member" "0,/ ${member}[ ({]/s/ $member\([ ({]\)/ ${member}x\1/"
done
exit $failed

#!/usr/bin/env bash
# Compiles rules that use floats, random numbers, clocks and files, and looks whether the scan names the function that does.
#   module_test.sh COMPILER
set -euo pipefail

compiler=$1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect EXIT SCAN NAME WANTED <RULE
#   RULE is the body of Runner's act(). WANTED must be printed.
expect() {
    local wanted_exit=$1 scan=$2 name=$3 wanted=$4 got=0
    {
        printf '#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n#include "tests/unit/laws/breakers.h"\n'
        printf 'using namespace tickbox;\nusing tests::Runner;\n'
        printf 'struct Planted : tests::Tag<tests::Fault::None> {\n'
        printf '  static void act(Entity<Runner> me, tickbox::Step<Planted>& step) { static_cast<void>(step); %s }\n' "$(cat)"
        printf '  static void join(tickbox::Server<Planted>&, Player) {}\n  static void decide(tickbox::Server<Planted>&) {}\n'
        printf '  static void contact(Entity<Runner>, Entity<Runner>, Contact, tickbox::Step<Planted>&) {}\n};\n'
        printf 'const GameTable& planted() { return kGameTable<Planted>; }\n'
    } >"$scratch/planted.cpp"
    "$compiler" -std=c++23 -O2 -I"$top" -I"$top/common/include" -c "$scratch/planted.cpp" -o "$scratch/planted.o"
    "$top/$scan" "$scratch/planted.o" >"$scratch/said.txt" 2>&1 || got=$?
    if [ "$got" -eq "$wanted_exit" ] && grep -q "$wanted" "$scratch/said.txt"; then
        echo "ok - $name: $(grep -m1 "$wanted" "$scratch/said.txt" | sed "s|$scratch/||")"
        return
    fi
    echo "not ok - $name: exit $got instead of $wanted_exit, or without \"$wanted\""
    cat "$scratch/said.txt"
    failed=1
}

rule='me->steps = static_cast<std::int32_t>(me->steps * 0.75);'
expect 1 tests/golden/no_float.sh 'float arithmetic' '::act_alone<tickbox::tests::Runner>' <<<"$rule"
expect 1 common/laws/no_imports.sh 'random numbers' '::act_alone<tickbox::tests::Runner>.* uses rand' <<<'me->steps = std::rand() % 9;'
expect 1 common/laws/no_imports.sh 'a clock' '::act_alone<tickbox::tests::Runner>.* uses clock' <<<'me->steps = std::clock() % 9;'
expect 1 common/laws/no_imports.sh 'a file' '::act_alone<tickbox::tests::Runner>.* uses fopen' <<<'me->steps = std::fopen("steps", "r") != nullptr ? 1 : 0;'
expect 0 common/laws/no_imports.sh 'whole numbers alone' 'none' <<<'++me->steps;'
expect 0 tests/golden/no_float.sh 'no float' 'none' <<<'++me->steps;'
exit $failed

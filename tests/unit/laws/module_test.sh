#!/usr/bin/env bash
# Compiles rules that use floats, random numbers, clocks, files and variables, and looks whether the scan names the function that
# does. A library that the rules call is scanned with them, and no namespace hides a call.
#   module_test.sh COMPILER
set -euo pipefail

compiler=$1
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# judge NAME WANTED_EXIT WANTED SCAN FILE...: runs a scan. WANTED must be printed.
judge() {
    local name=$1 wanted_exit=$2 wanted=$3 scan=$4 got=0
    "$top/$scan" "${@:5}" >"$scratch/said.txt" 2>&1 || got=$?
    if [ "$got" -eq "$wanted_exit" ] && grep -q "$wanted" "$scratch/said.txt"; then
        echo "ok - $name: $(grep -m1 "$wanted" "$scratch/said.txt" | sed "s|$scratch/||")"
        return
    fi
    echo "not ok - $name: exit $got instead of $wanted_exit, or without \"$wanted\""
    cat "$scratch/said.txt"
    failed=1
}

# compile RULE DECLARATION: RULE is the body of Runner's act().
compile() {
    {
        printf '#include <cstdio>\n#include <cstdlib>\n#include <ctime>\n#include "tests/unit/laws/breakers.h"\n'
        printf '%s\nusing namespace tickbox;\nusing tests::Runner;\n' "$2"
        printf 'struct Planted : tests::Tag<tests::Fault::None> {\n'
        printf '  static void act(Entity<Runner> me, tickbox::Step<Planted>& step) { static_cast<void>(step); %s }\n' "$1"
        printf '  static void join(tickbox::Server<Planted>&, Player) {}\n  static void decide(tickbox::Server<Planted>&) {}\n'
        printf '  static void contact(Entity<Runner>, Entity<Runner>, Contact, tickbox::Step<Planted>&) {}\n};\n'
        printf 'const GameTable& planted() { return kGameTable<Planted>; }\n'
    } >"$scratch/planted.cpp"
    "$compiler" -std=c++23 -O2 -g1 -I"$top" -I"$top/common/include" -c "$scratch/planted.cpp" -o "$scratch/planted.o"
}

# expect EXIT SCAN NAME WANTED <RULE
expect() {
    compile "$(cat)" ''
    judge "$3" "$1" "$4" "$2" "$scratch/planted.o"
}

rule='me->steps = static_cast<std::int32_t>(me->steps * 0.75);'
expect 1 tests/golden/no_float.sh 'float arithmetic' '::act_alone<tickbox::tests::Runner>' <<<"$rule"
expect 1 common/package/laws/no_imports.sh 'random numbers' '::act_alone<tickbox::tests::Runner>.* uses rand' <<<'me->steps = std::rand() % 9;'
expect 1 common/package/laws/no_imports.sh 'a clock' '::act_alone<tickbox::tests::Runner>.* uses clock' <<<'me->steps = std::clock() % 9;'
expect 1 common/package/laws/no_imports.sh 'a file' '::act_alone<tickbox::tests::Runner>.* uses fopen' <<<'me->steps = std::fopen("steps", "r") != nullptr ? 1 : 0;'
expect 0 common/package/laws/no_imports.sh 'whole numbers alone' 'none' <<<'++me->steps;'
expect 0 tests/golden/no_float.sh 'no float' 'none' <<<'++me->steps;'
expect 1 tests/golden/no_float.sh 'the line of a float in an inlined rule' \
    'planted.cpp:[0-9]*: .* tickbox::detail::Tables<>::act_alone<tickbox::tests::Runner>(): [a-z]*mul' <<<"$rule"
scan=common/package/laws/no_imports.sh
expect 1 $scan 'a static variable' 'act(.*::calls is a variable' <<<'static int calls = 0; me->steps = ++calls % 9;'
expect 1 $scan 'a variable of a thread' 'act(.*::calls is a variable' \
    <<<'static thread_local int calls = 0; me->steps = ++calls % 9;'
expect 0 $scan 'a constant' 'none' <<<'static constexpr int kOf[] = {1, 2, 3}; me->steps = kOf[me->steps % 3];'
if [ "$(uname -m)" = x86_64 ]; then
    expect 1 $scan 'an instruction that reads a clock' '::act_alone<tickbox::tests::Runner>.* uses the instruction rdtsc' \
        <<<'me->steps = static_cast<std::int32_t>(__builtin_ia32_rdtsc() % 9);'
fi

# A library of the game, in every namespace from which the rules may call something.
for space in studio std tickbox tickbox::detail tickbox::os; do
    declaration="namespace $space { int helped(int); }"
    compile "me->steps = $space::helped(me->steps) % 9;" "$declaration"
    judge "a library in $space that is not scanned" 1 "uses $space::helped" "$scan" "$scratch/planted.o"
    for body in 'static_cast<int>(std::clock())' 'from + 1'; do
        printf '#include <ctime>\n%s\nint %s::helped(int from) { return from > 4 ? 0 : %s; }\n' "$declaration" "$space" "$body" \
            >"$scratch/helper.cpp"
        "$compiler" -std=c++23 -O2 -c "$scratch/helper.cpp" -o "$scratch/helper.o"
        rm -f "$scratch/libhelper.a"
        ar rc "$scratch/libhelper.a" "$scratch/helper.o"
        if [ "$body" = 'from + 1' ]; then
            judge "a library in $space" 0 'none in 2 files' "$scan" "$scratch/planted.o" "$scratch/libhelper.a"
        else
            judge "a clock in a library in $space" 1 "libhelper.a: $space::helped(int) uses clock" "$scan" \
                "$scratch/planted.o" "$scratch/libhelper.a"
        fi
    done
done
# What Tickbox has and no public header declares.
compile 'me->steps = os::now() % 9;' 'namespace tickbox::os { int now(); }'
judge 'a function of Tickbox that is not public' 1 'uses tickbox::os::now()' "$scan" "$scratch/planted.o"
# A name of one file alone answers no call of another file.
compile 'me->steps = static_cast<std::int32_t>(std::clock() % 9);' ''
"$compiler" -x c -c - -o "$scratch/local.o" <<<'static long clock(void) { return 4; } long (*keep(void))(void) { return clock; }'
judge 'a clock beside a static function of that name' 1 'uses clock' "$scan" "$scratch/planted.o" "$scratch/local.o"
exit $failed

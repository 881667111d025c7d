#!/usr/bin/env bash
# Plants floats into objects and looks whether no_float.sh finds each of them, and nothing where there is none.
#   no_float_test.sh COMPILER
set -euo pipefail

compiler=$1
no_float=$(dirname "${BASH_SOURCE[0]}")/no_float.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect EXIT NAME OPTION... <SOURCE
expect() {
    local wanted=$1 name=$2 got=0
    shift 2
    "$compiler" -x c++ -c "$@" - -o "$scratch/planted.o"
    "$no_float" "$scratch/planted.o" >"$scratch/said.txt" || got=$?
    if [ "$got" -eq "$wanted" ]; then
        echo "ok - $name"
    else
        echo "not ok - $name: exit $got instead of $wanted"
        cat "$scratch/said.txt"
        failed=1
    fi
}

for level in -O0 -O2; do
    expect 1 "arithmetic $level" $level <<<'double f(double a) { return a * 3; }'
    expect 1 "single precision $level" $level <<<'float f(float a, float b) { return a - b; }'
    expect 1 "division $level" $level <<<'float f(float a, float b) { return a / b; }'
    expect 1 "comparison $level" $level <<<'bool f(double a, double b) { return a < b; }'
    expect 1 "from a whole number $level" $level <<<'double f(long a) { return a; }'
    expect 1 "to a whole number $level" $level <<<'int f(float a) { return static_cast<int>(a); }'
    expect 1 "from float to double $level" $level <<<'double f(float a) { return a; }'
    expect 1 "square root $level" $level <<<'double f(double a) { return __builtin_sqrt(a); }'
    expect 1 "library call $level" $level <<<'double f(double a) { return __builtin_sin(a); }'
    expect 1 "minimum $level" $level <<<'float f(float a, float b) { return a < b ? a : b; }'
    expect 1 "long double $level" $level <<<'long double f(long double a) { return a + 1; }'
    expect 1 "hidden among whole numbers $level" $level <<<'int f(int a) { return static_cast<int>(a * 0.75) + 1; }'
done
loop_of() {
    echo "void f($1* a, const $1* b) { for (int i = 0; i < 256; ++i) a[i] = a[i] * b[i] + b[i]; }"
}
expect 1 "a loop made a vector" -O3 < <(loop_of float)
expect 0 "a loop of whole numbers made a vector" -O3 < <(loop_of int)
expect 0 "a loop of 64-bit numbers made a vector" -O3 < <(loop_of long)
if [ "$(uname -m)" = x86_64 ]; then
    expect 1 "fused arithmetic" -O3 -mfma < <(loop_of double)
    expect 1 "a wide vector" -O3 -mavx512f < <(loop_of float)
    expect 0 "a wide vector of whole numbers" -O3 -mavx512f < <(loop_of int)
    expect 1 "quadruple precision in software" -O2 <<<'__float128 f(__float128 a) { return a + 1; }'
fi
expect 0 "copies" -O2 <<<'struct Four { double v[4]; }; void f(Four& a, const Four& b) { a = b; }'
expect 0 "division of whole numbers" -O2 <<<'long f(long a, long b) { return a / b + a % b; }'
expect 0 "copies and comparisons of memory" -O2 <<<'int f(const char* a, const char* b) { return __builtin_memcmp(a, b, 64); }'

exit $failed

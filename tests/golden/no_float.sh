#!/usr/bin/env bash
# Looks for floating-point instructions in object files: arithmetic, comparisons, conversions, and calls that do these.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/golden/no_float.sh FILE...

FILE is an object or an archive, of x86-64, AArch64 or 32-bit ARM; OBJDUMP, NM and LD name the tools to read it with. Moves are no
finding: compilers copy whole numbers through the same registers, and what is only moved changes no result.
Exit: 0 none found, 1 some found or not one instruction, 2 wrong usage, or a file that cannot be read or is of another processor.
USAGE
}

case "${1:-}" in
-h | --help)
    usage
    exit 0
    ;;
"" | -*)
    usage >&2
    exit 2
    ;;
esac

objdump=${OBJDUMP:-objdump}
nm=${NM:-nm}
ld=${LD:-ld}
headers=$("$objdump" -f "$@") || exit 2

# `floats` are the instructions looked for, `moves` those of them that only move.
case $headers in
*elf64-x86-64*)
    # x87; then, with and without AVX's v: conversions, arithmetic and comparisons of scalars and vectors of halves, singles and
    # doubles; fused arithmetic. Logic, shuffles and moves of them (xorps, unpcklpd, movaps) serve whole numbers too. String
    # instructions are safe: objdump calls them cmpsl, not cmpsd.
    arithmetic='add|sub|mul|div|sqrt|rsqrt|rcp|min|max|addsub|hadd|hsub|dp|round|u?comi|cmp[a-z_0-9]*'
    wide='rndscale|reduce|range|scalef|getexp|getmant|rcp14|rsqrt14|rcp28|rsqrt28|exp2'
    floats="^(f[a-z0-9]+|v?cvt[a-z0-9]+|v?($arithmetic|$wide)(ss|sd|sh|ps|pd|ph)|vf[a-z0-9]+)\$"
    moves='^$'
    ;;
*elf64-littleaarch64*)
    floats='^(f[a-z0-9]+|[su]cvtf)$'
    moves='^fmov$'
    ;;
*elf32-littlearm*)
    # vcmp.f64 and all others carry the type.
    floats='\.f(16|32|64)|^vcvt'
    moves='^vmov'
    ;;
*)
    echo "tests/golden/no_float.sh: no list of instructions for these files; there are x86-64, AArch64 and ARM" >&2
    exit 2
    ;;
esac

# In an object each function can be a section of its own, and all of them begin at 0. objdump then looks through all names
# for that of an address, which takes minutes. Linked, each function has an address of its own. Of a function that several
# objects have, one is kept, as in a program.
linked=$(mktemp)
trap 'rm -f "$linked"' EXIT
"$ld" --unresolved-symbols=ignore-all --defsym=__dso_handle=0 --entry=0 --whole-archive "$@" -o "$linked" || exit 2

found=0
# shellcheck disable=SC2016 # awk's fields
"$objdump" --disassemble --line-numbers --no-show-raw-insn --demangle --wide "$linked" | awk -F '\t' -v floats="$floats" -v moves="$moves" '
    # The name of a function of a template, with its last arguments alone.
    function short(name, i, c, depth, held, text) {
        gsub(/\(anonymous namespace\)/, "{anonymous}", name)
        for (i = 1; (c = substr(name, i, 1)) != ""; ++i) {
            if (c == "<" && depth++ == 0) held = ""
            if (depth == 0) { text = text c } else { held = held c }
            if (c == ">" && --depth == 0) text = text (substr(name, i + 1, 2) == "::" ? "<>" : held)
        }
        sub(/\(.*/, "()", text)
        return text
    }
    # Before the instructions of a line of the source, if the object has lines.
    /^[^ \t].*:[0-9]+( \(discriminator [0-9]+\))?$/ { line = $0; sub(/ \(.*/, "", line); next }
    /^[0-9a-f]+ <.*>:$/ { function_name = $0; sub(/^[^<]*</, "", function_name); sub(/>:$/, "", function_name); line = "" }
    /^ *[0-9a-f]+:\t/ {
        ++instructions
        count = split($2, words, " ")
        for (i = 1; i < count && words[i] ~ /^(lock|rep[a-z]*|notrack|bnd|data16|addr32|[c-g]s|rex[.A-Z]*|\{.*\})$/;) ++i
        if (words[i] ~ floats && words[i] !~ moves) {
            sub(/[ ]*#.*/, "", $2)
            ++hits
            print (line == "" ? "" : line ": ") short(function_name) ": " $2
        }
    }
    END {
        if (instructions == 0) print "tests/golden/no_float.sh: not one instruction in these files"
        if (hits == 0) print "no_float: none in " instructions " instructions"
        else print "These instructions work with floats, whose results may differ by compiler and processor: use whole numbers"
        exit hits > 0 || instructions == 0
    }' || found=1

# Functions of the C library, and those of compilers for processors and types without instructions for it: __adddf3, __fixtfdi,
# __aeabi_dadd.
functions='sqrt|cbrt|pow|exp2?|expm1|log|log2|log10|log1p|a?(sin|cos|tan)h?|atan2|hypot|floor|ceil|l?l?round|trunc|l?l?rint|nearbyint'
functions+='|fmod|remainder|fabs|fma|fmin|fmax|ldexp|frexp|modf|copysign'
calls="^(($functions)[fl]?|__[a-z]*(sf|df|xf|tf)[a-z]*[0-9]?|__aeabi_([df](add|sub|mul|div|rsub|cmp|2)|c[df]|u?[il]2[df])[a-z0-9]*)\$"
if "$nm" --undefined-only --format=posix "$@" | cut -d ' ' -f 1 | sort -u | grep -E "$calls"; then
    echo "are called, and work with floats, whose results may differ by compiler and processor: use whole numbers"
    found=1
fi
exit $found

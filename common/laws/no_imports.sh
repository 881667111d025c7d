#!/usr/bin/env bash
# Looks in the object files of a game for calls of what its rules must not use: clocks, random numbers, files, threads, output.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: common/laws/no_imports.sh OBJECT...

Each OBJECT is an object file of a game, compiled without sanitizers. A game may call Tickbox, its own functions, memory functions and
what the compiler itself calls. Every other call is printed with the function that makes it. OBJDUMP and NM name the tools.
Exit: 0 none found, 1 some found, 2 wrong usage or a file that cannot be read.
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

# Tickbox (its functions are in namespace tickbox), new and delete, memory, exceptions of the standard library's containers, the
# protection of the stack, and what ends a process.
allowed='^(_ZNK?7tickbox|_ZNK?St6vectorI.*N7tickbox|_Z(nw|na|dl|da)|mem(cpy|move|set|cmp|chr)$|strlen$|_ZSt[0-9]+__throw_|_ZSt9terminatev$'
allowed+='|__cxa_(begin|end)_catch|__cxa_rethrow|__gxx_personality|_Unwind_|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|DW\.ref\.)'

# The objects may call each other.
own=$("$nm" --defined-only --format=posix "$@" | cut -d ' ' -f 1 | sort -u) || exit 2

found=0
for object in "$@"; do
    undefined=$("$nm" --undefined-only --format=posix "$object" | cut -d ' ' -f 1 | sort -u) || exit 2
    refused=$(grep -vE "$allowed" <<<"$undefined" | grep -vxF -f <(echo "$own") | sed '/^$/d' || true)
    if [ -z "$refused" ]; then continue; fi
    found=1
    # Each line with a relocation follows the instruction of the function that makes the call.
    "$objdump" --disassemble --reloc --no-show-raw-insn --wide "$object" |
        REFUSED=$refused awk -v object="$object" '
        BEGIN {
            count = split(ENVIRON["REFUSED"], names, "\n")
            for (i = 1; i <= count; ++i) refused[names[i]] = 1
        }
        /^[0-9a-f]+ <.*>:$/ { caller = $0; sub(/^[^<]*</, "", caller); sub(/>:$/, "", caller) }
        / R_[A-Z0-9_]+\t/ {
            name = $NF
            sub(/[-+]0x[0-9a-f]+$/, "", name)
            if (name in refused && !((caller, name) in told)) {
                told[caller, name] = 1
                print object ": " caller " uses " name
            }
        }' | c++filt
done
[ "$found" -ne 0 ] || echo "no_imports: none in $# objects"
exit $found

#!/usr/bin/env bash
# Looks in the object files and archives of a game for what its rules must not use: clocks, random numbers, files, threads, output,
# and variables that are no constants.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: common/package/laws/no_imports.sh FILE...

Each FILE is an object file of a game, or an archive that it links, compiled without sanitizers. These files may call each other, the
functions that the public headers of Tickbox declare, memory functions and what the compiler itself calls. Every other call is printed
with the function that makes it, whatever its namespace. So are instructions that read a clock or random numbers or call the system,
and variables that are no constants. OBJDUMP and NM name the tools.
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

# What the public headers declare (not all of Tickbox: it has clocks and files too), new and delete, memory, exceptions of the
# standard library's containers, the protection of the stack, and what ends a process.
allowed='^(_ZNK?7tickbox(6detail(6Moment|7AnyStep|9AnyServer|10AnyBotView|12out_of_range)|10MapBuilder|5aimed)'
allowed+='|_Z(nw|na|dl|da)|mem(cpy|move|set|cmp|chr)$|bcmp$|strlen$|_ZSt[0-9]+__throw_|_ZSt9terminatev$'
allowed+='|__cxa_(begin|end)_catch|__cxa_rethrow|__gxx_personality|_Unwind_|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|DW\.ref\.)'

# names OPTION... FILE...: the symbols of files. Names of files end in a colon.
names() { "$nm" --format=posix "$@" | sed '/:$/d; s/ .*//' | sort -u; }

# What one file defines for all others. A name that is static in its file is no answer to another file's call.
own=$(names --defined-only --extern-only "$@") || exit 2

found=0
for file in "$@"; do
    undefined=$(names --undefined-only "$file") || exit 2
    refused=$(grep -vE "$allowed" <<<"$undefined" | grep -vxF -f <(echo "$own") | sed '/^$/d' || true)
    # Each line with a relocation follows the instruction of the function that makes the call.
    said=$("$objdump" --disassemble --line-numbers --reloc --no-show-raw-insn --wide "$file" |
        REFUSED=$refused awk -v file="$file" '
        BEGIN {
            count = split(ENVIRON["REFUSED"], names, "\n")
            for (i = 1; i <= count; ++i) refused[names[i]] = 1
            instruction = "^(rdtscp?|rdrand|rdseed|rdpmc|rdpid|cpuid|syscall|sysenter|svc)$"
            register = "cntp?v?ct(ss)?_el0|rndr"
        }
        function tell(name) {
            if (!((caller, name) in told)) print (line == "" ? file : line) ": " caller " uses " name
            told[caller, name] = 1
        }
        /^[0-9a-f]+ <.*>:$/ { caller = $0; sub(/^[^<]*</, "", caller); sub(/>:$/, "", caller); line = "" }
        # Before the instructions of a line of the source, if the file has lines.
        /^[^ \t].*:[0-9]+( \(discriminator [0-9]+\))?$/ { line = $0; sub(/ \(.*/, "", line) }
        /^ *[0-9a-f]+:\t/ {
            split($0, columns, "\t")
            split(columns[2], words, " ")
            if (words[1] ~ instruction || columns[2] columns[3] ~ "mrs.*(" register ")") tell("the instruction " words[1])
        }
        / R_[A-Z0-9_]+\t/ {
            name = $NF
            sub(/[-+]0x[0-9a-f]+$/, "", name)
            if (name in refused) tell(name)
        }')
    # Writable sections hold variables; tables of constants with addresses are in .data.rel.ro. Without optimisation g++ puts the
    # constant `keys` of a game among the variables.
    variables=$("$objdump" --syms --wide "$file" |
        awk -v file="$file" '
        match($0, /( O \.(data|bss)|  \.(tdata|tbss))[^ \t]*\t/) && !/ O \.data\.rel\.ro/ && $NF !~ /^(_ZGV|DW\.ref\.)|4keysE$/ {
            print file ": " $NF " is a variable: make it a constant (constexpr), or a part of the state"
        }')
    # What nobody relocates by name, such as a call from a table, is printed without its caller.
    for name in $refused; do
        grep -qF " uses $name" <<<"$said" || said+=$'\n'"$file: uses $name"
    done
    if [ -z "$said$variables" ]; then continue; fi
    found=1
    printf '%s\n%s\n' "$said" "$variables" | sed '/^$/d' | c++filt
done
[ "$found" -ne 0 ] || echo "no_imports: none in $# files"
exit $found

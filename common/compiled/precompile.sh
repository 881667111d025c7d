#!/usr/bin/env bash
# Runs clang, and writes beside a precompiled header, in FILE.sum, a checksum of all that went into it: the compiler's
# version, the options and the text of each header.
#
# clang stores paths of the checkout in FILE. So ccache takes FILE.sum in its place (pch_external_checksum), and finds what
# another checkout has compiled with the same headers. FILE itself serves one checkout alone, so it is never cached.
#   common/compiled/precompile.sh COMPILER OPTION...
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
command=("$@")
while [ $# -gt 1 ]; do
    case $1 in
    -MF) depfile=$2 ;;
    -o) output=$2 ;;
    esac
    shift
done

"${command[@]}"
if [[ $output == *.pch ]]; then
    inputs=$("${command[0]}" --version && echo "${command[*]}" && sed 's/^[^:]*://; s/\\$//' "$depfile" | xargs sha256sum)
    inputs=${inputs//"$PWD/"/}
    sha256sum <<<"${inputs//"$top/"/}" >"$output.sum"
fi

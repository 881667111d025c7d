#!/usr/bin/env bash
# Joins a page and its parts into one HTML file that requests nothing else.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: common/pages/join.sh OUT PAGE.html [NAME=FILE ...]

A line of the page that is one of these comments is replaced. A file is one of the page's folder, or the NAME of one.

  <!-- policy TEXT -->        the content policy, with the hashes in place of SCRIPTS and STYLES
  <!-- style FILE... -->      the styles
  <!-- script FILE... -->     one script of all files
  <!-- data ID FILE -->       the compressed bytes of a file, as the text of the element ID
  <!-- text ID FILE -->       a text for readers, as the text of the element ID
USAGE
}

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
    usage
    exit 0
fi
if [ $# -lt 2 ]; then
    usage >&2
    exit 2
fi
out=$1 page=$2
shift 2
declare -A named=()
for pair in "$@"; do named[${pair%%=*}]=${pair#*=}; done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The path of a file that the page names.
path_of() { echo "${named[$1]:-$(dirname "$page")/$1}"; }

# The hash of a file, as a content policy writes it.
hash_of() {
    local hex
    hex=$(sha256sum <"$1")
    # shellcheck disable=SC2001,SC2059 # the format is the bytes
    printf "'sha256-%s'" "$(printf "$(sed 's/../\\x&/g' <<<"${hex%% *}")" | base64)"
}

# An element whose text is that of the files.   element TAG FILE...
element() {
    local tag=$1 text=$scratch/$1 file
    shift
    echo >"$text"
    for file in "$@"; do cat "$(path_of "$file")" >>"$text"; done
    if grep -qi "</$tag" "$text"; then
        echo "join.sh: $* would end its own element <$tag>" >&2
        exit 1
    fi
    if [ "$tag" = script ]; then scripts+=" $(hash_of "$text")"; else styles+=" $(hash_of "$text")"; fi
    { echo -n "<$tag>" && cat "$text" && echo "</$tag>"; } >>"$scratch/page"
}

scripts='' styles=''
while IFS= read -r line; do
    read -ra words <<<"$line"
    # Without "<!--", the kind, and "-->".
    parts=("${words[@]:2}")
    [ ${#parts[@]} -eq 0 ] || unset 'parts[-1]'
    case $line in
    '<!-- style '*) element style "${parts[@]}" ;;
    '<!-- script '*) element script "${parts[@]}" ;;
    '<!-- data '*)
        {
            echo -n "<script type=\"application/octet-stream\" id=\"${parts[0]}\">"
            gzip -9nc "$(path_of "${parts[1]}")" | base64 -w 0
            echo "</script>"
        } >>"$scratch/page"
        ;;
    '<!-- text '*)
        {
            echo "<script type=\"text/plain\" id=\"${parts[0]}\">"
            cat "$(path_of "${parts[1]}")"
            echo "</script>"
        } >>"$scratch/page"
        ;;
    *) printf '%s\n' "$line" >>"$scratch/page" ;;
    esac
done <"$page"

# The hashes are known at last.
policy=$(sed -n 's/^<!-- policy \(.*\) -->$/\1/p' "$page")
policy=${policy//SCRIPTS/${scripts# }}
policy=${policy//STYLES/${styles# }}
while IFS= read -r line; do
    case $line in
    '<!-- policy '*) echo "<meta http-equiv=\"Content-Security-Policy\" content=\"$policy\">" ;;
    *) printf '%s\n' "$line" ;;
    esac
done <"$scratch/page" >"$scratch/joined"
mv "$scratch/joined" "$out"

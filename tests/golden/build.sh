# Sourced by the scripts here: builds tickbox-golden without CMake, for compilers and options that no preset has, and asks it.
# shellcheck shell=bash

# Goes to the top of the tree, `top`, for a script that takes no option but --help and has usage().
golden_begin() {
    case "${1:-}" in
    "") ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
    cd "$top" || exit 1
    # shellcheck source=server/packages.sh
    . server/packages.sh
    tickbox_share_cache "$top"
}

# Compiles again only what changed, where ccache is there.
golden_launcher=()
if command -v ccache >/dev/null; then
    golden_launcher=(ccache)
fi

# golden_build FOLDER COMPILER OPTION...
#   Compiles the libraries that tickbox-golden needs into FOLDER, as many files at once as there are processors, and links them.
golden_build() {
    local folder=$1
    shift
    mkdir -p "$folder"
    rm -f "$folder"/{*.cpp,*.o,tickbox-golden}
    # Each library is one source, which includes all of the library's sources: these share most of what they include.
    # Each game is a source of its own, because two of them use the same names.
    local part name
    for part in common/{core,sim,engine,views,bots,package/laws,record} common/games/{*/,*.cpp} tests/golden; do
        name=${part%/}
        name=${name%.cpp}
        # Other processors have no zstd: tests/golden/no_compression.cpp stands in for what needs it.
        find "$part" -name '*.cpp' ! -name compression.cpp | sort | sed 's|.*|#include "&"|' >"$folder/${name//\//-}.cpp"
    done
    # Objects are named by their paths.
    # shellcheck disable=SC2016 # expanded by the shell that xargs starts
    printf '%s\0' "$folder"/*.cpp tests/support/menagerie.cpp |
        xargs -0 -P "$(nproc)" -I{} bash -c '
        source=$1 folder=$2
        shift 2
        "$@" -std=c++23 -I. -Icommon -Icommon/include -c "$source" -o "$folder/$(echo "${source#"$folder"/}" | sed "s|/|-|g; s|cpp$|o|")"' \
        _ {} "$folder" "${golden_launcher[@]}" "$@"
    "$@" "$folder"/*.o -o "$folder/tickbox-golden"
}

golden_names=()   # of the builds that were asked
golden_folders=() # where their answers are
golden_pids=()

# golden_all HOW COMMAND...
#   Has tickbox-golden, run by COMMAND, check all scenes, HOW being --short or nothing, and replay the stored match.
golden_all() {
    local how=$1
    shift
    "$@" check tests/golden/hashes.txt ${how:+"$how"} &&
        "$@" replay tests/golden/match.txt
}

# golden_ask NAME FOLDER COMMAND...
#   Runs `COMMAND...` in the background, so that the next build need not wait.
golden_ask() {
    golden_names+=("$1")
    golden_folders+=("$2")
    shift 2
    "$@" >"${golden_folders[-1]}/said.txt" 2>&1 &
    golden_pids+=($!)
}

# Waits for all that were asked, and says what each answered. Fails where one disagrees.
golden_answers() {
    local i failed=0
    for i in "${!golden_names[@]}"; do
        if wait "${golden_pids[$i]}"; then
            echo "ok - ${golden_names[$i]}: $(grep -c 'agree$' "${golden_folders[$i]}/said.txt") scenes agree," \
                "$(sed -n 's/^.*: \(.*\) stepped again, all as recorded$/\1/p' "${golden_folders[$i]}/said.txt") of a recorded match"
        else
            failed=1
            echo "not ok - ${golden_names[$i]}:"
            grep -v -e 'agree$' -e 'all as recorded$' "${golden_folders[$i]}/said.txt"
        fi
    done
    return $failed
}

# Sourced by the scripts here: builds tickbox-golden without CMake, for compilers and options that no preset has, and asks it.
# shellcheck shell=bash

# Compiles again only what changed, where ccache is there.
golden_launcher=()
if command -v ccache >/dev/null; then
    golden_launcher=(ccache)
fi

# golden_build FOLDER COMPILER OPTION...
#   Compiles the rooms that tickbox-golden needs into FOLDER, as many files at once as there are processors, and links them.
golden_build() {
    local folder=$1
    shift
    mkdir -p "$folder"
    rm -f "$folder"/*.o "$folder/tickbox-golden"
    # Objects are named by their paths, as rooms have files of the same name.
    # shellcheck disable=SC2016 # expanded by the shell that xargs starts
    find common/core common/sim common/game tests/golden -name '*.cpp' -print0 | xargs -0 -P "$(nproc)" -I{} bash -c '
        source=$1 folder=$2
        shift 2
        "$@" -std=c++23 -I. -Icommon -c "$source" -o "$folder/$(echo "${source%.cpp}" | tr / -).o"' \
        _ {} "$folder" "${golden_launcher[@]}" "$@"
    "$@" "$folder"/*.o -o "$folder/tickbox-golden"
}

golden_names=()   # of who was asked
golden_folders=() # where their answers are
golden_pids=()

# golden_ask NAME FOLDER COMMAND...
#   Runs `COMMAND... check` in the background, so that the next build need not wait.
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
            echo "ok - ${golden_names[$i]}: $(grep -c 'agree$' "${golden_folders[$i]}/said.txt") scenes agree"
        else
            failed=1
            echo "not ok - ${golden_names[$i]}:"
            grep -v 'agree$' "${golden_folders[$i]}/said.txt"
        fi
    done
    return $failed
}

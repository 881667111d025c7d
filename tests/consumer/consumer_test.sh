#!/usr/bin/env bash
# Installs a build to a prefix of its own, moves the prefix, and builds, checks, serves, loads and replays a game with
# nothing but that prefix.
#   consumer_test.sh BUILD COMPILER
set -euo pipefail

build=$1 compiler=$2
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=tests/running_server.sh
. "$top/tests/running_server.sh"
# The options of the programs are those below; the times are those of a compiler without a cache.
unset "${!TICKBOX_@}"
export CCACHE_DISABLE=1
failed=0

ok() { echo "ok - $1"; }
not_ok() {
    echo "not ok - $1"
    failed=1
}
# check NAME COMMAND...: whether the command succeeds; its output is shown if not.
check() {
    if "${@:2}" >"$scratch/said.txt" 2>&1; then
        ok "$1"
    else
        not_ok "$1"
        tail -n 40 "$scratch/said.txt"
    fi
}
# refused NAME WORDS COMMAND...: whether the command fails and prints the words.
refused() {
    if "${@:3}" >"$scratch/said.txt" 2>&1; then
        not_ok "$1: it succeeded"
    elif tr -s ' \n' ' ' <"$scratch/said.txt" | grep -qF "$2"; then
        ok "$1"
    else
        not_ok "$1: without \"$2\""
        tail -n 40 "$scratch/said.txt"
    fi
}
# seconds_of COMMAND...: how long it takes. Its output goes to a file.
seconds_of() {
    local start=$EPOCHREALTIME
    "$@" >"$scratch/said.txt" 2>&1 || {
        cat "$scratch/said.txt" >&2
        return 1
    }
    awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - start }'
}

cmake --install "$build" --prefix "$scratch/first" >/dev/null
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name tickbox.pc)")

check 'include has the public headers and nothing else' \
    diff <(cd "$top/common/include" && printf '%s\n' tickbox/*.h | sort) <(cd "$prefix/include" && find . -type f | sed 's|^\./||' | sort)
# dead_links FOLDER: prints the links of its documents that lead to no file. Fails if there is one.
# shellcheck disable=SC2016,SC2317 # backticks of documents; called by check
dead_links() {
    local document target dead=0
    while IFS= read -r document; do
        while IFS= read -r target; do
            [ -e "$(dirname "$document")/$target" ] && continue
            echo "$document links to $target"
            dead=1
        done < <(sed '/^ *```/,/^ *```/d' "$document" | grep -oP '\]\(\K[^)#: ]+')
    done < <(find "$1" -name '*.md')
    return "$dead"
}
check 'the tutorial is installed' test -f "$prefix/share/doc/tickbox/common/include/tickbox/README.md"
check 'every link of the documents leads to a file' dead_links "$prefix/share/doc/tickbox"
check 'the installed client runs' "$prefix/bin/tickbox" --version
check 'the installed server runs' "$prefix/bin/tickbox-server" --version
# shellcheck disable=SC2016 # bash -c expands them
check 'no file for CMake or pkg-config names a folder of this machine' \
    bash -c '! grep -rlF -e "$1" -e "$2" "$3" --include="*.cmake" --include="*.pc"' - "$top" "$scratch" "$prefix"

# The game, by CMake.
game=$scratch/game bin=$scratch/game/build
cp -r "$top/tests/consumer/tag" "$game"
# shellcheck disable=SC2317 # called by seconds_of
configure() {
    cmake -S "$1" -B "$2" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" \
        -DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror' "${@:3}"
}
echo "figure: a clean build configures in $(seconds_of configure "$game" "$bin") s"
echo "figure: and compiles and links its three programs, and its page, in $(seconds_of cmake --build "$bin") s"
check 'the laws hold, and the code has no float and no clock' ctest --test-dir "$bin" --output-on-failure --no-tests=error
check 'the client says which game it is' grep -q '^tag 1, tickbox 0\.2\.' <("$bin/tag" --version)
check 'the server says which game it is' grep -q '^tag 1, tickbox 0\.2\.' <("$bin/tag-server" --version)
refused 'the server has no other game' 'it has tag' "$bin/tag-server" --game another
refused 'and says its own name' 'tag-server: unknown option --prot' "$bin/tag-server" --prot 1
check 'the client suggests itself' grep -q 'Example: tag load ' <("$bin/tag" load --help)

# From a change of the source to a server that clients can reach.
start=$EPOCHREALTIME
touch "$game/tag.cpp"
cmake --build "$bin" --target tag-server >"$scratch/said.txt"
"$bin/tag-server" --port 0 --admin-port 0 --tick-rate 20 --max-clients 64 --record "$scratch/recordings" --json \
    >"$scratch/ready" 2>"$scratch/server.log" &
server=$!
running+=("$server")
find_server "$scratch/ready"
echo "figure: a changed source is served after $(awk -v start="$start" -v end="$EPOCHREALTIME" 'BEGIN { printf "%.1f", end - start }') s"

loaded=0
"$bin/tag" load "$address" --clients 8 --seconds 3 --bot tag --admin "$admin" --json --quiet \
    >"$scratch/load.json" 2>"$scratch/load.log" || loaded=$?
# 5: this machine was too busy to judge the server.
if [ "$loaded" -ne 0 ] && [ "$loaded" -ne 5 ]; then cat "$scratch/load.log"; fi
check 'eight bots play, and no hash differs' \
    jq -se 'last | .clients.connected == 8 and .clients.dropped == 0 and .state_hash.mismatched == 0 and .state_hash.checked > 100' \
    "$scratch/load.json"
# The client of the game as a library for engines, from C.
check 'the game is installed' cmake --install "$bin" --prefix "$scratch/engine"
# engine_by NAME WORD...: compiles engine.c with the flags that pkg-config gives for these words, and plays.
# shellcheck disable=SC2317 # called by check
engine_by() {
    local paths
    paths=$(dirname "$(find "$scratch/engine" -name tag_client.pc)"):$PKG_CONFIG_PATH
    # shellcheck disable=SC2046 # flags are words
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$top/tests/consumer/engine.c" \
        $(PKG_CONFIG_PATH=$paths pkg-config --cflags --libs "${@:2}") -o "$scratch/$1" &&
        LD_LIBRARY_PATH=$(dirname "$(find "$scratch/engine" -name libtag_client.so)") "$scratch/$1" "$address" tag
}
check 'an engine in C plays by the shared library' engine_by shared tag_client
# shellcheck disable=SC2016 # bash -c expands it
check 'the library shows the interface alone' \
    bash -c '! nm --dynamic --defined-only --format=posix "$1" | grep -v "^tb_"' - "$(find "$scratch/engine" -name libtag_client.so)"
find "$scratch/engine" -name 'libtag_client.so' -exec mv {} {}.away \;
check 'an engine in C plays by the archive' engine_by archive --static tag_client
kill -TERM "$server"
check 'the server stops' wait "$server"
# The program that was built with version 1 of the game, and a version that has a field before the others.
cp -r "$top/tests/consumer/tag" "$scratch/newer"
sed -i -e 's/version = 1;/version = 2;/' -e 's/  bool it = false;/  Int<0, 99> laps{7};\n&/' -e 's/(Runner, it, safe)/(Runner, laps, it, safe)/' \
    "$scratch/newer/tag.cpp"
check 'a newer game is configured' configure "$scratch/newer" "$scratch/newer/build"
check 'and built' cmake --build "$scratch/newer/build" --target tag-server tag_client
"$scratch/newer/build/tag-server" --port 0 --admin-port 0 --json >"$scratch/newer-ready" 2>"$scratch/newer.log" &
newer=$!
running+=("$newer")
find_server "$scratch/newer-ready"
check 'it is a newer one' grep -q '^tag 2, ' <("$scratch/newer/build/tag-server" --version)
check 'an engine that was built with the older game plays it' \
    env LD_LIBRARY_PATH="$scratch/newer/build" "$scratch/shared" "$address" tag
kill -TERM "$newer"
check 'its server stops' wait "$newer"
check 'the recording is stepped again to the same hashes' "$bin/tag" replay verify "$scratch"/recordings/*.tickbox
# The page of the game: in this package if its build had the compiler for WebAssembly.
page=$bin/tag-view.html
if [ -e "$prefix/share/tickbox/page/tickbox_viewer.o" ]; then
    check 'the server carries it' grep -qaFf <(grep -m 1 'id="module"' "$page") "$bin/tag-server"
    check 'the client carries it' grep -qaFf <(grep -m 1 'id="module"' "$page") "$bin/tag"
    if command -v node >/dev/null && command -v chromium >/dev/null; then
        check 'it verifies the recording' node "$top/tests/consumer/page_test.js" "$page" "$scratch"/recordings/*.tickbox
        # shellcheck disable=SC2016 # node reads it
        check 'the page to play has its module and all files' node -e '
            const fs = require("fs"), [folder] = process.argv.slice(1), files = fs.readdirSync(folder);
            const named = [...fs.readFileSync(`${folder}/index.html`, "utf8").matchAll(/(?:src|href)="([^":]+)"/g)].map(([, name]) => name);
            for (const name of [...named, "client.js", "link.js", "input.js", "libsodium-licence.txt"]) if (!files.includes(name)) throw new Error(name);
            const names = WebAssembly.Module.exports(new WebAssembly.Module(fs.readFileSync(`${folder}/play.wasm`))).map(({ name }) => name);
            if (!names.includes("play_open")) throw new Error(names.join(" "));' "$(dirname "$page")/tag-play"
    else
        echo 'not checked: the page in a browser; Debian has the packages nodejs and chromium'
    fi
else
    echo 'not checked: the page of the game; this build has no compiler for WebAssembly'
fi
refused 'a client without the game cannot step it' 'tag' "$prefix/bin/tickbox" replay verify "$scratch"/recordings/*.tickbox

# The game, without CMake.
# shellcheck disable=SC2317 # called by check
by_hand() {
    # shellcheck disable=SC2046 # flags are words
    "$compiler" -std=c++23 -O2 "$1" "$(pkg-config --variable="$2_main" tickbox)" $(pkg-config --cflags --libs --static "${@:4}") \
        -o "$3"
}
check 'pkg-config: the server is built' by_hand "$game/tag.cpp" server "$scratch/tag-server" tickbox
check 'pkg-config: it runs' grep -q '^tag 1, ' <("$scratch/tag-server" --version)
check 'pkg-config: the client is built' by_hand "$game/tag.cpp" client "$scratch/tag" tickbox
check 'pkg-config: it steps the recording' "$scratch/tag" replay verify "$scratch"/recordings/*.tickbox
check 'pkg-config: the check of the laws is built' by_hand "$game/tag.cpp" laws "$scratch/tag-laws" tickbox-laws
check 'pkg-config: it runs' "$scratch/tag-laws" --matches 5
check 'it counts the callbacks' grep -q '^contact (Runner with Runner) *[1-9]' <("$scratch/tag-laws" --matches 20)
check 'it lists the hooks that the game has not' grep -q '^not declared: .* open, ' <("$scratch/tag-laws" --matches 1)

# The game, without a shared library.
check 'static: the game is configured' configure "$game" "$scratch/static" -DCMAKE_EXE_LINKER_FLAGS=-static
check 'static: the server is built' cmake --build "$scratch/static" --target tag-server
check 'static: it runs' "$scratch/static/tag-server" --port 0 --admin-port 0 --ticks 3

# Each header, alone and by both compilers, without warnings.
for each in "$compiler" clang++-19; do
    command -v "$each" >/dev/null || continue
    for header in "$prefix"/include/tickbox/*.h; do
        check "$(basename "$each"): $(basename "$header") is clean" \
            "$each" -std=c++23 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only -x c++ - <<<"#include <tickbox/$(basename "$header")>"
    done
    check "$(basename "$each"): the game is clean" \
        "$each" -std=c++23 -Wall -Wextra -Wpedantic -Werror -I"$prefix/include" -fsyntax-only "$game/tag.cpp"
done

# A library of the game is scanned with it. No namespace hides a call.
cp -r "$game" "$scratch/with_library"
sed -i -e '0,/^namespace {/s//namespace tickbox { int helped(int from); }\nnamespace {/' \
    -e 's/if (me->safe > 0) --me->safe;/if (me->safe > 0) me->safe = tickbox::helped(me->safe);/' "$scratch/with_library/tag.cpp"
cat >>"$scratch/with_library/CMakeLists.txt" <<'CMAKE'
add_library(helper STATIC helper.cpp)
target_link_libraries(tag_game PUBLIC helper)
CMAKE
# shellcheck disable=SC2317 # called by check
scan_with() {
    printf '#include <ctime>\nnamespace tickbox { int helped(int from) { return from - %s; } }\n' "$1" \
        >"$scratch/with_library/helper.cpp"
    configure "$scratch/with_library" "$scratch/scanned" && cmake --build "$scratch/scanned" --target tag_game helper &&
        ctest --test-dir "$scratch/scanned" --output-on-failure --no-tests=error -R code
}
check 'a library of the game is scanned' scan_with 1
if [ -e "$page" ]; then
    check 'and is in the page' cmake --build "$scratch/scanned" --target tag_page
    # What this machine has and a page has not: not compiled, not linked, or an import that the page lacks.
    for use in '#include <fstream>:std::ifstream("map").good()' '#include <thread>:(std::thread([] {}).join(), 1)' \
        '#include <stdexcept>:(throw std::runtime_error("map"), 1)' 'int other();:other()' \
        '#include <cstdio>:(std::fopen("map", "r") != nullptr)' '#include <ctime>:static_cast<int>(std::time(nullptr))'; do
        printf '%s\nnamespace tickbox { int helped(int from) { return from - %s; } }\n' "${use%%:*}" "${use#*:}" \
            >"$scratch/with_library/helper.cpp"
        refused "the page cannot have ${use#*:}" 'tag-view.html is not made. A page has no files, streams, clock, threads' \
            cmake --build "$scratch/scanned" --target tag_page
    done
fi
refused 'a clock in a library of the game' 'libhelper.a: tickbox::helped(int) uses clock' scan_with '(std::clock() > 0)'

# A static variable: the failure names the command that shows it again. Before the fix, the law "closure" was blamed.
sed 's/if (!me->it || me->safe > 0) return;/static int calls = 0; if (!me->it || me->safe > 0 || ++calls % 3 == 0) return;/' \
    "$game/tag.cpp" >"$scratch/planted.cpp"
check 'a game with a static variable is built' by_hand "$scratch/planted.cpp" laws "$scratch/tag-laws" tickbox-laws
refused 'the laws find the variable' 'again: tag-laws --tick-rate' "$scratch/tag-laws"
read -ra again < <(sed -n 's/^again: tag-laws //p' "$scratch/said.txt")
refused 'the command that they name finds it again' 'breaks the law "memory"' "$scratch/tag-laws" "${again[@]}"

# What goes wrong says so in words.
check 'a build is configured' cmake -S "$top" -B "$scratch/empty" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DTICKBOX_TESTS=OFF
refused 'an install without a build' "cmake --build $scratch/empty --target tickbox_package" \
    cmake --install "$scratch/empty" --prefix "$scratch/nothing"
if [ -e "$page" ]; then
    configure "$game" "$scratch/no_page" -DTICKBOX_WASM_LD= >"$scratch/configured.txt"
    check 'without the compiler for WebAssembly a line says what to install' \
        grep -q 'No page for tag: install clang-19 lld-19 .* wasi-libc' "$scratch/configured.txt"
    check 'all else is built' cmake --build "$scratch/no_page"
    check 'but no page' test ! -e "$scratch/no_page/tag-view.html"
    refused 'unless the page is wanted' 'no page for tag: install clang-19' \
        configure "$game" "$scratch/no_page" -DTICKBOX_WASM_LD= -DTICKBOX_VIEWER=ON
    echo 'target_link_libraries(tag_game PUBLIC z)' >>"$game/CMakeLists.txt"
    refused 'with a library without sources' 'no page for tag: it would need the sources of z' \
        configure "$game" "$scratch/no_page" -DTICKBOX_VIEWER=ON
    sed -i '$d' "$game/CMakeLists.txt"
fi
sed -i '/^TICKBOX_GAME/d' "$game/tag.cpp"
configure "$game" "$bin" -DCMAKE_CXX_FLAGS= >/dev/null
refused 'a game without TICKBOX_GAME' 'game_named_by_TICKBOX_GAME' cmake --build "$bin" --target tag-server
cat >>"$game/tag.cpp" <<'SOURCE'
namespace games {
const tickbox::GameTable& tag();
const tickbox::GameTable& tag() { return kGameTable<Tag>; }
}  // namespace games
SOURCE
sed -i 's/SOURCES tag.cpp/SOURCES tag.cpp TABLE games::tag/' "$game/CMakeLists.txt"
check 'TABLE names a function instead' cmake --build "$bin" --target tag
check 'its two object files may call each other' ctest --test-dir "$bin" --no-tests=error -R code
echo 'TICKBOX_GAME(Tag)' >>"$game/tag.cpp"
refused 'a game that is named twice' 'game_named_by_TICKBOX_GAME' cmake --build "$bin" --target tag
refused 'without libsodium and zstd' 'Tickbox links libsodium (Debian: libsodium-dev) and libzstd' \
    env PKG_CONFIG_PATH= PKG_CONFIG_LIBDIR="$scratch" cmake -S "$game" -B "$scratch/no_packages" -DCMAKE_PREFIX_PATH="$prefix"
sed -i 's/Tickbox 0\.2/Tickbox 0.3/' "$game/CMakeLists.txt"
refused 'another version' 'version: 0.2.' cmake -S "$game" -B "$scratch/another" -DCMAKE_PREFIX_PATH="$prefix"
exit $failed

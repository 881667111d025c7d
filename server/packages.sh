# Sourced by the scripts that build: the packages of Debian 12 that they need, and the functions that install them.
# shellcheck shell=bash

# To build and run the programs, the demo, the tests and the benchmarks.
# shellcheck disable=SC2034 # read by the scripts that source this
TICKBOX_BUILD_PACKAGES=(
    g++ cmake ninja-build ccache mold pkg-config git ca-certificates jq
    libboost-dev libcli11-dev libflatbuffers-dev flatbuffers-compiler libfmt-dev libspdlog-dev
    libsodium-dev libtomlplusplus-dev libxxhash-dev libzstd-dev nlohmann-json3-dev libjs-chart.js libgtest-dev
    libbox2d-dev libchipmunk-dev python3-nacl python3-xxhash)

# To build under the sanitizers and to fuzz; llvm-19 names the functions in their reports.
# shellcheck disable=SC2034 # read by the scripts that source this
TICKBOX_SANITIZER_PACKAGES=(clang-19 libclang-rt-19-dev llvm-19)

# To check format and lint.
# shellcheck disable=SC2034 # read by the scripts that source this
TICKBOX_LINT_PACKAGES=(clang-tidy-19 clang-format-19 shellcheck)

# To compute the hashes of tests/golden on other processors, under emulation.
# shellcheck disable=SC2034 # read by the scripts that source this
TICKBOX_CROSS_PACKAGES=(g++-aarch64-linux-gnu g++-arm-linux-gnueabihf g++-s390x-linux-gnu qemu-user libxxhash-dev)

# To compile for WebAssembly.
# shellcheck disable=SC2034 # read by the scripts that source this
TICKBOX_WASM_PACKAGES=(
    clang-19 lld-19 libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 wasi-libc libclang-rt-19-dev-wasm32 libxxhash-dev)

# Installs those of the given packages that are missing. Their services are not started, unless the machine has a
# policy-rc.d that allows it. A user other than root gets the command that installs them.
tickbox_ensure_packages() {
    local package missing=()
    for package in "$@"; do
        if [ "$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null)" != "install ok installed" ]; then
            missing+=("$package")
        fi
    done
    if [ ${#missing[@]} -eq 0 ]; then
        return 0
    fi
    if ! command -v apt-get >/dev/null; then
        echo "missing: ${missing[*]}; this needs Debian 12 (or their equals installed by hand)" >&2
        return 1
    fi
    if [ "$(id -u)" -ne 0 ]; then
        echo "missing packages; install them with: sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
        return 1
    fi
    echo "installing: ${missing[*]}" >&2
    local log
    log=$(mktemp)
    if ! (
        policy=/usr/sbin/policy-rc.d
        if [ ! -e "$policy" ]; then
            trap 'rm -f "$policy"' EXIT
            printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod +x "$policy"
        fi
        install=(apt-get install -y --no-install-recommends "${missing[@]}")
        export DEBIAN_FRONTEND=noninteractive
        "${install[@]}" || { apt-get update && "${install[@]}"; }
    ) >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "apt-get could not install: ${missing[*]}" >&2
        return 1
    fi
    rm -f "$log"
}

# apt-get or apt-cache with lists and a cache of its own under FOLDER.   tickbox_apt_in FOLDER PROGRAM ARGUMENT...
tickbox_apt_in() {
    mkdir -p "$1"/{lists/partial,cache}
    "$2" -o "Dir::State::lists=$1/lists" -o "Dir::Cache=$1/cache" -o APT::Sandbox::User=root "${@:3}"
}

# Gets Debian's sources of a package, with Debian's patches, into ~/.cache/tickbox-NAME, where CMake looks for them.
#   tickbox_ensure_sources NAME PACKAGE WITNESS PATH...    WITNESS: a file that is there once they are; PATH: what of them is kept
tickbox_ensure_sources() {
    local name=$1 package=$2 folder=${XDG_CACHE_HOME:-$HOME/.cache}/tickbox-$1 scratch list
    if [ -e "$folder/$3" ]; then
        return 0
    fi
    scratch=$(mktemp -d)
    mkdir -p "$scratch"/{entries,files}
    # The machine's own entries, each for sources; some may have none. They and their lists are of this call alone.
    for list in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$list" ] || sed 's/^Types:.*/Types: deb-src/' "$list" >"$scratch/entries/${list##*/}"
    done
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -e "$list" ] || sed -n 's/^deb /deb-src /p' "$list" >"$scratch/entries/${list##*/}.list"
    done
    local entries=(-o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$scratch/entries")
    local apt=(tickbox_apt_in "$scratch" apt-get "${entries[@]}")
    echo "getting the sources of $name" >&2
    # A mirror may list the newest version before it has its files. The oldest one then serves as well.
    if ! (cd "$scratch/files" && {
        "${apt[@]}" update || true
        "${apt[@]}" source --download-only "$package" ||
            "${apt[@]}" source --download-only "$package=$(tickbox_apt_in "$scratch" apt-cache "${entries[@]}" showsrc --only-source "$package" |
                sed -n 's/^Version: //p' | sort --version-sort | head -n 1)"
        for list in ./*.orig.tar.*z ./*.debian.tar.*z; do cmake -E tar xf "$list" || exit; done
        cd "$(find . -mindepth 1 -maxdepth 1 -type d ! -name debian)" || exit
        while read -r list; do
            git apply "../debian/patches/$list" || exit
        done < <(grep -v '^#' ../debian/patches/series)
        rm -rf "$folder.new" "$folder" && mkdir -p "$folder.new" && cp -r "${@:4}" "$folder.new" && mv "$folder.new" "$folder"
    } >"$scratch/log" 2>&1); then
        tail -n 20 "$scratch/log" >&2
        rm -rf "$scratch"
        echo "apt-get could not get the sources of $package" >&2
        return 1
    fi
    rm -rf "$scratch"
}

# Installs what the modules for browsers need. Debian has no zstd and no libsodium for WebAssembly, so this gets the sources.
tickbox_ensure_viewer() {
    tickbox_ensure_packages "${TICKBOX_WASM_PACKAGES[@]}" cmake git &&
        tickbox_ensure_sources zstd libzstd lib/zstd.h lib LICENSE &&
        tickbox_ensure_sources sodium libsodium libsodium/include/sodium.h src/libsodium LICENSE
}

# Installs the cross compiler for arm64, and gets the archives that the programs link. They go to ~/.cache/tickbox-arm64, where
# docker/package/arm64.cmake looks for them: packages of another processor are not installed.
tickbox_ensure_arm64() {
    tickbox_ensure_packages g++-aarch64-linux-gnu || return 1
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/tickbox-arm64 scratch package
    if [ -e "$folder/packages" ]; then
        return 0
    fi
    scratch=$(mktemp -d)
    mkdir -p "$scratch/archives"
    : >"$scratch/status"
    local apt=(tickbox_apt_in "$scratch" apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State::status=$scratch/status")
    echo "getting archives for arm64" >&2
    # shellcheck disable=SC2016 # dpkg-deb expands the names of its fields
    if ! (cd "$scratch" && { "${apt[@]}" update || true; "${apt[@]}" download libc6-dev libsodium-dev libzstd-dev; } >log 2>&1 &&
        for package in *.deb; do
            dpkg-deb --fsys-tarfile "$package" | tar -x -C archives ./usr/lib &&
                dpkg-deb -W --showformat '${Package} ${Version} ${Architecture}\n' "$package" >>archives/packages || exit
        done && rm -rf "$folder" && mkdir -p "${folder%/*}" && mv archives "$folder"); then
        tail -n 20 "$scratch/log" >&2
        rm -rf "$scratch"
        echo "apt-get could not get the archives for arm64" >&2
        return 1
    fi
    rm -rf "$scratch"
}

# Installs Node, and the packages that server/gateway/package-lock.json names, into build/gateway. No script of a package runs,
# and its hash decides whether it is right. Fails: 3 if they are not here and npm's registry cannot be reached, else 1.
tickbox_ensure_gateway() {
    local program missing=() folder=build/gateway
    for program in nodejs:node npm:npm; do
        command -v "${program#*:}" >/dev/null || missing+=("${program%:*}")
    done
    [ ${#missing[@]} -eq 0 ] || tickbox_ensure_packages "${missing[@]}" || return 1
    if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 18 || (a == 18 && b >= 20) ? 0 : 1)'; then
        echo "the gateway needs Node 18.20 or later, this is $(node --version); install nodejs of Debian 12" >&2
        return 1
    fi
    if ! cmp -s server/gateway/package-lock.json "$folder/installed.json"; then
        mkdir -p "$folder"
        rm -f "$folder/installed.json"
        cp server/gateway/package.json server/gateway/package-lock.json server/gateway/.npmrc "$folder"
        if ! npm ci --ignore-scripts --omit=dev --no-audit --no-fund --prefix "$folder" >&2; then
            npm ping --fetch-retries=0 >/dev/null 2>&1 && return 1
            echo "skipped: the gateway's packages are not here, and npm's registry cannot be reached; try again where npm ping succeeds" >&2
            return 3
        fi
        cp server/gateway/package-lock.json "$folder/installed.json"
    fi
    # The checks of the tree read all that is in server/, and do not follow links.
    [ -L server/gateway/node_modules ] || rm -rf server/gateway/node_modules
    ln -sfn ../../build/gateway/node_modules server/gateway/node_modules
}

# Sets up ccache so that another checkout of the same sources can use the cached results as well.
tickbox_share_cache() {
    export CCACHE_BASEDIR=$1 CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 CCACHE_COMPILERCHECK=content
}

# Installs what a build needs, and builds these targets of the preset release.   tickbox_build_release TOP TARGET...
tickbox_build_release() {
    tickbox_ensure_packages "${TICKBOX_BUILD_PACKAGES[@]}"
    tickbox_share_cache "$1"
    cmake --preset release --log-level=WARNING
    cmake --build --preset release --target "${@:2}"
}

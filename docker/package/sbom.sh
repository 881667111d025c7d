#!/usr/bin/env bash
# Writes what the programs of a build are made of, as CycloneDX JSON, to stdout.   sbom.sh BUILD
#
# Each package of Debian that is installed is a component. Its scope is "required" if the compiler has read a file of it for
# the programs (all libraries are static or headers), and "excluded" if it is here for the build alone. The libraries of another
# processor are not installed, and all of them are linked. The time is that of SOURCE_DATE_EPOCH.
set -euo pipefail

build=$1
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
version=$(cached CMAKE_PROJECT_VERSION)

# The compiler for browsers names no header of its system: these are what it compiles and links with.
of_wasm=(libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 wasi-libc)
required=$(
    {
        ninja -C "$build" -t deps | sed -n 's/^  *//p'
        ninja -C "$build" -t inputs tickbox-server tickbox
    } | grep '^/usr/' | xargs -d '\n' realpath -q | sort -u | xargs -d '\n' dpkg-query --search 2>/dev/null |
        sed 's/: .*//; s/, /\n/g' | sed 's/:.*//' | cat - <(printf '%s\n' "${of_wasm[@]}") | sort -u
)

printf '{
  "bomFormat": "CycloneDX",
  "specVersion": "1.5",
  "version": 1,
  "metadata": {
    "timestamp": "%s",
    "component": {
      "type": "application", "bom-ref": "tickbox", "name": "tickbox", "version": "%s",
      "description": "tickbox-server and tickbox, commit %s",
      "licenses": [{"license": {"id": "MIT"}}]
    }
  },
  "components": [' "$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)" "$version" "$(cached TICKBOX_COMMIT)"
comma=
while read -r name version architecture scope; do
    ! grep -qxF "$name" <<<"$required" || scope=required
    in_url=${version//:/%3A}
    url="pkg:deb/debian/${name//+/%2B}@${in_url//+/%2B}?arch=$architecture"
    printf '%s\n    {"type": "library", "bom-ref": "%s", "name": "%s", "version": "%s", "scope": "%s", "purl": "%s"}' \
        "$comma" "$url" "$name" "$version" "$scope" "$url"
    comma=,
done < <(
    {
        dpkg-query -W -f '${db:Status-Abbrev}${Package} ${Version} ${Architecture} excluded\n' | sed -n 's/^ii  *//p'
        other=$(cached TICKBOX_ARM64)
        [[ ! $other ]] || sed 's/$/ required/' "$other/packages"
    } | sort -u
)
printf '\n  ]\n}\n'

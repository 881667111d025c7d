#!/usr/bin/env bash
# Starts the programs of the packages for arm64 under emulation, and plays on them from this machine.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() {
  cat <<'TEXT'
usage: docker/package/arm64_test.sh [FOLDER]

Checks tickbox-server_*_arm64.deb, tickbox_*_arm64.deb and sbom.json of FOLDER. Starts the server under qemu-user on loopback.
Four clients of this machine play on it, and one for arm64; then it is stopped, and its recording is verified.

Without FOLDER, builds them first, in build/package-arm64. The clients of this machine are those of build/release, which it
builds too. Needs amd64, and installs what is missing of Debian 12.

One line per check on stdout, progress on stderr.  Exit: 0 all passed, 1 something failed, 2 wrong usage.
TEXT
}

case ${1-} in
  -h | --help) usage; exit 0 ;;
  -*) printf 'docker/package/arm64_test.sh: unknown option %s (only --help is known)\n' "$1" >&2; exit 2 ;;
esac
if (($# > 1)); then
  printf 'docker/package/arm64_test.sh: one FOLDER, not %d\n' $# >&2
  exit 2
fi

# shellcheck source=docker/checks.sh
. docker/checks.sh
# shellcheck source=server/packages.sh
. server/packages.sh

readonly stop_max=25  # seconds, as in docker/test.sh
readonly client=build/release/bin/tickbox
folder=${1:-build/package-arm64}
server=  # the process id of the emulator

take_down() {
  local status=$?
  trap - EXIT
  trap '' INT TERM
  [[ ! $server ]] || kill -KILL "$server" 2>/dev/null || true
  [[ ! $work ]] || rm -rf "$work"
  exit "$status"
}
trap take_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build() {
  say 'building for arm64'
  local began=$SECONDS
  tickbox_ensure_viewer
  tickbox_ensure_arm64
  cmake --preset package-arm64 --log-level=WARNING >&2
  cmake --build --preset package-arm64 >&2
  cpack --preset package-arm64 >&2
  docker/package/sbom.sh "$folder" >"$folder/sbom.json"
  say "built in $((SECONDS - began)) s"
}

# emulated PROGRAM ARGUMENT...: runs a program of the packages.
emulated() { qemu-aarch64 "$work/usr/bin/$1" "${@:2}"; }

check_packages() {
  local each file
  for each in tickbox-server tickbox; do
    file=("$folder/$each"_*_arm64.deb)
    [[ ${#file[@]} -eq 1 && -f ${file[0]} ]] || die "$folder must hold one ${each}_*_arm64.deb"
    check "$each is for arm64" same arm64 "$(dpkg-deb -f "${file[0]}" Architecture)"
    dpkg-deb -x "${file[0]}" "$work"
    check 'and so is its program' same AArch64 "$(readelf -h "$work/usr/bin/$each" | sed -n 's/^ *Machine: *//p')"
    check 'which needs no library' same 0 "$(readelf -lW "$work/usr/bin/$each" | grep -cE ' (INTERP|DYNAMIC) ' || true)"
  done
  for each in libc6-dev libsodium-dev libzstd-dev; do
    check "it has $each of arm64" exits 0 jq -e ".components[] | select(.name == \"$each\" and .scope == \"required\") |
      select(.purl | endswith(\"?arch=arm64\"))" "$folder/sbom.json"
  done
}

start_server() {
  mkdir "$work/recordings"
  qemu-aarch64 "$work/usr/bin/tickbox-server" --port 0 --admin-port 0 --record "$work/recordings" --json \
    >"$work/server.out" 2>"$work/server.err" &
  server=$!
  within 60 test -s "$work/server.out" || die "the server did not start: $(tail -n 3 "$work/server.err")"
  address=$(jq -r .address "$work/server.out")
  admin=$(jq -r .admin "$work/server.out")
}

play() {
  local agree='.state_hash.checked > 0 and .state_hash.mismatched == 0'
  local code=0
  "$client" load "$address" --clients 4 --seconds 5 --admin "$admin" --json >"$work/said" 2>"$work/load.err" || code=$?
  # 5: this machine was too busy to measure the server. Nothing here depends on its speed.
  check '4 clients of this machine play on it' test $code -eq 0 -o $code -eq 5
  check 'all of them connected, none was dropped, no hash differed' holds \
    ".clients.connected == 4 and .clients.dropped == 0 and $agree" "$work/said"
  say "$(tail -n 1 "$work/said" | jq -r '"\(.state_hash.checked) hashes checked"')"
  check 'a client for arm64 plays on it' exits 0 emulated tickbox connect "$address" --seconds 2 --json
  check 'and its hashes are the same too' holds "$agree" "$work/said"
}

gone() { ! kill -0 "$server" 2>/dev/null; }

stop() {
  local code=0
  kill -TERM "$server" || true
  check "it stops within $stop_max s of SIGTERM" within $stop_max gone
  kill -KILL "$server" 2>/dev/null || true
  wait "$server" || code=$?
  server=
  check 'with the exit code 0' same 0 "$code"
  check 'its recording steps to the same hashes here, every tick' exits 0 "$client" replay verify "$work"/recordings/*.tickbox --json
  check 'to its end' holds '.ticks > 300 and .mismatched == 0 and .complete' "$work/said"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/tickbox-arm64.XXXXXX")
[[ $(dpkg --print-architecture) == amd64 ]] || die 'this cross-builds on amd64; on arm64 the preset package does it'
tickbox_ensure_packages qemu-user
tickbox_build_release "$PWD" tickbox >&2
if (($# == 0)); then
  build
fi
check_packages
start_server
play
stop
if ((failed)); then
  say 'the last the server said'
  tail -n 20 "$work/server.err" >&2
fi
checked

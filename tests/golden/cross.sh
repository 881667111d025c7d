#!/usr/bin/env bash
# Asks other processors, emulated, whether every tick has the hash of the golden file: AArch64, 32-bit ARM, big-endian s390x,
# and WebAssembly in Node.
set -euo pipefail

usage() {
    cat <<'USAGE'
usage: tests/golden/cross.sh [--full]

Builds tickbox-golden by the cross compilers of Debian in build/golden-cross and runs it under qemu-user: the first ticks of every
scene, with --full all of them; and the stored recording, tick by tick. Looks for floating-point instructions in the simulation's objects where it knows the processor's.
For WebAssembly it does the same with clang and Node, always with all ticks.
Exit: 0 all agree, 1 one does not or has floats, 2 wrong usage.
USAGE
}

how=--short
if [ "${1:-}" = --full ]; then
    how=
    shift
fi
# shellcheck source=tests/golden/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
golden_begin "$@"
tickbox_ensure_packages "${TICKBOX_CROSS_PACKAGES[@]}" "${TICKBOX_WASM_PACKAGES[@]}" nodejs

floats=0
for processor in aarch64 arm s390x; do
    folder=build/golden-cross/$processor
    triplet=$processor-linux-gnu
    [ "$processor" != arm ] || triplet=arm-linux-gnueabihf
    # Linked static: the emulator then needs no libraries of that processor. No code here uses the ABI that g++ 7 changed.
    golden_build "$folder" "$triplet-g++" -O2 -static -Wno-psabi
    golden_ask "$processor" "$folder" golden_all "$how" "qemu-$processor" "$folder/tickbox-golden"
    if [ "$processor" != s390x ]; then
        OBJDUMP=$triplet-objdump NM=$triplet-nm LD=$triplet-ld tests/golden/no_float.sh "$folder"/common-{sim,engine,games-*}.o || floats=1
    fi
done
# Not -I/usr/include: the headers of this machine's libc would hide those of wasi-libc.
folder=build/golden-cross/wasm
mkdir -p "$folder/include"
cp /usr/include/xxhash.h "$folder/include"
golden_build "$folder" clang++-19 --target=wasm32-wasi -O2 -fno-exceptions -I"$folder/include" \
    -Wno-unused-command-line-argument -Wl,--stack-first,-z,stack-size=1048576
# Node 18 has WASI behind this option; Node 20 ignores it.
golden_ask wasm "$folder" golden_all "" node --no-warnings --experimental-wasi-unstable-preview1 tests/golden/wasi.js \
    "$folder/tickbox-golden"
golden_answers
exit $floats

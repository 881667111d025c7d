#!/usr/bin/env bash
# Plays a scene and lets the reader have it: read_scene.sh CAPTURE_PROGRAM SCENE [options of reader.py]
set -euo pipefail

capture=$1
scene=$2
shift 2
"$capture" "$scene" | "$(dirname "${BASH_SOURCE[0]}")/reader.py" "$@" -

#!/usr/bin/env bash
# Writes an image to stdout as an archive for `docker load`, in which nothing depends on when and where it was built.
#   SOURCE_DATE_EPOCH=$(git log -1 --format=%ct) docker/archive.sh IMAGE [ARCHITECTURE] >image.tar
#
# The legacy builder, and BuildKit before 0.11, write the time of the build and ids of its steps into the image. This gives it
# the time of SOURCE_DATE_EPOCH, and no steps. Two builds of the same files are then the same bytes, with the same digest.
# The engine gives an image its own processor. ARCHITECTURE is that of the programs, such as arm64, if they were cross-built.
# Needs docker, jq and GNU tar.
set -euo pipefail

if ! [[ $# -ge 1 && $# -le 2 && ${SOURCE_DATE_EPOCH:-} =~ ^[0-9]+$ ]]; then
    echo 'usage: SOURCE_DATE_EPOCH=SECONDS docker/archive.sh IMAGE [ARCHITECTURE] >image.tar' >&2
    exit 2
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/saved" "$folder/image"
docker save "$1" | tar -x -C "$folder/saved"

digest() { sha256sum "$1" | cut -d ' ' -f 1; }
saved() { jq -r ".[0].$1" "$folder/saved/manifest.json"; }

layers=()
while read -r layer; do
    layers+=("$(digest "$folder/saved/$layer").tar")
    cp "$folder/saved/$layer" "$folder/image/${layers[-1]}"
done < <(saved 'Layers[]')
jq -cS --arg created "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)" '{$created,
    architecture: ($ARGS.positional[0] // .architecture), os, rootfs,
    config: (.config | del(.Image, .Hostname, .Domainname)), history: [.rootfs.diff_ids[] | {$created}]}' \
    "$folder/saved/$(saved Config)" --args "${@:2}" >"$folder/config.json"
config=$(digest "$folder/config.json").json
mv "$folder/config.json" "$folder/image/$config"
jq -cn --arg config "$config" --arg name "$1" '[{Config: $config, RepoTags: [$name], Layers: $ARGS.positional}]' \
    --args "${layers[@]}" >"$folder/image/manifest.json"
tar -C "$folder/image" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --mode=0644 -c \
    manifest.json "$config" "${layers[@]}"

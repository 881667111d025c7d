#!/usr/bin/env bash
# Writes what the image of the gateway is made of, as CycloneDX JSON, to stdout.   sbom.sh GATEWAY PACKAGES VERSION
#
# GATEWAY is the folder with the program and its node_modules. PACKAGES has the name and version of each package of Debian in
# the image, one a line. The binary of node-datachannel has libdatachannel and OpenSSL in it. It names OpenSSL itself, and
# the sources beside it name libdatachannel.
set -euo pipefail

modules=$1/node_modules
datachannel=$(sed -n '/libdatachannel.git/,$s/^ *GIT_TAG "v\(.*\)"$/\1/p' "$modules/node-datachannel/CMakeLists.txt" | head -n 1)
openssl=$(grep -aohE -m 1 'OpenSSL [0-9]+\.[0-9]+\.[0-9]+[a-z]*' "$modules"/@node-datachannel/*/node_datachannel.node | head -n 1)
[[ $datachannel && $openssl ]] || { echo "sbom.sh: node-datachannel no longer says what it is made of" >&2; exit 1; }
jq --arg time "$(date -u -d "@${SOURCE_DATE_EPOCH:-0}" +%Y-%m-%dT%H:%M:%SZ)" --arg version "$3" \
    --arg datachannel "$datachannel" --arg openssl "${openssl#* }" --rawfile packages "$2" '
    def library($purl): . + {type: "library", scope: "required", purl: $purl, "bom-ref": $purl};
    def license($name): {licenses: [{license: {name: $name}}]};
    {bomFormat: "CycloneDX", specVersion: "1.5", version: 1,
     metadata: {timestamp: $time, component: {type: "application", "bom-ref": "tickbox-gateway", name: "tickbox-gateway",
       version: $version, licenses: [{license: {id: "MIT"}}]}},
     components: [
       (.packages | to_entries[] | (.key | ltrimstr("node_modules/")) as $name |
         {name: $name, version: .value.version} + license(.value.license) |
         library("pkg:npm/\($name | sub("@"; "%40"))@\(.version)")),
       ({name: "libdatachannel", version: $datachannel} + license("MPL-2.0") |
         library("pkg:github/paullouisageneau/libdatachannel@v\($datachannel)")),
       ({name: "openssl", version: $openssl} + license("OpenSSL") | library("pkg:generic/openssl@\($openssl)")),
       ($packages | split("\n")[] | select(. != "") | split(" ") | {name: .[0], version: .[1]} |
         library("pkg:deb/debian/\(.name | gsub("\\+"; "%2B"))@\(.version | gsub(":"; "%3A") | gsub("\\+"; "%2B"))"))
     ]}' "$modules/.package-lock.json"

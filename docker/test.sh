#!/usr/bin/env bash
# Builds the images and runs them as they are meant to run: locked down, played against, stopped, and their recording replayed.
set -euo pipefail
cd "$(dirname "$0")/.."

usage() {
  cat <<'TEXT'
docker/test.sh [--twice | --arm64] - builds both images, runs them, and takes everything down again

  --twice   only compile everything twice, and compare: the images, the packages and the list of components must be the
            same bytes
  --arm64   only compile everything for arm64, check the images, and play on the programs under emulation
            (docker/package/arm64_test.sh)

Checks the image (size, user, contents, labels), the list of its components, the packages for Debian
(docker/package/test.sh), the server in it on a read-only root without capabilities and without a network
(health, ready line, refusals), the two lines with which docker/README.md starts it, the key it makes, clients in its network namespace
with that key and without, the stop on SIGTERM, the recording it leaves, a restart with the same key, a rotation, and
docker/compose.yaml where a compose program is found, and the gateway beside the server where a build reaches the registry of npm.

Where ccache is, the builder gets what this machine has compiled in the last hours. --twice and --arm64 compile everything.

Uses the Docker engine that answers. Where none does, and this is root on Debian, it installs Debian's docker.io and
docker-compose, and starts an engine of its own in a temporary folder. Where the builder image cannot be pulled, it makes one
by debootstrap.

One line per check on stdout, progress on stderr.  Exit: 0 all passed, 1 something failed, 2 wrong usage.
TEXT
}

only=
preset=package
architecture=  # that of the engine
case ${1-} in
  '') ;;
  --twice) only=twice ;;
  --arm64)
    only=arm64
    preset='package-arm64'
    architecture=arm64
    ;;
  -h | --help) usage; exit 0 ;;
  *) printf 'docker/test.sh: unknown option %s (--twice, --arm64 and --help are known)\n' "$1" >&2; exit 2 ;;
esac

# shellcheck source=docker/checks.sh
. docker/checks.sh
# shellcheck source=docker/engine.sh
. docker/engine.sh

readonly size_max=8000000  # bytes: a server alone, with no system around it, has no need of more
readonly drain_max=25      # seconds, so that Kubernetes' 30 are never used up
readonly name=tickbox-test-$$
readonly server_image=tickbox-server:test-$$
readonly client_image=tickbox:test-$$
readonly gateway_image=tickbox-gateway:test-$$
readonly packages_image=tickbox-packages:test-$$
readonly sbom_image=tickbox-sbom:test-$$
commit=$(git rev-parse --short=12 HEAD 2>/dev/null) || commit=unknown
readonly commit
epoch=$(git log -1 --format=%ct 2>/dev/null) || epoch=0
readonly epoch
compose=()

take_down() {
  local status=$?
  trap - EXIT
  trap '' INT TERM
  say 'taking it all down'
  if ((${#compose[@]})); then
    "${compose[@]}" down -v >/dev/null 2>&1 || true
  fi
  if [[ $work ]]; then
    docker rm -f "$name" "$name-played" "$name-gateway" "$name-strangers" "$name-keyed" "$name-loopback" >/dev/null 2>&1 || true
    docker volume rm -f "$name" "$name-keys" "$name-strangers" "$name-keyed" "$name-loopback" >/dev/null 2>&1 || true
    docker rmi "$server_image" "$client_image" "$gateway_image" "$packages_image" "$sbom_image" "$sbom_image-gateway" >/dev/null 2>&1 || true
  fi
  engine_down
  exit "$status"
}
trap take_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

build_options=(--build-arg "PRESET=$preset" --build-arg "COMMIT=$commit" --build-arg "SOURCE_DATE_EPOCH=$epoch")
locked=(--read-only --cap-drop ALL --security-opt no-new-privileges)

# alone ARGUMENT...: the server's program with these arguments, in a namespace of its own.
alone() { docker run --rm --network none "${locked[@]}" "$server_image" "$@"; }

# beside ARGUMENT...: a client beside the running server, without its keys.
beside() { docker run --rm --network "container:$name" "${locked[@]}" "$client_image" "$@"; }

# client COMMAND ARGUMENT...: a client that can read the server's keys.
client() {
  docker run --rm --network "container:$name" "${locked[@]}" -v "$name-keys:/keys:ro" "$client_image" "$@" --key-file /keys/ring
}

image() { docker image inspect -f "$1" "$server_image"; }
state() { docker inspect -f "$1" "${2:-$name}"; }

is_healthy() { [[ $(state '{{.State.Health.Status}}' "$@") == healthy ]]; }

# build_image TARGET TAG OPTION...
build_image() {
  engine_build "$work/context" "$@" && return
  tail -n 40 "$work/build.log" >&2
  die "the image $1 does not build"
}

# All builds are of one copy of the tree, because somebody may change the tree meanwhile.
copy_tree() {
  mkdir "$work/context"
  tar -c --exclude=./build --exclude=./.git --exclude=./.cache . | tar -x -C "$work/context"
}

build() {
  local began=$SECONDS
  say 'building'
  build_image server "$server_image" "${build_options[@]}"
  build_image tickbox "$client_image" "${build_options[@]}"
  build_image packages "$packages_image" "${build_options[@]}"
  build_image sbom "$sbom_image" "${build_options[@]}"
  say "built in $((SECONDS - began)) s"
}

# files_of IMAGE: what it holds, as an archive.
files_of() {
  local holder
  holder=$(docker create "$1" none)
  docker export "$holder"
  docker rm -v "$holder" >/dev/null
}

check_image() {
  local size holder
  size=$(image '{{.Size}}')
  check "the image has $size bytes, less than $size_max" test "$size" -lt "$size_max"
  check 'its user is 65532:65532' same 65532:65532 "$(image '{{.Config.User}}')"
  check 'it is entered and asked for its health without a shell' \
    same '["/tickbox-server"] ["CMD","/tickbox-server","health"]' "$(image '{{json .Config.Entrypoint}} {{json .Config.Healthcheck.Test}}')"
  check 'it is stopped by SIGTERM' same SIGTERM "$(image '{{.Config.StopSignal}}')"
  holder=$(docker create "$server_image")
  docker export "$holder" | TZ=UTC tar -tv --numeric-owner --full-time >"$work/rights"
  awk '{ print $6 }' "$work/rights" >"$work/files"
  docker rm -v "$holder" >/dev/null
  # What the engine itself puts into every container is not the image's.
  check 'it holds the program, /data and /keys, and nothing else' same 'data/ keys/ tickbox-server' \
    "$(grep -vE '^(\.dockerenv|(dev|etc|proc|sys)/.*)$' "$work/files" | sort | paste -sd ' ')"
  check 'its program has the time of the commit' same "$(date -u -d "@$epoch" '+%Y-%m-%d %H:%M:%S')" \
    "$(awk '$6 == "tickbox-server" { print $4, $5 }' "$work/rights")"
  check 'any user of group 0 may write to its folders' same 'drwxrwxr-x 65532/0 drwxrwxr-x 65532/0' \
    "$(awk '$6 == "data/" || $6 == "keys/" { print $1, $2 }' "$work/rights" | paste -sd ' ')"
}

# label NAME: one of those of https://github.com/opencontainers/image-spec/blob/main/annotations.md
label() { image "{{index .Config.Labels \"org.opencontainers.image.$1\"}}"; }

# Writes what a build made to FOLDER, each as a file.
write_build() {
  mkdir "$1"
  SOURCE_DATE_EPOCH=$epoch docker/archive.sh "$server_image" ${architecture:+"$architecture"} >"$1/tickbox-server.tar"
  SOURCE_DATE_EPOCH=$epoch docker/archive.sh "$client_image" ${architecture:+"$architecture"} >"$1/tickbox.tar"
  files_of "$sbom_image" | tar -x -C "$1" sbom.json
  files_of "$packages_image" | tar -x -C "$1" --wildcards '*.deb'
}

build_twice() {
  copy_tree
  build
  write_build "$work/first"
  # Another file, which nothing uses: the engine has no cached step for this tree.
  touch "$work/context/common/again"
  build
  write_build "$work/second"
  local each
  for each in "$work/first"/*; do
    each=${each##*/}
    say "$(cd "$work/first" && sha256sum "$each")"
    check "$each is the same bytes again" cmp "$work/first/$each" "$work/second/$each"
  done
  check 'an archive is loaded' exits 0 docker load -i "$work/first/tickbox-server.tar"
  check 'and runs' exits 0 alone --version
}

# The engine cannot start programs for arm64: only their images are its.
build_arm64() {
  copy_tree
  build
  local built=$work/arm64 each
  write_build "$built"
  docker rmi "$server_image" "$client_image" >/dev/null
  for each in tickbox tickbox-server; do
    check "the archive of $each is loaded" exits 0 docker load -i "$built/$each.tar"
  done
  check 'both images are for arm64' same 'linux/arm64 linux/arm64' \
    "$(docker image inspect -f '{{.Os}}/{{.Architecture}}' "$server_image" "$client_image" | paste -sd ' ')"
  check_image
  check_labels
  check 'the packages are for arm64, and their programs play' docker/package/arm64_test.sh "$built"
  mkdir "$work/programs"
  dpkg-deb -x "$built"/tickbox-server_*.deb "$work/programs"
  files_of "$server_image" | tar -x -C "$work/programs" tickbox-server
  check 'the program of the image is that of the package' cmp "$work/programs/usr/bin/tickbox-server" "$work/programs/tickbox-server"
}

check_version() {
  check '--version answers' exits 0 alone --version
  check 'with the version and the commit of the labels' grep -qF "tickbox $(label version) (commit $(label revision)," "$work/said"
}

check_labels() {
  check 'its commit is this one' same "$commit" "$(label revision)"
  check 'it has a title, a description and a licence' same 'tickbox-server Authoritative server for 2D multiplayer games MIT' \
    "$(label title) $(label description) $(label licenses)"
}

# What the programs are made of: libraries of C and C++, and what the page for browsers has.
check_sbom() {
  files_of "$sbom_image" | tar -x -C "$work" sbom.json
  check 'the list of components is CycloneDX' exits 0 jq -e '.bomFormat == "CycloneDX" and .specVersion == "1.5"
    and (.metadata.component.version | length > 0) and ([.components[]["bom-ref"]] | length == (unique | length))' "$work/sbom.json"
  local each
  for each in libboost1.74-dev libc6-dev libfmt-dev libjs-chart.js libsodium-dev libstdc++-12-dev libzstd-dev wasi-libc; do
    check "the programs have $each" exits 0 jq -e \
      ".components[] | select(.name == \"$each\" and .scope == \"required\") | .purl | startswith(\"pkg:deb/debian/\")" \
      "$work/sbom.json"
  done
  check 'cmake was there for the build alone' exits 0 jq -e '.components[] | select(.name == "cmake" and .scope == "excluded")' "$work/sbom.json"
}

check_packages() {
  mkdir "$work/packages"
  files_of "$packages_image" | tar -x -C "$work/packages" --wildcards '*.deb'
  if ! is_debian_root; then
    say 'the packages are not installed: this needs root on Debian'
    return
  fi
  check 'the packages are installed, upgraded and removed' docker/package/test.sh "$work/packages"
}

check_refusals() {
  check 'an unknown option is wrong usage' exits 2 alone --no-such-option
  check 'an address that is not loopback is refused' exits 2 alone --bind 0.0.0.0
  check 'a key in no named file is wrong usage' exits 2 alone --create-key
  check 'a key file that cannot be made is reported' exits 1 alone --key-file /ring --create-key
  check 'with what to try' grep -q "cannot write /ring: .*; check the folder's permissions" "$work/said"
  check 'health fails where nothing serves' exits 1 alone health
  check 'without a key it serves its own loopback' exits 0 alone --ticks 60
}

# times_said NAME WORDS: how often the server has logged them, over all its starts. All lines are read: an end at the first
# match would end `docker logs` by SIGPIPE, which pipefail counts as a failure.
times_said() { docker logs "$1" 2>&1 | grep -cF -- "$2" || true; }

# has_said NAME WORDS: whether the server has logged them.
has_said() { [[ $(times_said "$1" "$2") != 0 ]]; }

# first_try NAME ARGUMENT...: a server behind a published port, as docker/README.md starts it. An engine without a network
# ignores the port, or refuses it.
first_try() {
  local as=$1
  shift
  if ! docker run -d --name "$as" -p 127.0.0.1::7777/udp -v "$as:/keys" "$server_image" "$@" >/dev/null 2>&1; then
    docker rm -f "$as" >/dev/null 2>&1 || true
    docker run -d --name "$as" --network none -v "$as:/keys" "$server_image" "$@" >/dev/null
  fi
  within 60 has_said "$as" 'ready address='
}

# reach NAME ARGUMENT...: a client on the other side of the published port; where there is none, in the server's namespace.
reach() {
  local as=$1 port network=host
  shift
  port=$(docker port "$as" 7777/udp 2>/dev/null | head -n 1) || true
  if [[ ! $port ]]; then
    network=container:$as
    port=127.0.0.1:7777
  fi
  docker run --rm --network "$network" "${locked[@]}" -v "$as:/keys:ro" "$client_image" connect "$port" --seconds 2 "$@"
}

check_first_try() {
  local page=docker/README.md public=192.0.2.1:7777
  local strangers=(--bind 0.0.0.0 --allow-strangers)
  local keyed=(--bind 0.0.0.0 --public-address "$public" --key-file /keys/ring --create-key)
  check "$page shows how to try it without keys" grep -qF -- "/udp tickbox-server ${strangers[*]}" "$page"
  check "$page shows how to run it with keys" grep -qF -- "/udp tickbox-server ${keyed[*]}" "$page"

  check 'a server that allows strangers gets ready' first_try "$name-strangers" "${strangers[@]}"
  check 'and warns of it' has_said "$name-strangers" strangers_allowed
  check 'a client without a key plays on it' exits 0 reach "$name-strangers"

  check 'a server with a key and a public address gets ready' first_try "$name-keyed" "${keyed[@]}"
  check 'a client without a token is refused there' exits 4 reach "$name-keyed"
  check 'a token for the public address is issued' exits 0 docker run --rm --network none "${locked[@]}" \
    -v "$name-keyed:/keys" "$client_image" token issue --key-file /keys/ring --client 7 --server "$public" --expires 60s \
    --out /keys/player.token
  check 'and lets a client in' exits 0 reach "$name-keyed" --token /keys/player.token

  check 'a server with neither gets ready' first_try "$name-loopback"
  check 'and says that no published port reaches it' has_said "$name-loopback" 'loopback_in_container address=127.0.0.1:7777'
  docker rm -f "$name-strangers" "$name-keyed" "$name-loopback" >/dev/null
}

start_server() {
  docker run -d --name "$name" --network none "${locked[@]}" -v "$name:/data" -v "$name-keys:/keys" "$server_image" \
    --key-file /keys/ring --create-key --record /data --json >/dev/null
  check 'the server gets healthy on a read-only root, without a capability' within 60 is_healthy
  docker logs "$name" >"$work/server.out" 2>"$work/server.err"
  check 'it says that it is ready, and where' \
    holds '.event == "ready" and .address == "127.0.0.1:7777" and .admin == "127.0.0.1:9180"' "$work/server.out"
  check 'its process has the user id 65532' same 65532 "$(docker top "$name" -eo pid,uid | awk 'END { print $2 }')"
}

# ring: the key file, as it lies in the volume.
ring() { docker cp "$name:/keys/ring" - | tar -xO; }

check_key() {
  check 'it has made one key file, and says so' same 1 "$(times_said "$name" 'key_file_created path=/keys/ring')"
  check 'for the user 65532 alone' same '-rw------- 65532/65532' \
    "$(docker cp "$name:/keys/ring" - | tar -tv --numeric-owner | awk '{ print $1, $2 }')"
  ring >"$work/ring"
  check 'with one key in it' same 1 "$(grep -cxE '1 [0-9a-f]{64}' "$work/ring")"
  check 'a client without a key or token is refused' exits 4 beside connect 127.0.0.1:7777 --seconds 1
  check 'and told why' grep -qF 'this server needs a token' "$work/said"
}

# Nothing that an engine keeps and shows about the containers has the key in it.
check_secrecy() {
  grep -oE '[0-9a-f]{64}$' "$work/ring" >"$work/secret"
  {
    docker logs "$name"
    docker logs "$name-played"
    docker inspect "$name" "$name-played"
    docker image inspect "$server_image" "$client_image"
    docker volume inspect "$name-keys"
  } >"$work/shown" 2>&1
  check 'there is a key that could be shown' same 1 "$(wc -l <"$work/secret")"
  check 'no log and no inspection shows it' exits 1 grep -qiFf "$work/secret" "$work/shown"
}

play() {
  check 'a client plays for 5 s' exits 0 client connect 127.0.0.1:7777 --seconds 5 --json
  check 'its hashes are the server'"'"'s' holds '.state_hash.checked > 40 and .state_hash.mismatched == 0' "$work/said"
  check 'a name resolves in the static program' exits 0 client connect localhost:7777 --seconds 1 --json
  check '16 clients play for 10 s' \
    exits 0 client load 127.0.0.1:7777 --clients 16 --seconds 10 --admin 127.0.0.1:9180 --json
  check 'all of them connected, none was dropped, no hash differed' holds \
    '.clients.connected == 16 and .clients.dropped == 0 and .state_hash.checked > 1000 and .state_hash.mismatched == 0' \
    "$work/said"
  check 'the server is still healthy' exits 0 docker exec "$name" /tickbox-server health
}

# Beside the server, in its namespace. Only its build needs npm's registry.
check_gateway() {
  local container=$name-gateway run=(docker run --network "container:$name" "${locked[@]}")
  if ! engine_build "$work/context" gateway "$gateway_image" -f "$work/context/docker/gateway/Dockerfile" --build-arg "COMMIT=$commit"; then
    tail -n 20 "$work/build.log" >&2
    if grep -qE 'npm.* (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|SELF_SIGNED_CERT_IN_CHAIN)' "$work/build.log"; then
      say 'the gateway is not checked: no build reaches the registry of npm'
      return
    fi
    die 'the image of the gateway does not build'
  fi
  check 'the gateway refuses an unknown option' exits 2 "${run[@]}" --rm "$gateway_image" --no-such-option
  check 'and a page that is not there' exits 2 "${run[@]}" --rm "$gateway_image" --files /page
  "${run[@]}" -d --name "$container" "$gateway_image" --to 127.0.0.1:7777 >/dev/null
  check 'the gateway gets healthy on a read-only root, without a capability' within 60 is_healthy "$container"
  check 'it names its server to pages' exits 0 docker exec "$container" node -e \
    'fetch("http://127.0.0.1:8080/gateway").then((said) => said.json()).then(({ servers }) => process.exit(servers[0].address === "127.0.0.1:7777" ? 0 : 1))'
  docker stop -t 10 "$container" >/dev/null
  check 'SIGTERM ends it with 0' same 0 "$(state '{{.State.ExitCode}}' "$container")"
  engine_build "$work/context" sbom "$sbom_image-gateway" -f "$work/context/docker/gateway/Dockerfile" || die 'the gateway has no list of components'
  files_of "$sbom_image-gateway" | tar -x -C "$work" sbom.json
  local each
  for each in ws node-datachannel libdatachannel openssl nodejs libc6; do
    check "its list of components has $each" exits 0 jq -e \
      ".components[] | select(.name == \"$each\") | (.version | length > 0) and (.purl | startswith(\"pkg:\"))" "$work/sbom.json"
  done
}

stop() {
  docker run -d --name "$name-played" --network "container:$name" "${locked[@]}" -v "$name-keys:/keys:ro" "$client_image" \
    connect 127.0.0.1:7777 --key-file /keys/ring --seconds 120 --json >/dev/null
  sleep 3
  local began=$SECONDS
  docker stop -t 30 "$name" >/dev/null
  check "it stopped $((SECONDS - began)) s after SIGTERM, within $drain_max s" test $((SECONDS - began)) -le "$drain_max"
  check 'its exit code is 0' same 0 "$(state '{{.State.ExitCode}}')"
  check 'the client that was playing received the end, and left with 4' same 4 "$(timeout 10 "$docker_program" wait "$name-played")"
}

verify_recording() {
  local recordings pages file
  docker cp "$name:/data/." - | tar -tv --numeric-owner | grep -v '/$' >"$work/recordings" || true
  recordings=$(grep -cE ' 65532/65532 .*\.tickbox$' "$work/recordings") || true
  pages=$(grep -cE ' 65532/65532 .*/view-[a-z]+-[0-9a-f]{16}\.html$' "$work/recordings") || true
  check 'one recording and its page, of the user 65532, are in /data' same '1 and 1 of 2' \
    "$recordings and $pages of $(wc -l <"$work/recordings")"
  file=$(awk '/\.tickbox$/ { print $NF }' "$work/recordings")
  check 'it replays' exits 0 docker run --rm --network none "${locked[@]}" -v "$name:/data:ro" "$client_image" \
    replay verify "/data/${file#./}" --json
  check 'to the same hashes, every tick, to its end' holds '.ticks > 600 and .mismatched == 0 and .complete' "$work/said"
}

restart() {
  docker start "$name" >/dev/null
  check 'started again, it gets healthy' within 60 is_healthy
  ring >"$work/ring.again"
  check 'its key file is the same' cmp -s "$work/ring" "$work/ring.again"
  check 'and was not made again' same 1 "$(times_said "$name" 'key_file_created')"
  check 'a client with that key plays' exits 0 client connect 127.0.0.1:7777 --seconds 1 --json
}

rotate() {
  check 'a key is put before it, in the volume' exits 0 docker run --rm --network none "${locked[@]}" \
    -v "$name-keys:/keys" "$client_image" token keygen --out /keys/ring --rotate
  docker kill -s HUP "$name" >/dev/null
  check 'SIGHUP has it read' within 10 has_said "$name" 'keys_reloaded keys=2 newest=2'
  check 'then it is' exits 0 client connect 127.0.0.1:7777 --seconds 1
  docker stop -t 30 "$name" >/dev/null
  check 'the exit code is 0 again' same 0 "$(state '{{.State.ExitCode}}')"
}

check_compose() {
  if docker compose version >/dev/null 2>&1; then
    compose=("$docker_program" compose)
  elif command -v docker-compose >/dev/null; then
    compose=(docker-compose)
  else
    say 'docker/compose.yaml is not checked: no compose program'
    return
  fi
  compose+=(-p "$name" -f docker/compose.yaml)
  export TICKBOX_TAG=test-$$ TICKBOX_SECONDS=5
  check 'the profiles monitoring and play are well-formed' exits 0 "${compose[@]}" --profile monitoring --profile play config
  local played=0
  "${compose[@]}" up --no-build --abort-on-container-exit --exit-code-from load >"$work/said" 2>&1 || played=$?
  [ "$played" -ne 5 ] || played=0  # this machine was too busy to judge the server
  check 'compose plays its load to the end' same 0 "$played"
  check 'and stops its server with 0' same 0 \
    "$(docker inspect -f '{{.State.ExitCode}}' "$("${compose[@]}" ps -a -q server 2>/dev/null)")"
}

engine_up
if [[ $only ]]; then
  "build_$only"
  checked
  exit
fi
copy_tree
share_objects
build
check_image
check_version
check_labels
check_sbom
check_packages
check_refusals
check_first_try
start_server
check_key
play
check_gateway
stop
verify_recording
restart
check_secrecy
rotate
check_compose
if ((failed)); then
  say 'the last the server said'
  docker logs --tail 20 "$name" >&2 || true
fi
checked

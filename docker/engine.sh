# shellcheck shell=bash
# Finds a Docker engine, or starts one that lives as long as the script that sourced this, after checks.sh.
#
# The sourcing script calls engine_up, then docker and engine_build, and engine_down in its EXIT trap. An engine of our own
# needs no network set-up, no registry and nothing of an earlier run: everything it writes is under the folder $work, and it is
# ended by its own process id.

docker_program=docker
dockerd_pid=        # the process id of our own engine
building=           # the process id of a build under way
base_image=         # made here, because there is no registry
cached_image=       # the builder with this machine's cache of objects
builder=$(sed -n 's/^ARG BUILDER=//p' docker/Dockerfile)
build_network=()

docker() { command "$docker_program" "$@"; }

is_debian_root() { [[ $EUID -eq 0 && -f /etc/debian_version ]]; }

# shellcheck source=server/packages.sh
. server/packages.sh
install_packages() { tickbox_ensure_packages "$@" || die "missing: $*"; }

# A bridge would need iptables and a kernel module; a container without a network still has its own loopback.
start_engine() {
  docker_program=/usr/bin/docker  # of the same package, so of the same version
  export DOCKER_HOST=unix://$work/docker.sock
  PATH=$PATH:/usr/sbin:/sbin setsid dockerd --iptables=false --ip6tables=false --bridge=none \
    --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/docker.pid" --host "$DOCKER_HOST" \
    >"$work/dockerd.log" 2>&1 &
  dockerd_pid=$!
  local try
  for ((try = 0; try < 300; ++try)); do
    docker info >/dev/null 2>&1 && return
    kill -0 "$dockerd_pid" 2>/dev/null || break
    sleep 0.1
  done
  tail -n 20 "$work/dockerd.log" >&2
  die 'dockerd did not start'
}

# Makes a builder like the registry's, from the machine's own package source.
# shellcheck disable=SC2016  # the $(FIELD)s are apt's
make_base_image() {
  local codename mirror base=$work/base include=
  codename=$(. /etc/os-release && printf %s "$VERSION_CODENAME")
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $codename" | head -n 1)
  [[ $mirror ]] || die "no package source of Debian $codename is known to apt"
  [[ $mirror != https:* ]] || include=--include=ca-certificates
  if ! PATH=$PATH:/usr/sbin:/sbin debootstrap --variant=minbase ${include:+"$include"} "$codename" "$base" "$mirror" \
    >"$work/debootstrap.log" 2>&1; then
    tail -n 20 "$work/debootstrap.log" >&2
    die 'debootstrap could not make the builder base'
  fi
  apt-get indextargets --format 'deb $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' 'Origin: Debian' \
    >"$base/etc/apt/sources.list"
  [[ ! $include ]] || cp /etc/ssl/certs/ca-certificates.crt "$base/etc/ssl/certs/"
  echo force-unsafe-io >"$base/etc/dpkg/dpkg.cfg.d/unsafe-io"
  # npm reaches its registry by what this machine trusts, and the package ca-certificates writes its own file.
  local trusted=/etc/machine.crt change=()
  if cp /etc/ssl/certs/ca-certificates.crt "$base$trusted" 2>/dev/null; then change=(--change "ENV NODE_EXTRA_CA_CERTS=$trusted"); fi
  base_image=tickbox-test-base:$$
  tar -C "$base" --numeric-owner --one-file-system -c . | docker import ${change[@]+"${change[@]}"} - "$base_image" >/dev/null
  rm -rf --one-file-system "$base"
  builder=$base_image
}

engine_up() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/tickbox-docker.XXXXXX")
  local missing=()
  command -v jq >/dev/null || missing+=(jq)
  local own=
  if ! timeout 10 docker info >/dev/null 2>&1; then
    is_debian_root || die 'no Docker engine answers, and only root on Debian can start one here'
    own=yes
    missing+=(docker.io docker-compose)
  fi
  if ((${#missing[@]})); then
    is_debian_root || die "missing: ${missing[*]}"
    say "installing ${missing[*]}"
    install_packages "${missing[@]}"
  fi
  if [[ $own ]]; then
    say 'starting an engine'
    start_engine
  fi
  if ! docker image inspect "$builder" >/dev/null 2>&1 && ! timeout 60 docker pull -q "$builder" >/dev/null 2>&1; then
    is_debian_root || die "$builder cannot be pulled, and only root on Debian can make its like"
    say "making a builder: $builder cannot be pulled"
    command -v debootstrap >/dev/null || install_packages debootstrap
    make_base_image
  fi
  [[ -z $dockerd_pid && -z $base_image ]] || build_network=(--network host)
}

# engine_build CONTEXT TARGET TAG OPTION...: builds an image; the output is in $work/build.log. Docker runs in the
# background, so that a signal is handled at once.
engine_build() {
  "$docker_program" build ${build_network[@]+"${build_network[@]}"} --build-arg "BUILDER=$builder" \
    -f "$1/docker/Dockerfile" --target "$2" -t "$3" "${@:4}" "$1" >"$work/build.log" 2>&1 &
  building=$!
  wait "$building" || return
  building=
}

# Gives the builder what this machine has compiled in the last hours: .ci/run compiles the same objects for the tests. The
# image is the same without, only later.
# shellcheck disable=SC2016  # Docker expands its name
share_objects() {
  local cache=${CCACHE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/ccache}
  [[ -d $cache ]] || return 0
  mkdir -p "$work/cached"/{objects,docker}
  # Another build may remove some meanwhile.
  find "$cache" -type f -mmin -180 -printf '%P\0' | { tar -C "$cache" -c --null -T - || true; } | tar -x -C "$work/cached/objects"
  cached_image=tickbox-test-cached:$$
  {
    echo 'ARG BUILDER'
    echo 'FROM ${BUILDER} AS cached'
    echo 'RUN apt-get update && apt-get install -y --no-install-recommends ccache'
    echo 'COPY objects /objects'
    echo 'ENV CCACHE_DIR=/objects'
    # An object depends on the language of its warnings.
    (tickbox_share_cache /src && env | grep -E '^(CCACHE_(BASEDIR|NOHASHDIR|SLOPPINESS|PCH_EXTSUM|COMPILERCHECK)|LANG|LC_ALL|LC_CTYPE|LC_MESSAGES)=' |
      sed 's/^/ENV /')
  } >"$work/cached/docker/Dockerfile"
  engine_build "$work/cached" cached "$cached_image" || die "the builder takes no objects: $(tail -n 1 "$work/build.log")"
  rm -rf "$work/cached"
  builder=$cached_image
}

# dockerd ends its containerd itself. Only a dockerd that had to be killed leaves its containerd behind.
stop_engine() {
  local containerd_pid try
  containerd_pid=$(cat "$work/exec/containerd/containerd.pid" 2>/dev/null) || true
  kill "$dockerd_pid" 2>/dev/null || true
  for ((try = 0; try < 200; ++try)); do
    kill -0 "$dockerd_pid" 2>/dev/null || break
    sleep 0.1
  done
  if kill -KILL "$dockerd_pid" 2>/dev/null && [[ $containerd_pid ]]; then
    kill -KILL "$containerd_pid" 2>/dev/null || true
  fi
  wait "$dockerd_pid" 2>/dev/null || true
}

engine_down() {
  [[ $work ]] || return 0
  [[ ! $building ]] || kill "$building" 2>/dev/null || true
  if [[ $dockerd_pid ]]; then
    docker ps -aq 2>/dev/null | xargs -r "$docker_program" rm -f -v >/dev/null 2>&1 || true
    stop_engine
  else
    docker rmi ${cached_image:+"$cached_image"} ${base_image:+"$base_image"} >/dev/null 2>&1 || true
  fi
  local mounts
  mounts=$(awk -v under="$work/" 'index($2, under) == 1 { print $2 }' /proc/mounts | sort -r)
  [[ ! $mounts ]] || xargs -r umount -l <<<"$mounts" || true
  rm -rf --one-file-system "$work"
}

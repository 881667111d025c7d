#!/usr/bin/env bash
# Installs the packages on this Debian, under a systemd of its own, upgrades and removes them, and leaves no trace.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() {
  cat <<'TEXT'
usage: docker/package/test.sh FOLDER

Checks tickbox-server_*.deb and tickbox_*.deb of FOLDER: what they hold, and how far the unit is locked down. Then boots
systemd in a container (systemd-nspawn) whose root is this machine's, under a layer that is thrown away. There it upgrades
from a version without an admin token, plays, reloads, hands over a key, lets the watchdog end a server that does not answer,
has the port taken, upgrades, stops, removes and purges.

Needs root on Debian, and installs systemd-container if that is missing. Without FOLDER: of build/package, as
`cmake --preset package && cmake --build --preset package && cpack --preset package` makes them.

One line per check on stdout, progress on stderr.  Exit: 0 all passed, 1 something failed, 2 wrong usage.
TEXT
}

case ${1-} in
  -h | --help) usage; exit 0 ;;
  -*) printf 'docker/package/test.sh: unknown option %s (only --help is known)\n' "$1" >&2; exit 2 ;;
esac

# shellcheck source=docker/checks.sh
. docker/checks.sh
# shellcheck source=server/packages.sh
. server/packages.sh

readonly unit=tickbox-server.service
readonly state=/var/lib/tickbox
readonly exposure_max=20  # tenths, of 100: systemd-analyze calls all below 40 ok
folder=${1:-build/package}
container=  # the process id of systemd-nspawn
init=       # that of the systemd in it

take_down() {
  local status=$?
  trap - EXIT
  trap '' INT TERM
  if [[ $container ]]; then
    kill "$container" 2>/dev/null || true
    within 20 gone "$container" || kill -KILL "$container" 2>/dev/null || true
  fi
  if [[ $work ]]; then
    umount -l "$work/root" 2>/dev/null || true
    umount -l "$work/layer" 2>/dev/null || true
    rm -rf --one-file-system "$work"
  fi
  exit "$status"
}
gone() { ! kill -0 "$1" 2>/dev/null; }
trap take_down EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

[[ $EUID -eq 0 && -f /etc/debian_version ]] || die 'only root on Debian can boot a container here'
tickbox_ensure_packages systemd systemd-container jq curl
work=$(mktemp -d "${TMPDIR:-/tmp}/tickbox-package.XXXXXX")

# package NAME: the file of a package.
package() {
  local files=("$folder/$1"_[0-9]*.deb)
  [[ ${#files[@]} -eq 1 && -f ${files[0]} ]] || die "$folder must hold one $1_*.deb"
  printf %s "${files[0]}"
}
server=$(package tickbox-server)
clients=$(package tickbox)
readonly server clients

# files_of PACKAGE: the paths of what it holds, without folders.
files_of() { dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sed 's|^\.||' | sort | paste -sd ' '; }

check_contents() {
  check 'tickbox-server holds the program, its unit, its configuration and the licence' \
    same "/etc/tickbox/server.toml /usr/bin/tickbox-server /usr/lib/systemd/system/$unit /usr/share/doc/tickbox-server/copyright" \
    "$(files_of "$server")"
  check 'tickbox holds the program and the licence' \
    same '/usr/bin/tickbox /usr/share/doc/tickbox/copyright' "$(files_of "$clients")"
  check 'all of it belongs to root' same '0/0' \
    "$(for each in "$server" "$clients"; do dpkg-deb --fsys-tarfile "$each"; done | tar -tv -i --numeric-owner | awk '{ print $2 }' | sort -u)"
  check 'they depend on no other package' same '' "$(dpkg-deb -f "$server" Depends)$(dpkg-deb -f "$clients" Depends)"
  check 'the configuration is the administrator'"'"'s' same /etc/tickbox/server.toml "$(dpkg-deb -I "$server" conffiles)"
  dpkg-deb -x "$server" "$work/unpacked"
  local figure
  figure=$(systemd-analyze security --offline=true "$work/unpacked/usr/lib/systemd/system/$unit" | tail -n 1)
  check "the unit is locked down:${figure#*for "$unit":}" exits 0 systemd-analyze security --offline=true \
    --threshold=$exposure_max "$work/unpacked/usr/lib/systemd/system/$unit"
}

# A version of before: its unit and its configuration know no admin token.
make_before() {
  dpkg-deb -R "$server" "$work/before"
  sed -i 's/^Version: .*/&~before/' "$work/before/DEBIAN/control"
  sed -i '/admin-token/d' "$work/before/etc/tickbox/server.toml"
  local file=$work/before/usr/lib/systemd/system/$unit
  sed -i -e "/^ExecStartPre=/,/}'/d" -e "/^ExecStart=/,/quiet'/c ExecStart=/usr/bin/tickbox-server --config /etc/tickbox/server.toml --quiet" "$file"
  if grep -q 'admin-token' "$file"; then die "this test cannot take the token out of $unit any more"; fi
  dpkg-deb --root-owner-group -b "$work/before" "$work/before.deb" >/dev/null
}

# The next version: another number, and another configuration.
make_upgrade() {
  dpkg-deb -R "$server" "$work/next"
  sed -i 's/^Version: .*/&+next/' "$work/next/DEBIAN/control"
  echo '# a line of the next version' >>"$work/next/etc/tickbox/server.toml"
  dpkg-deb --root-owner-group -b "$work/next" "$work/next.deb" >/dev/null
}

# Boots systemd over a copy of this machine's root that costs nothing and is gone afterwards.
boot() {
  say 'booting'
  mkdir "$work/layer" "$work/root"
  mount -t tmpfs tmpfs "$work/layer"
  mkdir "$work/layer/upper" "$work/layer/work"
  mount -t overlay overlay -o "lowerdir=/,upperdir=$work/layer/upper,workdir=$work/layer/work" "$work/root"
  rm -f "$work/root/usr/sbin/policy-rc.d"  # of a machine that starts no services
  mkdir -p "$work/root/packages"
  cp "$server" "$work/root/packages/server.deb"
  cp "$clients" "$work/root/packages/clients.deb"
  cp "$work/before.deb" "$work/next.deb" "$work/root/packages"
  SYSTEMD_UNIFIED_CGROUP_HIERARCHY=1 systemd-nspawn --quiet --directory="$work/root" --register=no --keep-unit \
    --private-network --link-journal=no --console=pipe --boot -- --unit=basic.target >"$work/boot.log" 2>&1 </dev/null &
  container=$!
  within 20 has_init || die "no systemd was started: $(tail -n 5 "$work/boot.log")"
  check 'systemd is up' within 60 is_up
}
has_init() {
  init=$(cat "/proc/$container/task/$container/children" 2>/dev/null) && init=${init%% *} && [[ $init ]]
}

# inside COMMAND...: runs it in the container.
inside() { nsenter --target "$init" --all -- "$@"; }

is_up() { inside systemctl --quiet is-active basic.target 2>/dev/null; }

# shows PROPERTY: one of the unit's.
shows() { inside systemctl show --value -p "$1" "$unit"; }

# is PROPERTY VALUE
is() { [[ $(shows "$1") == "$2" ]]; }

# logged WORDS: whether the server has logged them.
logged() { inside journalctl --quiet -u "$unit" -o cat | grep -cF -- "$1" >/dev/null; }

# with LINE...: sets lines of [Service] until the next boot.
with() {
  inside mkdir -p "/run/systemd/system/$unit.d"
  printf '%s\n' '[Service]' "$@" | inside tee "/run/systemd/system/$unit.d/test.conf" >/dev/null
  inside systemctl daemon-reload
}

play() { inside tickbox connect 127.0.0.1:7777 --key-file "$state/ring" --seconds "$1"; }

# reads PATH: the status that another account of the machine gets for a path of the admin side.
reads() {
  inside setpriv --reuid=65534 --regid=65534 --clear-groups curl -s -o /dev/null -w '%{http_code}' --max-time 2 \
    "http://127.0.0.1:9180$1" || true
}

check_install() {
  check 'dpkg installs the version before' exits 0 inside dpkg -i /packages/before.deb
  check 'there each account reads the recordings' same 200 "$(reads /recordings)"
  inside sed -i 's/^drain-time = .*/drain-time = "2s"/' /etc/tickbox/server.toml
  check 'dpkg installs both, over a changed configuration' exits 0 \
    inside dpkg -i --force-confdef --force-confold /packages/server.deb /packages/clients.deb
  check 'which stays, and names no admin token' inside sh -c '! grep admin-token /etc/tickbox/server.toml'
  check 'no account reads the recordings' same 401 "$(reads /recordings)"
  check 'nor a live match' same 401 "$(reads /rooms/1/log)"
  check 'probes need no token' same 200 "$(reads /readyz)"
  check 'the admin token is its own' same '-rw-------' "$(inside stat -c %A "$state/admin-token")"
  check 'with it, load reads the metrics' exits 0 inside tickbox load 127.0.0.1:7777 --key-file "$state/ring" --clients 2 \
    --ramp 0 --seconds 1 --verify 0 --admin 127.0.0.1:9180 --admin-token-file "$state/admin-token" --require 'ticks_skipped>=0'
  inside mv /etc/tickbox/server.toml.dpkg-dist /etc/tickbox/server.toml
  inside systemctl restart "$unit"
  check 'the configuration of the package has the same token' same 401 "$(reads /recordings)"
  check 'systemd finds no fault in the unit' exits 0 inside systemd-analyze verify "$unit"
  check 'the service is started: clients can connect' is ActiveState active
  check 'and will be started at each boot' inside systemctl --quiet is-enabled "$unit"
  check 'its status says how it is' is StatusText 'ok, 0 clients'
  check 'it is healthy' exits 0 inside tickbox-server health
  local process
  process=$(shows MainPID)
  # systemd's range for the users of DynamicUser.
  # shellcheck disable=SC2016 # awk expands it
  check 'it runs as a user of its own' inside awk '/^Uid:/ { exit !($2 >= 61184 && $2 <= 65519) }' "/proc/$process/status"
  check 'without a capability' inside grep -qx 'CapEff:	0000000000000000' "/proc/$process/status"
  check 'a client with its key plays on it' exits 0 play 1
  check 'its key is its own' same '-rw-------' "$(inside stat -c %A "$state/ring")"
  check 'a client without the key does not' exits 4 inside tickbox connect 127.0.0.1:7777 --seconds 1
}

check_reload() {
  check 'a key is put before its own' exits 0 inside tickbox token keygen --out "$state/ring" --rotate
  check 'a reload reads it' exits 0 inside systemctl reload "$unit"
  check 'and says so' within 10 logged 'keys_reloaded keys=2'
  check 'the service is up after it' within 10 is ActiveState active
}

# A key file of the administrator, as the README hands it to the service.
check_credential() {
  inside cp -p /etc/tickbox/server.toml /root/server.toml
  check 'the administrator makes a key' exits 0 inside tickbox token keygen --out /root/ring
  with 'LoadCredential=ring:/root/ring'
  inside sed -i -e "s|^key-file = .*|key-file = \"/run/credentials/$unit/ring\"|" -e '/^create-key/d' /etc/tickbox/server.toml
  inside systemctl restart "$unit"
  check 'systemd hands it to the service, which starts' is ActiveState active
  check 'a client with that key plays on it' exits 0 inside tickbox connect 127.0.0.1:7777 --key-file /root/ring --seconds 1
  check 'a client with the key of before does not' exits 4 play 1
  inside mv /root/server.toml /etc/tickbox/server.toml
}

check_watchdog() {
  with WatchdogSec=2s
  inside systemctl restart "$unit"
  local process
  process=$(shows MainPID)
  sleep 5
  check 'the watchdog lets a server live that ticks' is MainPID "$process"
  inside kill -STOP "$process"
  check 'it ends one that does not' within 20 is NRestarts 1
  check 'which is started again' within 20 is ActiveState active
  check 'and then plays' exits 0 play 1
}

# Another program has the port, as a server that drains does.
check_port() {
  inside systemctl stop "$unit"
  inside timeout 20 python3 -c 'import socket, time; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.bind(("127.0.0.1", 7777)); print("bound", flush=True); time.sleep(15)' >"$work/bound" &
  within 20 test -s "$work/bound"
  inside systemctl start --no-block "$unit"
  check 'a server whose port is taken is not given up' within 40 is ActiveState active
  check "which took $(shows NRestarts) starts" test "$(shows NRestarts)" -ge 2
}

check_upgrade() {
  # Shorter than the drain: the server must ask for its time.
  with TimeoutStopSec=2s
  inside sed -i 's/^drain-time = .*/drain-time = "5s"/' /etc/tickbox/server.toml
  inside systemctl restart "$unit"
  play 60 >"$work/played" 2>&1 &
  local player=$! process began
  check 'a client plays' within 20 played
  process=$(shows MainPID)
  began=$SECONDS
  check 'dpkg installs the next version' exits 0 inside dpkg -i --force-confdef --force-confold /packages/next.deb
  check "it drained for $((SECONDS - began)) s, of 5" test $((SECONDS - began)) -ge 4
  wait "$player" || true
  check 'the server before has closed all of its files' logged ' stopped'
  check 'and was not killed' same '' "$(inside journalctl --quiet -u "$unit" -o cat | grep -F SIGKILL)"
  check 'another process serves' test "$process" != "$(shows MainPID)"
  check 'and is ready' is ActiveState active
  check 'the configuration is still that of the administrator' inside grep -qx 'drain-time = "5s"' /etc/tickbox/server.toml
  check 'with that of the package beside it' inside test -f /etc/tickbox/server.toml.dpkg-dist
  check 'every recording is whole' exits 0 inside sh -c \
    "for each in $state/recordings/*.tickbox; do [ \"\$each\" = \"\$(ls -t $state/recordings/*.tickbox | head -n 1)\" ] || tickbox replay verify \"\$each\" || exit; done"
}
played() { inside journalctl --quiet -u "$unit" -o cat -n 3 | grep -cF session_opened >/dev/null; }

check_removal() {
  check 'it is removed' exits 0 inside dpkg -r tickbox-server
  check 'its process has ended' is MainPID 0
  check 'its configuration stays' inside test -f /etc/tickbox/server.toml
  check 'its key and its recordings stay' inside sh -c "[ -s $state/ring ] && ls $state/recordings/*.tickbox >/dev/null"
  check 'installed again, it serves with the same key' exits 0 inside dpkg -i --force-confold /packages/next.deb
  check 'to the same clients' exits 0 play 1
  check 'it is purged' exits 0 inside dpkg -P tickbox-server
  check 'with its configuration' inside sh -c '! ls /etc/tickbox/server.toml /etc/systemd/system/*/tickbox-server.service 2>/dev/null'
  check 'its key and its recordings stay all the same' inside test -s "$state/ring"
  check 'systemd does not know it any more' is LoadState not-found
}

check_contents
make_before
make_upgrade
boot
check_install
check_reload
check_credential
check_watchdog
check_port
check_upgrade
check_removal
if ((failed)); then
  say 'the last the server said'
  inside journalctl --quiet -u "$unit" -o short-monotonic -n 40 >&2 || true
fi
checked

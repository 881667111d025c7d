# Sourced by the scripts that play on a real server: where it runs, how it is asked, what is left behind.
# shellcheck shell=bash

# One processor for the server, another for everybody else, where there are two.
# shellcheck disable=SC2034 # read by who sources this
of_server=(env) of_others=(env)
if [ "$(nproc)" -ge 2 ] && command -v taskset >/dev/null; then
    # shellcheck disable=SC2034 # read by who sources this
    of_server=(taskset -c 0) of_others=(taskset -c 1)
fi

# When the script ends, this folder is removed, and the processes in `running` are stopped.
scratch=$(mktemp -d)
running=()
# shellcheck disable=SC2317 # called by the trap
clean_up() {
    local pid
    for pid in "${running[@]}"; do
        kill "$pid" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap clean_up EXIT

# Waits for the ready line of a server in a file, and sets address and admin by it.   find_server FILE
find_server() {
    for _ in $(seq 100); do
        [ ! -s "$1" ] || break
        sleep 0.1
    done
    # shellcheck disable=SC2034 # read by who sources this
    if ! address=$(jq -er .address "$1") || ! admin=$(jq -r .admin "$1"); then
        echo "$0: the server did not start: $(jq -r '.error // "it said nothing within 10 s"' "$1")" >&2
        exit 1
    fi
}

# Makes a token for the admin side of a server, in $scratch/token.
make_admin_token() {
    head -c 32 /dev/urandom | base64 >"$scratch/token"
    chmod 600 "$scratch/token"
}

# Prints the body of the answer of a server's admin side.   ask METHOD PATH HOST:PORT [HEADER...]
ask() {
    exec 3<>"/dev/tcp/${3%:*}/${3##*:}"
    printf '%s\r\n' "$1 $2 HTTP/1.1" "Host: $3" 'Connection: close' "${@:4}" '' >&3
    sed '1,/^\r$/d' <&3
    exec 3>&-
}

# metrics HOST:PORT [HEADER...]
metrics() { ask GET /metrics "$@"; }

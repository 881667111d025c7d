# Sourced by the scripts that have options: how they read them. The script has a function usage.
# shellcheck shell=bash

# The top folder of the repository.
# shellcheck disable=SC2034 # read by who sources this
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Ends the script for a command line that means nothing.   wrong WHY
wrong() {
    echo "$0: $1" >&2
    usage >&2
    exit 2
}

# Sets a variable by each option of the command line: --first-seed 5 sets first_seed to 5. What is no option goes into the
# array `arguments`, and what follows -- into `passed_on`, if the list of options has --.
# The list has a kind for each option: a number begins at 1, a count at 0, a text is anything, a switch has no value and sets 1.
# A number or count has at most 5 digits, or as many as its kind says.
#   read_options 'clients=number first-seed=number12 out=text checks=switch --' "$@"
read_options() {
    local -A kinds=()
    local each kind digits
    for each in $1; do
        kinds[--${each%=*}]=${each#*=}
    done
    shift
    arguments=() passed_on=()
    while [ $# -gt 0 ]; do
        each=$1
        shift
        case $each in
        -h | --help)
            usage
            exit 0
            ;;
        --)
            [ -n "${kinds[----]:-}" ] || wrong "unknown: --"
            # shellcheck disable=SC2034 # read by who sources this
            passed_on=("$@")
            return
            ;;
        -*) kind=${kinds[$each]:-} ;;
        *)
            arguments+=("$each")
            continue
            ;;
        esac
        [ -n "$kind" ] || wrong "unknown: $each"
        [ "$kind" = switch ] || [ $# -ge 1 ] || wrong "$each needs a value"
        digits=${kind##*[a-z]}
        digits=${digits:-5}
        case $kind in
        number*) [[ $1 =~ ^[1-9][0-9]*$ && ${#1} -le $digits ]] || wrong "$each takes a number from 1 of at most $digits digits, not $1" ;;
        count*) [[ $1 =~ ^[0-9]+$ && ${#1} -le $digits ]] || wrong "$each takes a number of at most $digits digits, not $1" ;;
        switch) set -- 1 "$@" ;;
        esac
        each=${each#--}
        declare -g "${each//-/_}=$1"
        shift
    done
}

# For a script whose command line has options only.
no_arguments() { [ ${#arguments[@]} -eq 0 ] || wrong "unknown: ${arguments[0]}"; }

# shellcheck shell=bash
# Sourced by the tests of images and packages: one line per check on stdout, progress on stderr, and the count at the end.

work=  # the folder for what the run writes
passed=0
failed=0

say() { printf '== %s\n' "$*" >&2; }
die() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

# check WHAT COMMAND...: passes if the command succeeds.
check() {
  local what=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok - %s\n' "$what"
  else
    failed=$((failed + 1))
    printf 'not ok - %s\n' "$what"
  fi
}

# exits CODE COMMAND...: runs the command quietly, and succeeds if its exit code is CODE.
exits() {
  local wanted=$1 got=0
  shift
  "$@" >"$work/said" 2>&1 || got=$?
  ((got == wanted)) && return
  printf '# exit %d, not %d: %s\n' "$got" "$wanted" "$(tail -n 3 "$work/said")" >&2
  return 1
}

# holds FILTER FILE: whether jq's filter is true of the document on the file's last line.
holds() {
  tail -n 1 "$2" | jq -e "$1" >/dev/null && return
  printf '# %s does not hold in: %s\n' "$1" "$(tail -n 1 "$2")" >&2
  return 1
}

# same WANTED GOT: succeeds if the two are equal.
same() {
  [[ $1 == "$2" ]] && return
  printf '# %s, not %s\n' "$2" "$1" >&2
  return 1
}

# within SECONDS COMMAND...: whether the command succeeds within this time.
within() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.2
  done
}

# checked: prints the count. Succeeds if no check failed.
checked() {
  say "took $SECONDS s"
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}

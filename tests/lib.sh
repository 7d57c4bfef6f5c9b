# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# For every test script: a folder of its own, the built heddle, and checks that
# say what they saw. Source it; a failed check ends the script with exit 1.
set -euo pipefail

: "${top_srcdir:?run by make check}" "${top_builddir:?run by make check}"
heddle=$top_builddir/heddle
name=$(basename "$0" .sh)
work=$top_builddir/tests/out/$name
examples=$top_srcdir/examples
export programs=$top_srcdir/tests/programs
rm -rf "$work"
mkdir -p "$work"
cd "$work"
checks=0
export XDG_STATE_HOME=$work/state
unset HEDDLE HEDDLE_CC MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL

finish() {
    local status=$?
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null || true
    if ((status == 0)); then
        rm -rf "$work"
        echo "$checks passed, 0 failed"
    fi
}
trap finish EXIT

fail() {
    printf 'FAILED: %s\n' "$*" >&2
    [[ -f out ]] && sed 's/^/  out| /' out >&2
    [[ -f err ]] && sed 's/^/  err| /' err >&2
    exit 1
}

# status N COMMAND...: it exits with N; output in ./out and ./err.
status() {
    local expected=$1 got=0
    shift
    "$@" >out 2>err || got=$?
    ((got == expected)) || fail "$* gave exit $got, not $expected"
    checks=$((checks + 1))
}

# runs_free PROGRAM [ARG...]: by itself it passes; not every time, for its bug may show there, too.
runs_free() {
    local try
    for try in {1..10}; do
        timeout 60 "$@" >out 2>err || continue
        checks=$((checks + 1))
        return 0
    done
    fail "$* did not pass in any of $try runs by itself"
}

# has FILE REGEX: a line matches.
has() {
    grep -Eq -- "$2" "$1" || fail "$1 has no line like: $2"
    checks=$((checks + 1))
}

hasnt() {
    ! grep -Eq -- "$2" "$1" || fail "$1 has a line like: $2"
    checks=$((checks + 1))
}

same() {
    cmp -s "$1" "$2" || fail "$1 and $2 differ: $(diff "$1" "$2" | head -n 5)"
    checks=$((checks + 1))
}

# one_line N REGEX COMMAND...: exit N, nothing on stdout, exactly one line on stderr.
one_line() {
    local expected=$1 pattern=$2
    shift 2
    status "$expected" "$@"
    [[ $(wc -l <err) == 1 && ! -s out ]] || fail "$*: not one line on stderr alone"
    has err "$pattern"
}

# compile OUT SOURCE...: with heddle cc and CUnit.
compile() {
    local out=$1
    shift
    "$heddle" cc -g -O1 -o "$out" "$@" -lcunit || fail "heddle cc $*"
}

# Both cores and more are busy until the end of the script, or idle().
load() {
    local _
    for _ in 1 2 3 4; do
        (while :; do :; done) &
    done
}

idle() {
    # shellcheck disable=SC2046
    kill $(jobs -p) 2>/dev/null || true
    wait 2>/dev/null || true
}

# example NAME TITLE: the buggy program has exactly one failing schedule, TITLE, that replays
# 100 times out of 100, loaded too; the twin has none, and both accounts close.
example() {
    local example=$1 title=$2 witness
    compile "${example}_test" "$examples/$example/${example}_test.c"
    compile "${example}_fixed_test" "$examples/$example/${example}_fixed_test.c"
    runs_free "./${example}_test"
    status 0 timeout 60 "./${example}_fixed_test"
    status 1 "$heddle" check "./${example}_test"
    has out "^${example}_test: [0-9]+ tests?, [0-9]+ alternatives: [0-9]+ impossible, [0-9]+ harmless, [1-9][0-9]* FAILING\$"
    has out "^  FAIL [a-z_]+/[0-9]+  $title \(${example}_test\.c:[0-9]+\)  [0-9]+ context switch(es)?\$"
    [[ $(grep -c '^  FAIL ' out) == 1 ]] || fail 'not one finding'
    adds_up out
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
    status 1 "$heddle" replay "$witness"
    status 1 "$heddle" replay -n 100 "$witness"
    has out '100 of 100 runs ended so'
    cp out idle.out
    load
    status 1 "$heddle" replay -n 100 "$witness"
    idle
    same out idle.out
    status 0 "$heddle" check -o fixed.out "./${example}_fixed_test"
    has out "^${example}_fixed_test: .* 0 FAILING\$"
    adds_up out
}

# planted NAME TITLE ENDING [SWITCHES]: plain runs pass; check finds TITLE, whose replay says ENDING; every failing
# schedule has at most SWITCHES (3) context switches and replays 10 times out of 10; the twin is clean. Both accounts close.
planted() {
    local example=$1 title=$2 ending=$3 most=${4:-3} count witness
    compile "${example}_test" "$examples/$example/${example}_test.c"
    runs_free "./${example}_test"
    status 1 "$heddle" check -o "$example.out" "./${example}_test"
    has out "^${example}_test: 1 test, [0-9]+ alternatives: [0-9]+ impossible, [0-9]+ harmless, [1-9][0-9]* FAILING\$"
    has out "^  FAIL [a-z_]+/[0-9]+  $title \\(${example}_test\\.c:[0-9]+\\)  [0-9]+ context switch(es)?\$"
    adds_up out
    cp out found
    while read -r count; do
        ((count <= most)) || fail "$example: a witness has $count context switches, more than $most"
        checks=$((checks + 1))
    done < <(sed -n 's/^  FAIL .* \([0-9]*\) context switch.*/\1/p' found)
    while read -r witness; do
        status 1 "$heddle" replay -n 10 "$witness"
        has out '10 of 10 runs ended so'
    done < <(sed -n 's/^ *replay: *heddle replay *//p' found)
    witness=$(sed -nE "/^  FAIL [^ ]+  $title /{n;s/^ *replay: *heddle replay *//p;q}" found)
    status 1 "$heddle" replay "$witness"
    has out "$ending"
    clean "$example" "${example}_fixed_test"
}

# clean NAME PROGRAM: of that example; it passes, nothing fails, the account closes.
clean() {
    compile "$2" "$examples/$1/$2.c"
    status 0 timeout 60 "./$2"
    status 0 "$heddle" check -o "$2.out" "./$2"
    has out "^$2: 1 test, [0-9]+ alternatives: [0-9]+ impossible, [0-9]+ harmless, 0 FAILING\$"
    adds_up out
}

# The columns of check's summary sum to its alternatives.
adds_up() {
    local line
    line=$(head -n 1 "$1")
    # shellcheck disable=SC2001
    [[ $(sed 's/.*, \([0-9]*\) alternatives*:.*/\1/' <<<"$line") == \
        $(($(sed 's/.*alternatives*: //; s/ [a-z ]*\(, \|$\)/+/gi; s/+$//' <<<"$line"))) ]] ||
        fail "the account does not close: $line"
    checks=$((checks + 1))
}

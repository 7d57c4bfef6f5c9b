#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The replayer or the test is killed, the test is deaf, prints without end, takes all memory, leaves
# processes behind; the disk is read-only. Nothing hangs, nothing is left running, no file is half-written.
. "${top_srcdir:?}/tests/lib.sh"
compile brood "$programs/brood.c"
limited() { timeout -k 1 60 "$@"; }

alive() { [[ -r /proc/$1/stat ]] && [[ $(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null) != [ZX] ]]; }

# The processes that the test noted are gone, soon.
nothing_left() {
    local pid i count=0
    [[ -s pids ]] || fail 'the test noted no process'
    while read -r pid; do
        count=$((count + 1))
        for ((i = 0; i < 500; i++)); do
            alive "$pid" || break
            read -rt 0.01 <> <(:) || true
        done
        ! alive "$pid" || fail "$1: process $pid of the test is still there"
    done <pids
    ((count >= 3)) || fail "$1: only $count processes were noted"
    [[ ! $(find . -name '*.tmp') ]] || fail "$1: a temporary file stayed: $(find . -name '*.tmp')"
    rm -f pids
    checks=$((checks + 1))
}

# Until the test's children run, three numbers being noted, and its threads are over.
wait_until_up() {
    local i
    for ((i = 0; i < 1000; i++)); do
        [[ -f pids ]] && (($(wc -l <pids) >= 3)) && [[ -f joined ]] && return
        read -rt 0.01 <> <(:) || true
    done
    fail 'the test did not come up'
}

status 0 limited "$heddle" record ./brood
nothing_left record
status 1 limited "$heddle" analyze --kinds nondet heddle.out/main.trace
witness=heddle.out/main-1.witness
status 0 limited "$heddle" replay "$witness"
nothing_left replay
cp -r heddle.out before

# A test that goes on for ever ends with the time; it is deaf to SIGTERM.
touch hang
status 124 limited "$heddle" replay --timeout 1 "$witness"
has out 'not reached'
nothing_left timeout

# Told to end, the replayer takes everything along and ends by that signal.
for signal in INT TERM HUP; do
    for form in one many; do
        more=()
        [[ $form == one ]] || more=(-j 2 "$witness")
        (exec env --default-signal=INT,TERM,HUP "$heddle" replay "${more[@]}" "$witness") >out 2>err &
        replayer=$!
        wait_until_up
        kill -"$signal" $replayer
        got=0
        wait $replayer || got=$?
        ((got == 128 + $(kill -l $signal))) || fail "SIG$signal, $form: exit $got"
        checks=$((checks + 1))
        [[ $form == many ]] || nothing_left "SIG$signal"
        rm -f pids
    done
done

# Killed outright, it cannot; its guardian does. Who left the group is out of reach then.
(exec "$heddle" replay "$witness") >out 2>err &
replayer=$!
wait_until_up
kill -KILL $replayer
wait $replayer || true
leaver=$(for pid in $(<pids); do [[ $(ps -o sid= -p "$pid" | tr -d ' ') == "$pid" ]] && echo "$pid"; done || true)
grep -vx "${leaver:-none}" pids >group || true
while read -r pid; do
    for ((i = 0; i < 500; i++)); do
        alive "$pid" || break
        read -rt 0.01 <> <(:) || true
    done
    ! alive "$pid" || fail "SIGKILL: process $pid is still there"
done <group
[[ ! $leaver ]] || kill -KILL "$leaver"
rm -f pids

# The test is killed by somebody else: that is its end, not ours.
(exec "$heddle" replay "$witness") >out 2>err &
replayer=$!
wait_until_up
kill -KILL "$(head -n 1 pids)"
got=0
wait $replayer || got=$?
((got == 1)) || fail "killed test: exit $got"
has out 'FAILING'
has out 'Killed'
nothing_left 'killed test'
rm hang

# 300 MB of output are neither shown nor kept in memory; the limit on the test's memory holds.
touch flood
status 0 limited "$heddle" replay "$witness"
(($(stat -c %s out) < 10000)) || fail 'the flood is shown'
nothing_left flood
status 0 limited "$heddle" replay --output "$witness"
(($(stat -c %s out) < 100000)) || fail 'the flood is shown in full'
has out '^stdout \(the first 65536 of 307200000 bytes\):$'
nothing_left flood
rm flood
touch greedy
status 0 limited "$heddle" replay "$witness"
nothing_left greedy
status 1 limited "$heddle" replay --memory 500 "$witness"
has out 'exit status 3'
nothing_left greedy
rm greedy

# A verdict that cannot be written: one line, and the old one stays whole.
status 0 limited "$heddle" replay "$witness"
cp heddle.out/main-1.verdict kept
# shellcheck disable=SC2016
status 2 limited bash -c 'prlimit --fsize=16:unlimited "$1" replay "$2" 2>&1 | cat; exit "${PIPESTATUS[0]}"' _ "$heddle" "$witness"
has out 'main-1\.verdict'
same heddle.out/main-1.verdict kept
[[ ! $(find heddle.out -name '*.tmp*') ]] || fail 'a temporary file stayed'
if [[ $(id -u) == 0 ]] && unshare -m true 2>/dev/null; then
    rm -f pids
    # shellcheck disable=SC2016
    status 2 limited unshare -m bash -c 'mount --bind heddle.out heddle.out && mount -o remount,ro,bind heddle.out && "$1" replay "$2"' \
        _ "$heddle" "$witness"
    has err 'Read-only file system'
    same heddle.out/main-1.verdict kept
fi
rm -f heddle.out/*.verdict before/*.verdict
diff -r heddle.out before || fail 'a fault changed the results'

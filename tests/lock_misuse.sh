#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Locks used against the rules, deadlocks over every kind of wait, lost wakeups: each is found, said in one
# sentence, verified, and where a rerun can show it, shown; the correct twin of each is clean.
# shellcheck disable=SC2016
. "${top_srcdir:?}/tests/lib.sh"
"$heddle" cc -g -O1 -Wall -Wextra -Werror -o program "$programs/lock_misuse.c"

# finds CASE KINDS TITLE SENTENCE [RECORD-STATUS]: one finding of the kinds has both; nothing is open; every
# witness holds by the independent checker; the twin has no such finding.
finds() {
    local case=$1 kinds=$2 title=$3 sentence=$4 recorded=${5:-0} witness
    status "$recorded" timeout 60 "$heddle" record -o "$case" ./program "$case"
    status 1 "$heddle" analyze --kinds "$kinds" --account account "$case/main.trace"
    has out " 0 open( \(.*\))?\$"
    has out "^  [0-9]+  $title  "
    [[ $(wc -l <account) == "$(sed -nE '1s/.*: ([0-9]+) candidates.*/\1/p' out)" ]] || fail "$case: the account does not close"
    witness=$(sed -nE "s/^  [0-9]+  $title  .* (\S+\.witness)\$/\1/p" out | head -n 1)
    status 0 "$heddle" show "$witness"
    has out "^$sentence\$"
    for witness in "$case"/main-*.witness; do
        status 0 "$heddle" show --verify "$witness"
    done
    status 0 timeout 60 "$heddle" record -o "$case.right" ./program "$case" right
    status 0 "$heddle" analyze --kinds "$kinds" "$case.right/main.trace"
}

# fails CASE TITLE ENDING: check finds it, and its rerun ends so, every time; the twin is clean.
fails() {
    local case=$1 title=$2 ending=$3 witness
    runs_free ./program "$case"
    status 1 timeout 120 "$heddle" check -o "$case.out" ./program "$case"
    has out "^  FAIL main/[0-9]+  $title "
    adds_up out
    witness=$(sed -nE "/^  FAIL [^ ]+  $title /{n;s/^ *replay: *heddle replay *//p;q}" out)
    status 1 "$heddle" replay -n 10 "$witness"
    has out '10 of 10 runs ended so'
    status 1 "$heddle" replay "$witness"
    has out "$ending"
    status 0 timeout 120 "$heddle" check -o "$case.out" ./program "$case" right
    has out ' 0 FAILING$'
    adds_up out
}
at='\(lock_misuse\.c:[0-9]+\)'

finds self_deadlock misuse "self-deadlock on \`lock\`" "0\.1 requests \`lock\` $at, which it holds $at" 1
finds foreign_unlock misuse "release by a stranger of \`lock\`" "0\.1 releases \`lock\` $at, which it does not hold"
finds end_while_holding misuse "end while holding \`lock\`" "0\.2 ends holding \`lock\`"
finds destroy_while_held misuse "destruction while held of \`lock\`" "0 destroys \`lock\` $at while 0\.2 holds it $at"
finds destroy_while_held misuse "use after destruction of \`lock\`" "0\.2 uses \`lock\` $at after 0 has destroyed it $at"
finds end_while_holding deadlock "deadlock on \`lock\`, never released" \
    "0\.1 requests \`lock\` $at after 0\.2 has ended holding it"
finds join_while_holding deadlock "deadlock between \`lock\` and a join of 0\.1" \
    "0\.1 requests \`lock\` $at, 0 holds \`lock\` and waits in a join of 0\.1 $at"
finds join_of_a_join deadlock "deadlock between \`lock\`, a join of 0\.[12] and a join of 0\.[12]" \
    "0\.1 requests \`lock\` $at, 0 holds \`lock\` and waits in a join of 0\.2 $at, 0\.2 waits in a join of 0\.1 $at"
finds semaphore_order deadlock "deadlock between \`lock\` and \`turn\`" \
    "0\.1 has still to post \`turn\` and requests \`lock\` $at, 0\.2 holds \`lock\` and waits for semaphore \`turn\` $at"
finds semaphore_signal deadlock "deadlock between \`lock\` and \`turn\`" \
    "0\.1 has still to post \`turn\` and requests \`lock\` $at, 0 holds \`lock\` and waits for semaphore \`turn\` $at"
finds nested_monitor deadlock "deadlock between \`other\` and \`changed\`" \
    "0\.1 has still to signal \`changed\` and requests \`other\` $at, 0 holds \`other\` and waits for \`changed\` $at"
finds two_signallers wakeup "lost wakeup of \`changed\`" \
    "0\.[23] signals \`changed\` $at before 0\.1 waits for it $at, and nobody does later"
finds double_free memory "double free of \`block of 4 bytes from lock_misuse\.c:[0-9]+\`" "0\.2 frees .* after 0\.1 frees it $at" 134

fails end_while_holding "deadlock on \`lock\`, never released" 'deadlock: .*0\.1 waits for `lock`'
fails join_while_holding "deadlock between \`lock\` and a join of 0\.1" 'deadlock: .*0\.1 waits for `lock`'
fails join_of_a_join "deadlock between .*" 'deadlock: '
fails semaphore_order "deadlock between \`lock\` and \`turn\`" 'deadlock: .*waits for `turn`'
fails semaphore_signal "deadlock between \`lock\` and \`turn\`" 'deadlock: .*waits for `turn`'
fails nested_monitor "deadlock between \`other\` and \`changed\`" 'deadlock: .*waits for `changed`'
fails two_signallers "lost wakeup of \`changed\`" 'deadlock: .*waits for `changed`'

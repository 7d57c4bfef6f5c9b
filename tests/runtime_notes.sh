#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Seventeen things that a runtime of this kind gets wrong first, one section each; where another test has more
# of it, that is named.
. "${top_srcdir:?}/tests/lib.sh"
"$heddle" cc -g -O1 -o notes "$programs/notes.c"
cc -w -g -O1 -o plain "$programs/notes.c" -pthread
"$heddle" cc -g -O1 -o primitives "$programs/primitives.c"
"$heddle" cc -g -O1 -o polls "$programs/polls.c"
"$heddle" cc -g -O1 -o outside "$programs/outside.c"

# run CASE...: passes plain and recorded; ./text is the trace.
run() {
    status 0 timeout 60 ./plain "$@"
    recorded ./notes "$@"
}
recorded() {
    status 0 timeout 60 "$heddle" record -o run.out "$@"
    "$heddle" show run.out/main.trace >text
}

# 1. A place is (module, offset), and 3. no address decides anything: another layout, the same events (record.sh).
addressless() { sed -E 's/ = [0-9]+  /  /' text; } # values may be addresses or times
for case in conditions rwlocks semaphores; do
    recorded ./primitives $case
    addressless >first
    (
        filler=$(printf '%05000d' 0)
        export filler
        ulimit -s 4096
        recorded ./primitives $case
    )
    addressless >second
    same first second
done


# 2. What the library stores for the user is written, not found (values.sh, libc.sh).
run out_parameters
hasnt text ' unseen write (expected|handle|result) '
has text ' write expected = 1 '
has text ' write result = [0-9]+ '

# 4. A recording that fails is a finding.
compile aborts "$programs/aborts.c"
ulimit -c 0
status 1 "$heddle" check -o aborts.out ./aborts abort
has out 'FAIL main/1  fails as recorded'

# 5. Exit without join: the others get their turn (process.sh).
recorded ./primitives main_exits
has text ' write shared = 77'

# 6. One clock: what was slept has passed on every clock that the program reads.
recorded ./primitives long_sleep

# 7. Crashes are in the user's frame.
run crash read
run crash write

# 8. Spinning where nobody sees it (primitives.sh).
recorded ./outside busy
has text 'taken while it computed outside'

# 9. Spinning on atomics does not flood the trace (progress.sh).
recorded ./polls atomic slow
(($(wc -l <text) < 1000)) || fail "$(wc -l <text) events of spinning"

# 10. C11 threads are seen, once; a thread that nobody was seen creating is named.
recorded ./primitives c11
[[ $(grep -c ' create ' text) == $(($(grep -c ' start$' text) - 1)) ]] || fail 'a C11 thread is seen twice, or never'
has text ' lock mtx '
hasnt text ' lock mutex '
run unknown_thread
has text 'a thread that was not seen created touched memory'
run out_parameters
hasnt text 'not seen created'

# 11. What is modelled is not stolen: flockfile, stdio on pipes (libc.sh).
recorded ./primitives files
hasnt text ' taken while '

# 12. State is in the real primitive: static initialisers, reused addresses (identity.sh).
compile reuse "$programs/reuse.c"
recorded ./reuse block 10

# 13. Before a deadlock is said: a handler may still release what is waited for. A real one ends at once.
run handler_posts
status 1 timeout 60 "$heddle" record -o stuck.out ./primitives stuck
has err 'deadlocked'

# 14. A thread ends after its keys' destructors, which are the user's code.
recorded ./primitives keys
has text ' lock mutex  destructor'

# 15. pthread_kill to sigwait: the same order every time, loaded too.
recorded ./notes signals # plain, a signal that was not taken yet swallows the next
cp text first
load
for _ in 1 2 3 4 5 6 7 8 9 10; do
    recorded ./notes signals
    same first text
done
idle

# 16. A barrier destroyed by the first to leave; what an error-checking lock says (conformance.sh).
run destroys_barrier

# 17. Small traps: errno, helper threads and signals; before any constructor, malloc and memcpy work.
run helper_signals
HEDDLE=off status 0 ./notes helper_signals

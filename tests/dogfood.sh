#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# heddle checks its own multi-threaded code: the analyzer's workers and the replayer's pool are right in every
# alternative, and where a lock, a loop or a wakeup is taken out of them, that is found.
. "${top_srcdir:?}/tests/lib.sh"
dogfood=$top_srcdir/tests/dogfood
read -ra flags < <(pkg-config --cflags libprotobuf-c libzstd libdw)
read -ra libraries < <(pkg-config --libs libprotobuf-c libzstd libdw)
flags+=(-g -O1 -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$top_srcdir" -I"$top_builddir")

# objects FOLDER SOURCE...: compiled there.
objects() {
    local folder=$1
    shift
    mkdir -p "$folder"
    (cd "$folder" && "$heddle" cc "${flags[@]}" -c "$@") || fail "heddle cc -c $*"
}

# program OUT SOURCE...: a test program of dogfood/.
program() {
    local out=$1
    shift
    "$heddle" cc "${flags[@]}" -o "$out" "$@" "${libraries[@]}" -lcunit || fail "heddle cc $*"
}

# right PROGRAM SECONDS: nothing fails; what is open or diverged is said, and why.
right() {
    status 0 timeout 60 "./$1"
    status 0 "$heddle" check -v --budget "$2" -o "$1.out" "./$1"
    has out "^$1: [0-9]+ tests, [1-9][0-9]* alternatives: [0-9]+ impossible, [0-9]+ harmless, 0 FAILING"
    grep "^$1: " out >account
    adds_up account
    cat account
    [[ $(grep ': diverged: ' err) == "$(grep ': diverged: step .*; first other value: ' err)" ]] ||
        fail 'something diverged, and it is not said why'
}

# broken NAME SOURCE SED: an object of it with that change.
broken() {
    local source=$top_srcdir/$2
    mkdir "$1"
    sed "$3" "$source" >"$1/${2##*/}"
    ! cmp -s "$1/${2##*/}" "$source" || fail "$1: nothing was changed"
    objects "$1" "${2##*/}"
}

# found PROGRAM TEST TITLE: it fails so, and again.
found() {
    local witness
    status 1 "$heddle" check --budget 20 -o "$1.out" "./$1" "$2"
    has out '[1-9][0-9]* FAILING'
    adds_up out
    has out "^  FAIL $2/[0-9]+  $3"
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out | head -n 1)
    status 1 "$heddle" replay -n 5 "$witness"
    has out '5 of 5 runs ended so'
}

# Reads are asked about in small units, so that a small trace has several of them.
mkdir small
sed -E 's/(ITEMS_A_UNIT = )[0-9]+/\116/' "$top_srcdir/analyze/nondet.c" >small/nondet.c
has small/nondet.c 'ITEMS_A_UNIT = 16'
objects analyze "$top_srcdir"/analyze/*.c
objects analyze "$PWD/small/nondet.c"
objects proto "$top_srcdir"/proto/*.c "$top_builddir/proto/heddle.pb-c.c"
objects symbols "$top_srcdir"/symbols/*.c
mv analyze/workers.o .
rest=(analyze/*.o proto/*.o symbols/*.o)
program workers_test "$dogfood/workers_test.c" workers.o "${rest[@]}"
right workers_test 20
has account ' [1-9][0-9]* harmless'
hasnt account 'diverged'

# Addresses are values: what a thread that ended gives back to the allocator comes before what others take.
for run in 1 2 3 4 5 6; do
    status 0 "$heddle" record -o "run.$run" ./workers_test
    for trace in "run.$run"/*.trace; do
        "$heddle" show "$trace"
    done >"shown.$run"
    same shown.1 "shown.$run"
done

broken no_lock analyze/workers.c '/size_t i = p->next++;/{N;s/\(.*\)\n\(.*\)/\2\n\1/}'
broken no_loop analyze/workers.c 's/while (!p->result\[i\].done/if (!p->result[i].done/'
broken no_wakeup analyze/workers.c '/p->units = stopped/{n;d}'
for bug in no_lock no_loop no_wakeup; do
    program $bug.test "$dogfood/workers_test.c" $bug/workers.o "${rest[@]}"
done
found no_lock.test two_workers 'lost update on '
found no_loop.test two_workers 'stale read of '
found no_wakeup.test interrupted_before 'fails as recorded: deadlock'

# Other processes have their own speed, so a schedule of the pool may diverge.
objects pool "$top_srcdir/replay/pool.c" "$top_srcdir/record/interrupt.c"
program pool_test "$dogfood/pool_test.c" pool/*.o proto/memory.o
right pool_test 5

broken no_reaping replay/pool.c '/while (p->running)$/,+1d'
program no_reaping.test "$dogfood/pool_test.c" no_reaping/pool.o pool/interrupt.o proto/memory.o
status 1 "$heddle" check --budget 5 ./no_reaping.test stopped
has out '[1-9][0-9]* FAILING'
adds_up out

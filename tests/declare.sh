#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Primitives of the user's own: declared in a file or by a call, or annotated.
. "${top_srcdir:?}/tests/lib.sh"
own=$programs/own_lock
declarations=$own/own_lock.declare
cc -O2 -shared -fPIC -o libown.so "$own/own_lock.c"
build() { # OUT SOURCE [OPTION...]
    local out=$1 source=$2
    shift 2
    "$heddle" cc -g -O1 -I"$own" "$@" -o "$out" "$own/$source.c" -L. -lown "-Wl,-rpath,$work" || fail "build $out"
}
finds() { # PROGRAM [OPTION...]: exactly the lost update, and it replays
    local program=$1 witness
    shift
    status 1 timeout 60 "$heddle" check "$@" "./$program"
    has out '1 FAILING$'
    # shellcheck disable=SC2016
    has out 'lost update on `balance`'
    adds_up out
    witness=$(sed -n 's/^ *replay: *heddle replay *//p' out)
    status 1 timeout 60 "$heddle" replay -n 10 "$witness"
    has out '10 of 10 runs ended so'
}
finds_none() { # PROGRAM [OPTION...]
    local program=$1
    shift
    status 0 timeout 60 "$heddle" check "$@" "./$program"
    has out ' 0 FAILING$'
    hasnt out 'diverged|open|not reached'
    hasnt err 'not modelled'
    adds_up out
}

# Every way to link: lazy, bound at start and read-only, without a PLT; both compilers.
for compiler in gcc clang; do
    command -v $compiler >/dev/null || continue
    export HEDDLE_CC=$compiler
    for link in -Wl,-z,lazy -Wl,-z,relro,-z,now -fno-plt; do
        build buggy deposit -DBUGGY $link
        build fixed deposit $link
        runs_free ./buggy
        finds buggy --declare "$declarations"
        finds_none fixed --declare "$declarations"
    done
done
unset HEDDLE_CC

# By a call, and by the environment.
build by_call deposit -DBUGGY -DBY_CALL
finds by_call
# What a declaration costs us is not the test's.
"$heddle" show --format json heddle.out/main.trace >shown
hasnt shown 'hd_declare|ffi_'
build by_call deposit -DBY_CALL
status 0 ./by_call
finds_none by_call
HEDDLE_DECLARE=$declarations finds buggy

# The witness knows its declarations, wherever it is replayed from; another file may be given.
cp "$declarations" mine.declare
status 1 "$heddle" check --declare mine.declare ./buggy
mkdir elsewhere
(cd elsewhere && status 1 "$heddle" replay ../heddle.out/main-1.witness)
mv mine.declare moved.declare
one_line 2 'mine.declare: No such file' "$heddle" replay heddle.out/main-1.witness
status 1 "$heddle" replay --declare moved.declare heddle.out/main-1.witness

# Every kind, any signature, results unchanged; one object an argument or a name.
build kinds kinds
status 0 ./kinds
status 0 timeout 60 "$heddle" record --declare "$declarations" ./kinds
status 0 "$heddle" show heddle.out/main.trace
has out ' 0 lock first  main  kinds.c:[0-9]+'
has out '0\.1 trylock failed first  worker  kinds.c:[0-9]+'
has out ' 0 blocked before semaphore wait gate '
has out '0\.1 post gate '
has out ' 0 lock second  main '
has out ' 0 lock nested  main '
[[ $(grep -c ' 0\.1 \(un\)\?lock 0x' out) == 2 ]] || fail 'the giant lock is not there'
hasnt out 'own_lock.c'

# Deadlocks on them: predicted, and the one a thread makes alone.
build abba abba
status 1 timeout 60 "$heddle" check --declare "$declarations" ./abba
# shellcheck disable=SC2016
has out 'deadlock between `[ab]` and `[ab]`'
build self abba -DSELF
status 1 timeout 60 "$heddle" check --declare "$declarations" ./self
has out 'fails as recorded: deadlock: 0 waits for .a.*, which 0 holds'

# Inlined ones: annotated with heddle's macros, or as ThreadSanitizer wants them.
build inline deposit -DINLINE
build inline_buggy deposit -DINLINE -DBUGGY
finds_none inline
finds inline_buggy
build annotated annotated
build annotated_buggy annotated -DBUGGY
finds_none annotated
finds annotated_buggy
status 0 "$heddle" record ./annotated
status 0 "$heddle" show heddle.out/main.trace
has out ' expected race '
has out '^ +a statistic \(.*annotated.c:[0-9]+\)'
has out ' read lock rw '
has out ' rwlock unlock rw '
has out ' 0 trylock failed word '
[[ $(grep -c ' happens before hits ' out) == 2 && $(grep -c ' happens after hits ' out) == 2 ]] ||
    fail 'happens-before is not there'
hasnt out ' (read|write) word '
# Without heddle the macros are nothing.
cc -I"$top_srcdir/record/include" -I"$own" -DINLINE -o plain "$own/deposit.c" -pthread
status 0 ./plain

# A function of the program itself cannot be redirected: that is said.
echo 'acquire void take_it(ptr) object=1' >itself.declare
echo 'void take_it(void *p); void take_it(void *p) { (void)p; } int main(void) { take_it(0); return 0; }' >itself.c
"$heddle" cc -O0 -o itself itself.c
status 0 "$heddle" check --declare itself.declare ./itself
has err 'not modelled: take_it \(declared, but in no shared library: annotate it with HEDDLE_ACQUIRE\)'

# Bad declarations: file, line, what; the program does not start.
echo '#include <stdio.h>
int main(void) { fclose(fopen("started", "w")); return 0; }' >starts.c
"$heddle" cc -o starts starts.c
refused() { # LINE WHAT
    printf '# one\n\n%s\n' "$1" >bad.declare
    for command in record check; do
        one_line 2 "heddle $command: bad.declare:3: $2.*; write for example: acquire int" \
            "$heddle" $command --declare bad.declare ./starts
    done
    [[ ! -e started ]] || fail "the program ran with: $1"
}
refused 'aquire int f(ptr) object=1' "a declaration begins with .*, not 'aquire'"
refused 'acquire int f' 'NAME\(TYPES\) is missing'
refused 'acquire (ptr) object=1' "no function's name"
refused 'acquire int f(ptr object=1' "'\)' is missing"
refused 'acquire int f(lock_t) object=1' "unknown type 'lock_t'"
refused 'acquire thing f(ptr) object=1' "unknown type 'thing'"
refused 'acquire f(ptr) object=1' 'a type is missing'
refused 'acquire int f(ptr, void) object=1' 'an argument cannot be void'
refused 'acquire int f(ptr)' 'object= is missing'
refused 'acquire int f(ptr) object=2' "there is no argument '2'"
refused 'acquire int f(double) object=1' 'a floating-point argument'
refused 'try int f(ptr) object=1' 'success= is missing'
refused 'try void f(ptr) object=1 success=0' 'success= wants a function with an integer result'
refused 'try int f(ptr) object=1 success=yes' "success= wants a number, not 'yes'"
refused 'acquire int f(ptr) object=1 fast' "unknown option 'fast'"
one_line 2 'none.declare: No such file' "$heddle" record --declare none.declare ./starts
status 0 "$heddle" record ./starts

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A finding has the same id when its program is built anew with other lines, other addresses and another stack;
# ids have neither lines nor addresses. What changes a pointer is told before what changes a number.
. "${top_srcdir:?}/tests/lib.sh"

ids() { # PROGRAM DIR
    status 0 "$heddle" record -o "$2" "$1"
    "$heddle" analyze --format json -o "$2" "$2"/*.trace >out || true
    python3 -c 'import json, sys
for test in json.load(sys.stdin):
    for f in test["findings"]:
        print(f["id"])' <out | sort -u
}
for name in bank abba hidden_race lost_wakeup use_after_free_shutdown dining ring_buffer; do
    source=$examples/$name/${name}_test.c
    { printf 'long moved_by[4096] = { 1 };\nint moved_too = 3;\n\n\n'; cat "$source"; } >moved.c
    compile one "$source"
    compile two moved.c -DMOVED -Wl,-z,separate-code -Wl,--sort-section=name
    rm -rf one.out two.out
    ids ./one one.out >one.ids
    PADDING=$(printf '%5000s' x) ids ./two two.out | sed 's/moved\.c/SOURCE/g' >two.ids
    sed -i "s/${name}_test\.c/SOURCE/g" one.ids
    [[ -s one.ids ]] || fail "$name: no findings"
    same one.ids two.ids
    hasnt one.ids ':[0-9]+(:|$)|0x[0-9a-f]'
done

cat >pointers.c <<'C'
#include <pthread.h>
#include <stddef.h>
static int first, *target, number;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *sets(void *arg)
{
    pthread_mutex_lock(&lock);
    number = 7;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    target = &first;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, sets, NULL);
    pthread_mutex_lock(&lock);
    int seen = number;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int *at = target;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return seen + (at == &first) > 9;
}
C
"$heddle" cc -g -O1 -o pointers pointers.c
status 0 "$heddle" record -o pointers.out ./pointers
status 1 "$heddle" analyze --kinds nondet pointers.out/main.trace
# shellcheck disable=SC2016
{
    has out '^  1  .* of `target`'
    has out '^  2  .* of `number`'
}

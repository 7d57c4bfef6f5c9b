#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# An address is no identity: what comes to lie where something else was is something else, and
# there is no number of objects or threads past which things are taken for one another.
. "${top_srcdir:?}/tests/lib.sh"
compile reuse "$programs/reuse.c"

# objects CASE COUNT OBJECTS: as many locks as there were.
objects() {
    status 0 timeout 100 "$heddle" record -o reuse.out ./reuse "$1" "$2"
    status 0 "$heddle" show --stats reuse.out/main.trace
    has out "^objects  $3\$"
}
objects block 10 10
objects init 10 10
objects threads 10 10
objects many 20000 20000
objects init 20000 20000

# A thread's structure and handle come again; its name does not.
objects threads 5000 5000
has out '^threads  5001$'
status 0 "$heddle" show reuse.out/main.trace
cp out text
for child in 1 4095 4096 5000; do
    has text " join 0\\.$child "
done
[[ $(grep -c ' end$' text) == 5001 ]] || fail 'not every thread ended'

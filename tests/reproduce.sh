#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The same failure, event by event: idle, on a loaded machine, with randomized addresses, after a rebuild.
# All examples and more runs: bench/reproduce.
. "${top_srcdir:?}/tests/lib.sh"
for example in bank abba ring_buffer start_order use_after_free_shutdown; do
    source=$examples/$example/${example}_test.c
    compile "${example}_test" "$source"
    status 1 "$heddle" check -o "$example.out" "./${example}_test"
    mapfile -t witnesses < <(sed -n 's/^ *replay: *heddle replay *//p' out)
    for witness in "${witnesses[@]}"; do
        status 1 "$heddle" replay -n 15 "$witness"
        has out '15 of 15 runs ended so'
        cp out idle.out
        status 1 env HEDDLE_ASLR=on "$heddle" replay -n 15 "$witness"
        same out idle.out
        load
        status 1 "$heddle" replay -n 15 "$witness"
        idle
        same out idle.out
        rm "${example}_test"
        compile "${example}_test" "$source"
        status 1 "$heddle" replay -n 5 "$witness"
        has out '5 of 5 runs ended so'
    done
done

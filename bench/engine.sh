#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engine's figures: ./engine.sh BUILDDIR [SHARED]. The traces are those of
# engine_shapes.py, with the counts of published ones: A random switches, B long
# turns, C with waits; then growth. SHARED, where given, holds more: shapes/ and
# bench-traces/, and traces/jigsaw.data. Times are CPU times. HEDDLE_BENCH_LARGE=1
# adds ten million events.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: engine.sh BUILDDIR [SHARED]}
shared=${2:-}
make -s -C "$build" bench/engine_bench
bench=$build/bench/engine_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() {
    printf '%-28s' "$1"
    shift
    "$@" | tail -n 1
}

# shape SET NAME EVENTS THREADS LOCKS WORDS
shape() {
    local turn=12 waits=0
    [[ $1 == A ]] || turn=300
    [[ $1 != C ]] || waits=8
    python3 "$here/engine_shapes.py" "$3" "$4" "$5" 7 "$turn" "$6" "$waits" >"$work/$1-$2.std"
}

sets() {
    local kind dir=$1 set
    for set in A B C; do
        say "$2 $set" "$bench" -v "$dir/$set"*
        say "$2 $set, once" "$bench" -v -d "$dir/$set"*
    done
    say "$2 B, -j 2" "$bench" -v -j 2 "$dir"/B*
    for kind in 4:races 2:deadlocks; do
        say "$2 A, ${kind#*:}" "$bench" -v -k "${kind%:*}" "$dir"/A*
    done
}

for set in A B C; do
    shape "$set" synch 1510 16 2 15
    shape "$set" account 1747 21 41 82
    shape "$set" daisy 2998 3 10 45
    shape "$set" elevator 8004 4 11 94
    shape "$set" thrift 13561 20 28 223
    shape "$set" thrift_long 20640 6 158 519
done
sets "$work" 'own shapes'
if [[ -d $shared ]]; then
    mkdir "$work/shared"
    for set in A B C; do
        for file in "$shared/shapes/$set"/*.gz; do
            ln -s "$(realpath "$file")" "$work/shared/$set-$(basename "$file")"
        done
    done
    sets "$work/shared" shapes
    "$build/heddle" convert --repair -o "$work/jigsaw.std" "$shared/traces/jigsaw.data" 2>/dev/null || true
    repaired=()
    [[ ! -s $work/jigsaw.std ]] || repaired=("$work/jigsaw.std")
    say 'bench-traces' "$bench" -v "$shared"/bench-traces/*.gz "${repaired[@]}"
    say 'bench-traces, races' "$bench" -v -k 4 "$shared"/bench-traces/*.gz "${repaired[@]}"
    say 'bench-traces, deadlocks' "$bench" -v -k 2 "$shared"/bench-traces/*.gz "${repaired[@]}"
fi
sizes=(100000 1000000)
[[ ${HEDDLE_BENCH_LARGE:-} != 1 ]] || sizes+=(10000000)
for events in "${sizes[@]}"; do
    python3 "$here/engine_shapes.py" "$events" >"$work/$events.std"
    say "$events events" "$bench" -v "$work/$events.std"
    rm "$work/$events.std"
done

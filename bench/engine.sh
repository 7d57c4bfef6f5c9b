#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The engine's figures: ./engine.sh BUILDDIR [SHARED]. The traces are those of
# engine_shapes.py, with the counts of published ones: A random switches, B long
# turns, C with waits; then growth. SHARED, where given, holds more: shapes/ and
# bench-traces/, and traces/jigsaw.data. Times are CPU times, -j 2 wall times too.
# HEDDLE_BENCH_LARGE=1 adds ten million events. FIGURES=FILE: every figure is
# appended there, too, as a line of name, tab, value.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=${1:?usage: engine.sh BUILDDIR [SHARED]}
shared=${2:-}
make -s -C "$build" bench/engine_bench
bench=$build/bench/engine_bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# say NAME WORDS OPTION... FILE...
say() {
    local name=$1 words=$2 traces events candidates impossible feasible open findings cpu wall kb
    shift 2
    IFS=$'\t' read -r traces events candidates impossible feasible open findings cpu wall kb < <("$bench" -t -v "$@" | tail -n 1)
    printf '%-28s%d traces, %d events, %d candidates: %d impossible, %d feasible, %d open, %d findings; %s s, %s s wall, %d MB\n' \
        "$words" "$traces" "$events" "$candidates" "$impossible" "$feasible" "$open" "$findings" "$cpu" "$wall" $((kb / 1024))
    for what in events candidates open cpu wall kb; do
        printf 'analyze.%s.%s\t%s\n' "$name" "$what" "${!what}" >>"${FIGURES:-/dev/null}"
    done
}

# shape SET NAME EVENTS THREADS LOCKS WORDS
shape() {
    local turn=12 waits=0
    [[ $1 == A ]] || turn=300
    [[ $1 != C ]] || waits=8
    python3 "$here/engine_shapes.py" "$3" "$4" "$5" 7 "$turn" "$6" "$waits" >"$work/$1-$2.std"
}

# sets FOLDER NAME WORDS
sets() {
    local set
    for set in A B C; do
        say "$2.$set" "$3 $set" "$1/$set"*
        say "$2.$set.once" "$3 $set, once" -d "$1/$set"*
    done
    say "$2.B.j2" "$3 B, -j 2" -j 2 "$1"/B*
    say "$2.A.races" "$3 A, races" -k 4 "$1"/A*
    say "$2.A.deadlocks" "$3 A, deadlocks" -k 2 "$1"/A*
}

for set in A B C; do
    shape "$set" synch 1510 16 2 15
    shape "$set" account 1747 21 41 82
    shape "$set" daisy 2998 3 10 45
    shape "$set" elevator 8004 4 11 94
    shape "$set" thrift 13561 20 28 223
    shape "$set" thrift_long 20640 6 158 519
done
sets "$work" own 'own shapes'
if [[ -d $shared ]]; then
    mkdir "$work/shared"
    for set in A B C; do
        for file in "$shared/shapes/$set"/*.gz; do
            ln -s "$(realpath "$file")" "$work/shared/$set-$(basename "$file")"
        done
    done
    sets "$work/shared" shapes shapes
    "$build/heddle" convert --repair -o "$work/jigsaw.std" "$shared/traces/jigsaw.data" 2>/dev/null || true
    repaired=()
    [[ ! -s $work/jigsaw.std ]] || repaired=("$work/jigsaw.std")
    say traces 'bench-traces' "$shared"/bench-traces/*.gz "${repaired[@]}"
    say traces.races 'bench-traces, races' -k 4 "$shared"/bench-traces/*.gz "${repaired[@]}"
    say traces.deadlocks 'bench-traces, deadlocks' -k 2 "$shared"/bench-traces/*.gz "${repaired[@]}"
fi
sizes=(100000 1000000)
[[ ${HEDDLE_BENCH_LARGE:-} != 1 ]] || sizes+=(10000000)
for events in "${sizes[@]}"; do
    python3 "$here/engine_shapes.py" "$events" 8 16 5 20 '' '' 100000 >"$work/$events.std"
    say "growth.$events" "$events events" "$work/$events.std"
    python3 "$here/engine_shapes.py" "$events" >"$work/$events.std"
    say "same_words.$events" "$events events, same words" "$work/$events.std"
    rm "$work/$events.std"
done

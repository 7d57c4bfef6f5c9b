#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Figures are judged by bench/bars.tsv and by what they were before; nothing is measured here.
. "${top_srcdir:?}/tests/lib.sh"
command -v python3 >/dev/null || exit 77
judge() { "$top_srcdir/bench/run" --build "$top_builddir" --figures figures --history history "$@"; }

printf '%s\t%s\n' record.sort.floor 2 record.sort.record 4 record.sort.tsan 5 record.mean.record_over_tsan 0.7 \
    record.micro.lock 4 analyze.shapes.B.cpu 21 replay.small.wall 1.1 replay.large.wall 1.9 >figures
sed 's/^analyze.shapes.B.cpu.*/analyze.shapes.B.cpu\t9/' figures >good
cp figures bad
cp good figures
for _ in 1 2 3; do
    status 0 judge
done
has out '^replay over recording, wall, most +1\.9 +<= 2  holds'
has out '^recording over empty call-outs, CPU, geometric mean +2 +-  - +\+0 %'
has out '^[0-9]+ of [0-9]+ bars hold, 0 regressions$'
[[ $(wc -l <history) == 3 ]] || fail 'a run is not a line of history'

# A ratio may be a fifth worse than the median, not more; a time is held to its bar alone.
sed -i 's/^record.micro.lock.*/record.micro.lock\t4.7/' figures
status 0 judge --no-history
sed -i 's/^record.micro.lock.*/record.micro.lock\t4.9/' figures
status 1 judge --no-history
has out '^REGRESSION: a lock and unlock.*: 4\.9, was 4$'
cp bad figures
status 1 judge --no-history
has out '^published shapes B, s +21 +<= 20  MISSES'
has out '^MISSED: published shapes B'
hasnt out '^REGRESSION'

# One page, nothing loaded from elsewhere, for light and for dark.
page=$top_builddir/bench/bench.html
has "$page" '<svg '
has "$page" 'prefers-color-scheme: dark'
hasnt "$page" '(src|href|url)[=(]|<script|https?:'
cp good figures
echo '{"figures": ' >>history
one_line 2 'history:4: not a line of results' judge
rm figures history
one_line 2 'figures: no such file' judge

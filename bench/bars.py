# SPDX-License-Identifier: Apache-2.0
"""Figures by name, the bars they are held to, and what they were before."""
import json
import math
import pathlib
import statistics

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = sorted(path.stem for path in (HERE / "kernels").glob("*.c"))
REGRESSION = 1.2  # times worse than before
REMEMBERED = 5    # runs of the history that a figure is compared with: their median


def read_bars():
    bars = []
    for line in (HERE / "bars.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            name, words, sign, limit, history = line.split("\t")
            bars.append({"name": name, "words": words, "most": sign == "<=", "ratio": history == "ratio",
                         "limit": None if limit == "-" else float(limit)})
    return bars


def read_figures(path):
    figures = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        name, value = line.split("\t")
        try:
            figures[name] = float(value)
        except ValueError:
            pass
    return figures


def mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def derive_record(f):
    for name in ("floor", "record", "tsan", "helgrind"):
        values = [f[f"record.{k}.{name}"] for k in KERNELS if f.get(f"record.{k}.{name}")]
        if values:
            f[f"record.mean.{name}"] = mean(values)
    if "record.mean.record" in f and "record.mean.floor" in f:
        f["record.mean.record_over_floor"] = f["record.mean.record"] / f["record.mean.floor"]


def derive_sets(f, family):
    sets = [f"analyze.{family}.{letter}" for letter in "ABC" if f"analyze.{family}.{letter}.kb" in f]
    if not sets:
        return
    f[f"analyze.{family}.open"] = sum(f[f"{s}.open"] for s in sets)
    f[f"analyze.{family}.rate"] = sum(f[f"{s}.candidates"] for s in sets) / max(sum(f[f"{s}.cpu"] for s in sets), 1e-3)
    if f.get(f"analyze.{family}.B.j2.wall"):
        f[f"analyze.{family}.speedup"] = f[f"analyze.{family}.B.wall"] / f[f"analyze.{family}.B.j2.wall"]


def growth(f, kind="growth"):
    """(events asked for, microseconds an event, bytes an event)"""
    return [(size, 1e6 * f[f"analyze.{kind}.{size}.cpu"] / f[f"analyze.{kind}.{size}.events"],
             1024 * f[f"analyze.{kind}.{size}.kb"] / f[f"analyze.{kind}.{size}.events"])
            for size in (100000, 1000000, 10000000) if f"analyze.{kind}.{size}.kb" in f]


def derive_analyze(f):
    derive_sets(f, "shapes")
    derive_sets(f, "own")
    if "analyze.traces.kb" in f:
        f["analyze.traces.mb"] = f["analyze.traces.kb"] / 1024
    for kind in ("growth", "same_words"):
        sizes = growth(f, kind)
        for size, _, memory in sizes:
            f[f"analyze.{kind}.{size}.bytes"] = memory
        if len(sizes) > 1:
            f[f"analyze.{kind}.time"] = sizes[-1][1] / sizes[0][1]
            f[f"analyze.{kind}.memory"] = sizes[-1][2] / sizes[0][2]


def derive_replay(f):
    for what in ("wall", "cpu", "diverged"):
        values = [v for name, v in f.items() if name.startswith("replay.") and name.endswith(f".{what}")
                  and not name.startswith("replay.most.")]
        if values:
            f[f"replay.most.{what}"] = max(values)


def first_of(rows, rival):
    """Per program that heddle fails: heddle's seconds to the first failure, the rival's, did it find one."""
    return [(r["bug"]["first"], r["rivals"][rival]["first"] or r["rivals"][rival]["seconds"],
             bool(r["rivals"][rival]["hits"]), r["name"])
            for r in rows if r["expected"] == "FAILING" and r["bug"]["first"] and r.get("rivals")]


def derive_first(f, corpus):
    rows = corpus["programs"]
    planted = [r for r in rows if r["expected"] == "FAILING"]
    if planted:
        f["first.found"] = 100 * sum(r["bug"]["confirmed"] for r in planted) / len(planted)
    for rival in ("noise", "tsan"):
        ratios = [theirs / max(ours, 0.001) for ours, theirs, _, _ in first_of(rows, rival)]
        if ratios:
            f[f"first.{rival}"] = statistics.median(ratios)


def read_history(path):
    runs = []
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        try:
            runs.append(json.loads(line)["figures"])
        except (ValueError, KeyError, TypeError):
            raise ValueError(f"{path}:{number}: not a line of results; remove it") from None
    return runs


def before(runs, name):
    values = [run[name] for run in runs if name in run][-REMEMBERED:]
    return statistics.median(values) if values else None


def holds(value, bar):
    return value <= bar["limit"] if bar["most"] else value >= bar["limit"]


def judge(figures, runs):
    """A row for each bar: its figure, whether it holds, and what it was before."""
    rows = []
    for bar in read_bars():
        value, old = figures.get(bar["name"]), before(runs, bar["name"])
        row = dict(bar, value=value, before=old, verdict="", worse=False)
        if value is not None:
            row["verdict"] = "-" if bar["limit"] is None else "holds" if holds(value, bar) else "MISSES"
            if bar["ratio"] and old:
                row["worse"] = value > old * REGRESSION if bar["most"] else value < old / REGRESSION
        rows.append(row)
    return rows

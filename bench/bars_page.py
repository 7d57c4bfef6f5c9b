# SPDX-License-Identifier: Apache-2.0
"""The bars and their figures as one HTML file: plots in SVG, no script, no network."""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "corpus"))
import bars  # noqa: E402
import page as corpus_page  # noqa: E402

text = corpus_page.text
COLOURS = {"floor": "#999", "record": "var(--heddle)", "tsan": "var(--rival)", "helgrind": "var(--alarm)"}


def short(value):
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def slowdown(f):
    """CPU time over plain; a group a kernel, logarithmic from 1."""
    kernels = [k for k in bars.KERNELS if f"record.{k}.record" in f]
    values = [f.get(f"record.{k}.{tool}", 0) for k in kernels for tool in COLOURS]
    if not values:
        return ""
    most, height, row, left = math.log10(max(max(values), 10)), 0, 15, 90
    parts = []
    for kernel in kernels:
        parts.append(f'<text x="{left - 8}" y="{height + 32}" text-anchor="end">{text(kernel)}</text>')
        for i, (tool, colour) in enumerate(COLOURS.items()):
            value = f.get(f"record.{kernel}.{tool}")
            if value:
                length, y = 520 * math.log10(max(value, 1.02)) / most, height + i * row
                parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{row - 2}" style="fill:{colour}"/>'
                             f'<text x="{left + length + 5:.1f}" y="{y + 11}">{tool} {value:.2f}</text>')
        height += len(COLOURS) * row + 12
    return f'<svg role="img" width="760" height="{height}">{"".join(parts)}</svg>'


def line(points, unit, limit=None):
    """Values over sizes that grow by tens; `limit`: how high the last may be, drawn from the first."""
    most = max([y for _, y in points] + [limit or 0]) * 1.15
    width, height, left = 420, 190, 70
    step = width / max(len(points) - 1, 1)
    at = [(left + i * step, 10 + height * (1 - y / most)) for i, (_, y) in enumerate(points)]
    parts = [f'<svg role="img" width="{left + width + 60}" height="{height + 50}">'
             f'<path d="M{left} 10V{10 + height}H{left + width}" fill="none" stroke="#999"/>']
    if limit:
        y = 10 + height * (1 - limit / most)
        parts.append(f'<path d="M{left} {y:.1f}H{left + width}" stroke-dasharray="4" style="stroke:var(--bad)"/>'
                     f'<text x="{left + 6}" y="{y - 5:.1f}">bar</text>')
    parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in at)}" fill="none" stroke-width="2" '
                 f'style="stroke:var(--heddle)"/>')
    for (x, y), (size, value) in zip(at, points):
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" style="fill:var(--heddle)"/>'
                     f'<text x="{x:.1f}" y="{y - 9:.1f}" text-anchor="middle">{short(value)} {unit}</text>'
                     f'<text x="{x:.1f}" y="{height + 28}" text-anchor="middle">{text(size)}</text>')
    return "".join(parts) + "</svg>"


def growth(f):
    sizes = bars.growth(f)
    if len(sizes) < 2:
        return ""
    names = {100000: "100k events", 1000000: "1M", 10000000: "10M"}
    time = [(names[size], t) for size, t, _ in sizes]
    memory = [(names[size], m) for size, _, m in sizes]
    return (f"<h2>Growth of the analysis</h2><p>Time an event</p>{line(time, 'µs', 1.5 * time[0][1])}"
            f"<p>Memory an event</p>{line(memory, 'B', 1.5 * memory[0][1])}")


def chart(title, pairs, note=""):
    pairs = [(label, float(f"{value:.3g}"), colour) for label, value, colour in pairs if value is not None]
    if not pairs:
        return ""
    note = f'<p class="note">{text(note)}</p>' if note else ""
    return f"<h2>{text(title)}</h2>{corpus_page.bars(pairs, max(v for _, v, _ in pairs))}{note}"


def plots(f, corpus):
    own, rival = "var(--heddle)", "var(--rival)"
    parts = []
    if any(f"record.{k}.record" in f for k in bars.KERNELS):
        parts.append(f"<h2>CPU time over plain</h2>{slowdown(f)}<p class=\"note\">Logarithmic. floor: the same program with "
                     "empty call-outs. Helgrind: one run, valgrind's start included.</p>")
    parts.append(chart("Bytes of trace an event",
                       [(k, f.get(f"record.{k}.bytes_an_event"), own) for k in bars.KERNELS], "The bar is 4, of the mean."))
    rates = [(f"{words} {letter}", f[f"analyze.{family}.{letter}.candidates"] / max(f[f"analyze.{family}.{letter}.cpu"], 1e-3),
              own) for family, words in (("shapes", "published"), ("own", "own")) for letter in "ABC"
             if f"analyze.{family}.{letter}.kb" in f]
    parts.append(chart("Candidates decided a second", rates, "All candidates, one core."))
    parts.append(growth(f))
    parts.append(chart("Replays a second", [("-j 1", f.get("replay.rate.j1"), own), ("-j 2", f.get("replay.rate.j2"), own)]))
    if corpus:
        for tool in ("noise", "tsan"):
            parts.append(f"<h2>Time to first failure: heddle and {tool}</h2>{corpus_page.scatter(corpus['programs'], tool)}"
                         '<p class="note">The planted bugs of the corpus. Above the line heddle is first. Hollow: the rival found '
                         "nothing in its runs, and is drawn at the time they took.</p>")
        parts.append(chart("Times as long as heddle to the first failure, median",
                           [("noise", f.get("first.noise"), rival), ("tsan", f.get("first.tsan"), rival)]))
    return "\n".join(part for part in parts if part)


def history(runs):
    """Each ratio that has a past, as it went."""
    parts = []
    for bar in bars.read_bars():
        values = [run[bar["name"]] for run in runs if bar["name"] in run][-12:]
        if bar["ratio"] and len(values) > 1:
            parts.append(f"<p>{text(bar['words'])}</p>"
                         + line([(str(i + 1 - len(values)), v) for i, v in enumerate(values)], "", None))
    return f"<h2>History of the ratios</h2>{''.join(parts)}" if parts else ""


def table(rows):
    parts = []
    for r in rows:
        if r["value"] is None:
            continue
        state = {"MISSES": "bad", "holds": "good"}.get(r["verdict"], "")
        limit = "" if r["limit"] is None else ("≤ " if r["most"] else "≥ ") + short(r["limit"])
        change = f"{100 * (r['value'] / r['before'] - 1):+.0f} %" if r["ratio"] and r["before"] else ""
        parts.append(f'<tr><td>{text(r["words"])}</td><td>{short(r["value"])}</td><td>{limit}</td>'
                     f'<td class="{state}">{r["verdict"]}</td><td class="{"bad" if r["worse"] else ""}">{change}</td></tr>')
    return ("<table><thead><tr><th>bar</th><th>measured</th><th>limit</th><th></th><th>since before</th></tr></thead><tbody>"
            + "\n".join(parts) + "</tbody></table>")


def page(rows, figures, runs, corpus, notes, version):
    left_out = "".join(f"<li>{text(note)}</li>" for note in notes)
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>heddle: the bars</title>
<style>{corpus_page.STYLE}</style>
<h1>The bars</h1>
<p>{text(version)}</p>
{table(rows)}
{f"<p>Left out:</p><ul>{left_out}</ul>" if notes else ""}
{plots(figures, corpus)}
{history(runs)}
</html>
"""

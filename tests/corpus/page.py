# SPDX-License-Identifier: Apache-2.0
"""The corpus as one HTML file: charts in SVG, the table, no script, no network. bench/bars_page.py has its charts from here."""
import html
import math

STYLE = """
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --faint: #e5e5e5; --good: #1b6e3c; --bad: #b00020;
  --heddle: #1b6e3c; --rival: #2b6cb0; --alarm: #b7791f }
@media (prefers-color-scheme: dark) { :root { --ink: #ddd; --paper: #16181c; --faint: #33373d; --good: #5cc689;
  --bad: #ff6b81; --heddle: #46b574; --rival: #6aa5e8; --alarm: #d9a441 } }
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 76em; padding: 0 1em; color: var(--ink);
  background: var(--paper) }
h1 { font-size: 1.5em } h2 { font-size: 1.15em; margin-top: 2em }
table { border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .15em .7em; text-align: right; border-bottom: 1px solid var(--faint) }
th { position: sticky; top: 0; background: var(--paper); border-bottom: 2px solid #999 }
td:first-child, th:first-child, td.text { text-align: left }
.bad { color: var(--bad); font-weight: 600 } .good { color: var(--good) }
svg text { font: 12px system-ui, sans-serif; fill: var(--ink) }
p.note { opacity: .75; max-width: 60em }
"""


def text(value):
    return html.escape(str(value))


def bars(pairs, most):
    """Horizontal bars: (label, value, colour)."""
    height, width, left = 26, 460, 130
    parts = [f'<svg role="img" width="{left + width + 90}" height="{height * len(pairs) + 6}">']
    for i, (label, value, colour) in enumerate(pairs):
        length = width * value / max(most, 1)
        y = i * height + 4
        parts.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{text(label)}</text>'
                     f'<rect x="{left}" y="{y}" width="{length:.1f}" height="18" style="fill:{colour}"/>'
                     f'<text x="{left + length + 6:.1f}" y="{y + 14}">{value}</text>')
    return "".join(parts) + "</svg>"


def axis(at, low, high, length):
    return length * (math.log10(at) - low) / (high - low)


def scatter(rows, rival="noise"):
    """Time to first failure, heddle across, the rival up; logarithmic; hollow where the rival found nothing."""
    points = []
    for r in rows:
        if r.get("rivals") and r["bug"]["first"]:
            theirs = r["rivals"][rival]
            points.append((r["bug"]["first"], theirs["first"] or theirs["seconds"], bool(theirs["hits"]), r["name"]))
    if not points:
        return ""
    low = math.floor(math.log10(min(min(x, y) for x, y, _, _ in points)))
    high = max(math.ceil(math.log10(max(max(x, y) for x, y, _, _ in points))), low + 1)
    size, left, top = 420, 60, 10
    parts = [f'<svg role="img" width="{left + size + 20}" height="{top + size + 50}">'
             f'<rect x="{left}" y="{top}" width="{size}" height="{size}" fill="none" stroke="#999"/>'
             f'<line x1="{left}" y1="{top + size}" x2="{left + size}" y2="{top}" stroke="#999" stroke-dasharray="4"/>']
    for power in range(low, high + 1):
        d = size * (power - low) / (high - low)
        parts.append(f'<text x="{left + d:.0f}" y="{top + size + 18}" text-anchor="middle">{10.0 ** power:g} s</text>'
                     f'<text x="{left - 6}" y="{top + size - d + 4:.0f}" text-anchor="end">{10.0 ** power:g} s</text>')
    for x, y, hit, name in points:
        fill = "var(--rival)" if hit else "none"
        parts.append(f'<circle cx="{left + axis(x, low, high, size):.1f}" cy="{top + size - axis(y, low, high, size):.1f}" '
                     f'r="4" style="fill:{fill};stroke:var(--rival)"><title>{text(name)}: heddle {x:.2f} s, {rival} '
                     f'{"" if hit else "more than "}{y:.2f} s</title></circle>')
    parts.append(f'<text x="{left + size / 2}" y="{top + size + 40}" text-anchor="middle">heddle</text>'
                 f'<text x="14" y="{top + size / 2}" text-anchor="middle" '
                 f'transform="rotate(-90 14 {top + size / 2})">{text(rival)}</text></svg>')
    return "".join(parts)


def rows_of(rows, line_of):
    parts = []
    for r in rows:
        cells = line_of(r)
        missed = r["expected"] == "FAILING" and not r["bug"]["confirmed"]
        parts.append(f'<tr><td{" class=bad" if missed else ""}>{text(cells[0])}</td><td class=text>{text(r["class"])}</td>'
                     + "".join(f'<td{" class=bad" if c == "FAILING" else ""}>{text(c)}</td>' for c in cells[1:])
                     + f'<td class=text>{text(r["bug"]["title"] or r["cause"])}</td></tr>')
    return "\n".join(parts)


def list_of(title, names):
    return f"<h2>{text(title)}</h2><ul>" + "".join(f"<li>{text(n)}</li>" for n in names) + "</ul>" if names else ""


def page(rows, verdict, headings, line_of):
    share = 100 * verdict["found"] / max(verdict["planted"], 1)
    counts = [("heddle", verdict["found"], "var(--heddle)")]
    counts += [(tool, n, "var(--rival)") for tool, n in verdict["rivals"].items()]
    alarms = [("heddle", len(verdict["false"]), "var(--heddle)")]
    alarms += [(tool, n, "var(--alarm)") for tool, n in verdict["alarms"].items()]
    ratio = f'; time to first failure: noise takes {verdict["ratio"]:.1f} times as long (median)' if verdict["ratio"] else ""
    return f"""<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>heddle: the corpus</title><style>{STYLE}</style>
<h1>The corpus</h1>
<p><b class="{'good' if share >= 97 else 'bad'}">{verdict['found']} of {verdict['planted']}</b> planted bugs confirmed
({share:.1f} %), <b class="{'bad' if verdict['false'] else 'good'}">{len(verdict['false'])}</b> false FAILING on
{verdict['twins']} twins{ratio}.</p>
<h2>Bugs found, of {verdict['planted']}</h2>
{bars(counts, verdict['planted'])}
<p class="note">heddle: one check. plain: 100 runs; noise: 100 runs of the instrumented program with random short sleeps; tsan: 20 runs;
helgrind: one. At least one failure or report counts.</p>
<h2>Correct twins that raise an alarm, of {verdict['twins']}</h2>
{bars(alarms, verdict['twins'])}
<h2>Time to first failure</h2>
{scatter(rows)}
<p class="note">Above the line heddle is first. Hollow: noise found nothing in its runs, and is drawn at the time they took.</p>
{list_of("Missed", [f"{name}: {cause}" for name, cause in verdict["misses"]])}
{list_of("False FAILING", verdict["false"])}
<h2>Programs</h2>
<table><thead><tr><th>{headings[0]}</th><th>class</th>{"".join(f"<th>{text(h)}</th>" for h in headings[1:])}<th>first finding, or why
it is missed</th></tr></thead><tbody>
{rows_of(rows, line_of)}
</tbody></table>
</html>
"""

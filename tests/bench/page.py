#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the report as one self-contained HTML page: page.py BENCH.json >BENCH.html"""
import html
import json
import sys

import charts
from results import shown
from text_report import REACHED

STYLE = """
:root { color-scheme: light dark; --paper: #fbfaf7; --card: #fff; --ink: #23272e; --soft: #626b77;
  --rule: #e3e1da; --ours: #0b7a75; --peer: #8a94a3; --plain: #57606e; --bound: #b98b2f;
  --good: #1d7a3e; --bad: #b3392c; --goodback: #e3f3e7; --badback: #fbe6e2; --noneback: #eceae4;
  --stripe: #f6f5f0; }
@media (prefers-color-scheme: dark) { :root { --paper: #14171b; --card: #1c2026; --ink: #e4e7eb;
  --soft: #98a2b0; --rule: #2f353d; --ours: #3cc4b8; --peer: #77828f; --plain: #a6b0bc;
  --bound: #d9b15c; --good: #6fd08f; --bad: #f08a7c; --goodback: #1c3524; --badback: #402220;
  --noneback: #2a2f36; --stripe: #21262d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 40px 24px 72px; }
h1 { font-size: 2.1rem; margin: 0 0 4px; letter-spacing: -.02em; }
h2 { font-size: 1.35rem; margin: 56px 0 8px; padding-top: 20px; border-top: 2px solid var(--rule);
  letter-spacing: -.01em; }
h3 { font-size: 1rem; margin: 0 0 10px; }
p { max-width: 76ch; margin: 0 0 14px; }
.lead, .note { color: var(--soft); }
.note { font-size: .92rem; }
nav { margin: 18px 0 0; display: flex; flex-wrap: wrap; gap: 6px 18px; }
a { color: var(--ours); text-decoration-thickness: 1px; text-underline-offset: 3px; }
.card { background: var(--card); border: 1px solid var(--rule); border-radius: 10px;
  padding: 18px 20px; margin: 0 0 20px; overflow-x: auto; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 20px; margin: 0;
  font-size: .94rem; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .88rem;
  font-variant-numeric: tabular-nums; }
th, td { padding: 6px 10px; text-align: right; vertical-align: baseline; }
th:first-child, td:first-child { text-align: left; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--rule);
  vertical-align: bottom; }
tbody tr:nth-child(even) { background: var(--stripe); }
tr.ours td:first-child { color: var(--ours); font-weight: 650; }
td small { display: block; color: var(--soft); font-size: .82em; white-space: nowrap; }
.goals td, .goals th { text-align: left; }
.goals td:first-child { white-space: normal; }
.pill { border-radius: 99px; padding: 1px 11px; font-size: .84rem; font-weight: 650;
  white-space: nowrap; background: var(--noneback); color: var(--soft); }
.pill.yes { background: var(--goodback); color: var(--good); }
.pill.no { background: var(--badback); color: var(--bad); }
.skip { border-left: 4px solid var(--bound); padding: 4px 14px; margin: 0 0 12px; }
.key { display: flex; flex-wrap: wrap; gap: 4px 22px; font-size: .88rem; color: var(--soft);
  margin: 0 0 16px; }
.key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin-right: 7px; }
svg { display: block; width: 100%; min-width: 640px; height: auto;
  font: 12px system-ui, "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); }
svg .tick, svg .faint { fill: var(--soft); font-size: 11px; }
svg .label { font-size: 12.5px; }
svg .value { font-size: 11.5px; font-variant-numeric: tabular-nums; paint-order: stroke;
  stroke: var(--card); stroke-width: 3px; }
svg .grid { stroke: var(--rule); fill: none; }
svg .mark { stroke: var(--bad); stroke-dasharray: 4 3; fill: none; }
svg .spread { stroke: var(--ink); stroke-opacity: .62; fill: none; }
svg .ours { --c: var(--ours); } svg .peer { --c: var(--peer); }
svg .plain { --c: var(--plain); } svg .bound { --c: var(--bound); }
svg .bar { fill: var(--c); } svg .s0 .bar { fill-opacity: .5; }
svg .ours .label { fill: var(--ours); font-weight: 650; }
svg .line { stroke: var(--c); stroke-width: 2; fill: none; }
svg .l1 .line { stroke-dasharray: 7 4; } svg .l2 .line { stroke-dasharray: 2 3; }
svg .l3 .line { stroke-dasharray: 9 3 2 3; }
footer { color: var(--soft); font-size: .88rem; margin-top: 48px; }
@media print { .card { break-inside: avoid; } }
"""
KEY = (("ours", "lodfs"), ("bound", "a FUSE server that sends zeros: the most FUSE gives"),
       ("peer", "other file systems"), ("plain", "no file system of images: folder, shards"))


def cell(found):
    if found is None:
        return "-"
    low, high = (found["form"].format(found[k]) if k in found else "" for k in ("low", "high"))
    if low != high:
        return f"{html.escape(shown(found, spread=False))}<small>{low} .. {high}</small>"
    return html.escape(shown(found))


def table(found):
    heads = "".join(f"<th>{html.escape(c)}</th>" for c in [""] + found["columns"])
    rows = "".join(
        f'<tr class="{row["role"]}"><td>{html.escape(row["label"])}</td>'
        + "".join(f"<td>{cell(c)}</td>" for c in row["cells"]) + "</tr>\n"
        for row in found["rows"])
    return f'<div class="card"><h3>{html.escape(found["title"])}</h3><table><thead><tr>{heads}' \
           f"</tr></thead><tbody>\n{rows}</tbody></table></div>"


def goals(every):
    rows = "".join(
        f'<tr><td>{html.escape(goal["what"])}</td><td>{goal["goal"]}</td>'
        f'<td>{cell(goal["cell"])}</td><td><span class="pill {REACHED[goal["reached"]]}">'
        f'{ {True: "reached", False: "missed", None: "not measured"}[goal["reached"]]}</span></td>'
        "</tr>\n" for goal in every)
    return '<div class="card"><table class="goals"><thead><tr><th>goal</th><th>wanted</th>' \
           f"<th>measured</th><th></th></tr></thead><tbody>\n{rows}</tbody></table></div>"


def chart(found):
    return f'<div class="card"><h3>{html.escape(found["title"])}</h3>\n{charts.svg(found)}</div>'


def part(found):
    lines = [f'<h2 id="{found["name"]}">{html.escape(found["title"])}</h2>',
             f'<p class="lead">{html.escape(found["intro"])}</p>']
    lines += [f'<p class="skip"><b>Not measured:</b> {html.escape(s["what"])}:'
              f' {html.escape(s["why"])}</p>' for s in found["skips"]]
    roles = {row["role"] for c in found["charts"] for row in c["rows"]}
    if len(roles) > 1:
        lines.append('<div class="key">' + "".join(
            f'<span><i style="background: var(--{role})"></i>{words}</span>'
            for role, words in KEY if role in roles) + "</div>")
    lines += [chart(c) for c in found["charts"]] + [table(t) for t in found["tables"]]
    lines += [f'<p class="note">{html.escape(note)}</p>' for note in found["notes"]]
    return "\n".join(lines)


def report(found):
    every = [goal for each in found["parts"] for goal in each["goals"]]
    reached = sum(goal["reached"] is True for goal in every)
    facts = "".join(f"<dt>{html.escape(name)}</dt><dd>{html.escape(str(value))}</dd>\n"
                    for name, value in found["facts"].items())
    links = "".join(f'<a href="#{p["name"]}">{html.escape(p["title"])}</a>'
                    for p in found["parts"])
    lines = ['<!doctype html><html lang="en"><head><meta charset="utf-8">',
             '<meta name="viewport" content="width=device-width, initial-scale=1">',
             f"<title>lodfs, measured</title><style>{STYLE}</style></head><body><main>",
             '<h1>lodfs, measured</h1><p class="lead">One run on one machine. Only ratios within'
             " it mean anything: files/s of a machine move by a factor of two between runs."
             " Medians; lines and small figures are the lowest and highest round.</p>",
             f'<div class="card"><dl>{facts}</dl></div><nav>{links}</nav>']
    if every:
        lines += [f'<h2 id="goals">Goals: {reached} of {len(every)} reached</h2>', goals(every)]
    lines += [part(p) for p in found["parts"]]
    lines.append("<footer>Made from bench.json by tests/bench/page.py; it loads nothing."
                 "</footer></main></body></html>\n")
    return "\n".join(lines)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(report(json.load(file)))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws fidelity.svg, the chart of README.md, from the measurements in fidelity.json.

fidelity_chart.py                       writes fidelity.svg, and the table of MEASURED.md to stdout
fidelity_chart.py --check               fails if fidelity.svg or that table is not current
fidelity_chart.py --measured NAME=INFO  takes a series anew from `lodfs info --json` of its store

It measures nothing itself. The colours follow the reader's light or dark setting, and the chart has
a background of its own, so it can be read on any page.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA, CHART, TABLE = HERE / "fidelity.json", HERE / "fidelity.svg", HERE / "MEASURED.md"

WIDTH, ROW, TOP, BOTTOM = 880, 34, 96, 40
NAMES, BYTES, BYTES_END, LIKE, LIKE_END = 82, 90, 430, 540, 790  # columns, in pixels
LIKE_MIN = .8
STYLE = """
  .back { fill: #ffffff; stroke: #d0d7de }
  text { fill: #1f2328; font: 14px system-ui, sans-serif }
  .title { font-weight: 600; font-size: 16px }
  .small { fill: #59636e; font-size: 12px }
  .grid { stroke: #d8dee4 }
  .a { fill: #0969da } .b { fill: #bc4c00 }
  @media (prefers-color-scheme: dark) {
    .back { fill: #0d1117; stroke: #30363d }
    text { fill: #e6edf3 }
    .small { fill: #9198a1 }
    .grid { stroke: #2a313c }
    .a { fill: #58a6ff } .b { fill: #f0883e }
  }
"""


def text(x, y, words, kind="", anchor="start"):
    kind = f' class="{kind}"' if kind else ""
    anchor = f' text-anchor="{anchor}"' if anchor != "start" else ""
    return f'<text x="{x:g}" y="{y:g}"{kind}{anchor}>{words}</text>'


def likeness(value):
    return "1" if value == 1 else f"{value:.3f}"[1:]


def bytes_x(share):
    return BYTES + share * (BYTES_END - BYTES)


def like_x(mssim):
    return LIKE + (mssim - LIKE_MIN) / (1 - LIKE_MIN) * (LIKE_END - LIKE)


def grid(bottom):
    for percent in range(0, 101, 25):
        x = bytes_x(percent / 100)
        yield f'<line class="grid" x1="{x:g}" y1="{TOP}" x2="{x:g}" y2="{bottom}"/>'
        yield text(x, bottom + 18, f"{percent} %", "small", "middle")
    for hundredths in range(80, 101, 5):
        x = like_x(hundredths / 100)
        yield f'<line class="grid" x1="{x:g}" y1="{TOP}" x2="{x:g}" y2="{bottom}"/>'
        yield text(x, bottom + 18, likeness(hundredths / 100), "small", "middle")


def row(number, points):
    """One fidelity: a bar of bytes and a dot of likeness for each series."""
    y = TOP + number * ROW
    yield text(NAMES, y + 22, points[0]["name"], "", "end")
    for series, point in enumerate(points):
        kind, top = "ab"[series], y + 4 + 13 * series
        width = bytes_x(point["share"]) - BYTES
        yield f'<rect class="{kind}" x="{BYTES}" y="{top}" width="{width:.1f}" height="11" rx="2"/>'
        yield text(BYTES + width + 5, top + 10, f"{100 * point['share']:.0f} %", "small")
        x = like_x(point["mssim"])
        shape = (f'<circle class="{kind}" cx="{x:.1f}" cy="{top + 5}" r="5"/>' if series == 0 else
                 f'<rect class="{kind}" x="{x - 4.5:.1f}" y="{top + 1}" width="9" height="9"/>')
        yield shape
        yield text(x + 9, top + 10, likeness(point["mssim"]), "small")


def legend(series):
    for number, (one, x) in enumerate(zip(series, (BYTES, LIKE - 80))):
        kind = "ab"[number]
        yield (f'<circle class="{kind}" cx="{x + 5}" cy="49" r="5"/>' if number == 0 else
               f'<rect class="{kind}" x="{x}" y="44" width="10" height="10"/>')
        yield text(x + 16, 54, one["title"])


def chart(series):
    rows = list(zip(*(one["fidelities"] for one in series)))
    bottom = TOP + ROW * len(rows)
    label = "Bytes and likeness of each fidelity, q1 to full; the numbers are in MEASURED.md"
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {bottom + BOTTOM}" '
             f'role="img" aria-label="{label}">', f"<style>{STYLE}</style>",
             f'<rect class="back" x=".5" y=".5" width="{WIDTH - 1}" height="{bottom + BOTTOM - 1}" '
             'rx="8"/>',
             text(BYTES, 28, "Bytes of each fidelity, and how alike the image is", "title"),
             *legend(series),
             text(BYTES, 84, "bytes, of the source's", "small"),
             text(LIKE, 84, "likeness to the full image (MSSIM)", "small"), *grid(bottom)]
    for number, points in enumerate(rows):
        parts += row(number, points)
    return "\n".join(parts) + "\n</svg>\n"


def table(series):
    names = [point["name"] for point in series[0]["fidelities"]]
    lines = ["| photographs | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|"]
    for one in series:
        shares = [f"{100 * point['share']:.0f} %" for point in one["fidelities"]]
        likes = [likeness(point["mssim"]) for point in one["fidelities"]]
        lines.append(f"| {one['name']}: bytes | " + " | ".join(shares) + " |")
        lines.append(f"| {one['name']}: MSSIM | " + " | ".join(likes) + " |")
    return "\n".join(lines) + "\n"


def measured(one, path):
    """Takes the fidelities of a series from `lodfs info --json`; equal ones at the end are one."""
    info = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    likes = info["scans"]["store"]["mssim"] + [1]
    points = [{"name": name, "share": round(count / info["source_bytes"], 4), "mssim": like}
              for (name, count), like in zip(info["fidelity_bytes"].items(), likes)]
    equal = [point for point in points if point["share"] == points[-1]["share"]]
    last = dict(equal[-1], name=" .. ".join(point["name"] for point in (equal[0], equal[-1])))
    photographs = next(codec for codec in info["codecs"] if codec["codec"] == "pcr")
    one["photographs"] = photographs["files"]
    one["mean_bytes"] = photographs["source_bytes"] // photographs["items"]
    one["fidelities"] = points[:-len(equal)] + [last if len(equal) > 1 else equal[-1]]


def main(words):
    data = json.loads(DATA.read_text(encoding="utf-8"))
    series = data["series"]
    if words[:1] == ["--measured"]:
        name, _, path = words[1].partition("=")
        measured(next(one for one in series if one["name"] == name), path)
        DATA.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    if words[:1] == ["--check"]:
        wrong = [path.name for path, part in ((CHART, chart(series)), (TABLE, table(series)))
                 if part not in path.read_text(encoding="utf-8")]
        print(f"not current, run man/fidelity_chart.py: {wrong}" if wrong else "current")
        return 1 if wrong else 0
    series = [one for one in series if "fidelities" in one]
    CHART.write_text(chart(series), encoding="utf-8")
    print(table(series), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

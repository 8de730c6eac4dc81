# SPDX-License-Identifier: Apache-2.0
"""Draws the charts of results.py as inline SVG. Colours are CSS classes: one chart serves light and
dark."""
import html
import math

from results import shown

WIDTH, LABELS, VALUES = 860, 236, 92  # widths: the drawing, labels, values
BAR, GAP, ROW_GAP, TOP, BOTTOM = 13, 2, 9, 30, 34
LINE_HEIGHT, LINE_LEFT = 300, 64
LEGEND, LETTER = 14, 7.8  # height of a legend line; width of a bold letter


def words(x, y, text, css="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{css}" text-anchor="{anchor}">' \
           f'{html.escape(text)}</text>'


def short(value):
    """Returns a tick's label: 20k, 1.5M, .25."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def ticks(most, least, log):
    if log:
        first, last = math.floor(math.log10(least)), math.ceil(math.log10(most))
        return [10.0 ** power * part for power in range(first, last + 1)
                for part in ((1,) if last - first > 3 else (1, 2, 5))]
    step = 10 ** math.floor(math.log10(most))
    step = next(step * part for part in (.2, .5, 1, 2) if most / (step * part) <= 6)
    return [step * i for i in range(math.floor(most / step) + 1)]


class Scale:
    """Maps values to pixels, linear from 0 or logarithmic from a power of ten."""

    def __init__(self, cells, log, low_px, high_px):
        values = [c[k] for c in cells if c and "median" in c for k in ("low", "median", "high")]
        self.most = max(values, default=1) or 1
        positive = [v for v in values if v > 0]
        self.log = log and bool(positive)
        self.least = 10 ** math.floor(math.log10(min(positive))) if self.log else 0
        self.low_px, self.high_px = low_px, high_px
        if self.log and self.least >= self.most:
            self.least = self.most / 10
        self.ticks = [t for t in ticks(self.most, self.least, self.log) if t <= self.most * 1.0001]

    def at(self, value):
        if self.log:
            part = math.log(max(value, self.least) / self.least) / math.log(self.most / self.least)
        else:
            part = value / self.most
        return self.low_px + part * (self.high_px - self.low_px)


def bar(row, series, cell, scale, y, unit):
    if cell is None or "median" not in cell:
        return [words(LABELS + 6, y + BAR - 3, "not measured", "faint")]
    start, end = scale.at(scale.least if scale.log else 0), scale.at(cell["median"])
    low, high, middle = scale.at(cell["low"]), scale.at(cell["high"]), y + BAR / 2
    tip = f"{row['label']}{', ' + series if series else ''}: {shown(cell)} {unit}"
    parts = [f'<g><title>{html.escape(tip)}</title>',
             f'<rect x="{start:.1f}" y="{y:.1f}" width="{max(end - start, 1):.1f}" height="{BAR}"'
             f' rx="2" class="bar"/>']
    if high - low > 1:
        parts.append(f'<path d="M{low:.1f} {middle:.1f}H{high:.1f}M{low:.1f} {middle - 3:.1f}v6'
                     f'M{high:.1f} {middle - 3:.1f}v6" class="spread"/>')
    parts.append(words(max(end, high) + 6, y + BAR - 3, shown(cell, spread=False), "value"))
    return parts + ["</g>"]


def bars(chart):
    series = chart["series"]
    rows = chart["rows"]
    scale = Scale([c for row in rows for c in row["cells"]], chart["log"], LABELS + 6,
                  WIDTH - VALUES)
    row_height = len(series) * (BAR + GAP) + ROW_GAP
    top = TOP + (LEGEND if chart.get("mark") and len(series) > 1 else 0)
    bottom = top + len(rows) * row_height
    parts = []
    for tick in scale.ticks:
        x = scale.at(tick)
        parts.append(f'<path d="M{x:.1f} {top - 4}V{bottom}" class="grid"/>')
        parts.append(words(x, bottom + 15, short(tick), "tick", "middle"))
    parts.append(words(WIDTH - VALUES, bottom + 29,
                       chart["unit"] + (", logarithmic" if scale.log else ""), "tick", "end"))
    if chart.get("mark"):  # below the bars and their labels
        x = scale.at(chart["mark"][0])
        parts.append(f'<path d="M{x:.1f} {top - 4}V{bottom}" class="mark"/>')
        parts.append(words(x + 4, top - 8, chart["mark"][1], "tick"))
    for number, row in enumerate(rows):
        y = top + number * row_height
        parts.append(f'<g class="{row["role"]}">')
        parts.append(words(LABELS - 4, y + len(series) * (BAR + GAP) / 2 + 3, row["label"],
                           "label", "end"))
        for at, cell in enumerate(row["cells"]):
            parts.append(f'<g class="s{at if len(series) > 1 else 1}">')
            parts += bar(row, series[at] if len(series) > 1 else "", cell, scale,
                         y + at * (BAR + GAP), chart["unit"])
            parts.append("</g>")
        parts.append("</g>")
    return parts + legend(series if len(series) > 1 else []), bottom + BOTTOM


def legend(series):
    parts, x = [], LABELS + 6
    for at, name in enumerate(series):
        parts.append(f'<g class="ours s{at}"><rect x="{x}" y="6" width="11" height="11" rx="2"'
                     ' class="bar"/></g>')
        parts.append(words(x + 16, 15.5, name, "tick"))
        x += 34 + 7 * len(name)
    return parts


def lines(chart):
    names, rows = chart["ticks"], chart["rows"]
    bottom = TOP + LINE_HEIGHT
    scale = Scale([c for row in rows for c in row["cells"]], chart["log"], bottom, TOP)
    right = WIDTH - 24 - LETTER * max([20] + [min(len(row["label"]), 44) for row in rows])
    step = (right - LINE_LEFT - 30) / max(len(names) - 1, 1)
    parts = [words(4, 15, chart["unit"] + (", logarithmic" if scale.log else ""), "tick")]
    for tick in scale.ticks:
        y = scale.at(tick)
        parts.append(f'<path d="M{LINE_LEFT} {y:.1f}H{right}" class="grid"/>')
        parts.append(words(LINE_LEFT - 8, y + 4, short(tick), "tick", "end"))
    for at, name in enumerate(names):
        parts.append(words(LINE_LEFT + 15 + at * step, bottom + 16, name, "tick", "middle"))
    parts.append(words((LINE_LEFT + right) / 2, bottom + 32, chart["x_title"], "tick", "middle"))
    ends = []
    for number, row in enumerate(rows):
        points = [(LINE_LEFT + 15 + at * step, cell) for at, cell in enumerate(row["cells"])
                  if cell and "median" in cell]
        if not points:
            continue
        css = f'{row["role"]} l{number % 4}'
        path = "L".join(f"{x:.1f} {scale.at(c['median']):.1f}" for x, c in points)
        parts.append(f'<g class="{css}"><path d="M{path}" class="line"/>')
        for x, cell in points:
            parts.append(f'<g><title>{html.escape(row["label"] + ": " + shown(cell))}</title>'
                         f'<path d="M{x:.1f} {scale.at(cell["low"]):.1f}'
                         f'V{scale.at(cell["high"]):.1f}" class="spread"/><circle cx="{x:.1f}"'
                         f' cy="{scale.at(cell["median"]):.1f}" r="3.5" class="bar"/></g>')
        parts.append("</g>")
        ends.append((scale.at(points[-1][1]["median"]), row["label"], css, points[-1][0]))
    last = TOP - 14
    for y, name, css, x in sorted(ends):
        last = max(y, last + 14)  # keep labels apart
        parts.append(f'<g class="{css}">{words(x + 10, last + 4, name, "label")}</g>')
    return parts, bottom + 40


def svg(chart):
    parts, height = (bars if chart["kind"] == "bars" else lines)(chart)
    return "\n".join([f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label='
                      f'"{html.escape(chart["title"])}">'] + parts + ["</svg>"])

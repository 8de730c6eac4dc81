# SPDX-License-Identifier: Apache-2.0
"""The findings of a part of the benchmark as plain data: tables, charts and goals.

text_report and page print them. Everything shown comes from here, so a part knows no HTML, and the
page can be made again from only the JSON.

A cell is a number with its spread, {"median", "low", "high", "count", "form"}, or {"text"}.
"""
import statistics

ROLES = ("ours", "peer", "bound", "plain")  # the kind of a row decides its colour in charts


def cell(values, form="{:,.0f}"):
    """Returns the median of samples with the lowest and highest; None without samples."""
    values = [v for v in values or [] if v is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "low": min(values), "high": max(values),
            "count": len(values), "form": form}


def text(words):
    return {"text": str(words)}


def shown(a_cell, spread=True):
    """Returns a cell as text."""
    if a_cell is None:
        return "-"
    if "text" in a_cell:
        return a_cell["text"]
    middle, low, high = (a_cell["form"].format(a_cell[k]) for k in ("median", "low", "high"))
    return middle if low == high or not spread else f"{middle} ({low} .. {high})"


def ratios(samples, base):
    """Returns the ratios round by round."""
    return [a / b for a, b in zip(samples, base) if b]


class Part:
    """One part's findings; `data` goes into the JSON."""

    def __init__(self, name, title, intro):
        self.data = {"name": name, "title": title, "intro": intro, "tables": [], "charts": [],
                     "goals": [], "skips": [], "notes": [], "samples": {}}

    def skip(self, what, why):
        """Notes that something could not be measured here; every report says so."""
        print(f"SKIP: {what}: {why}", flush=True)
        self.data["skips"].append({"what": what, "why": why})

    def note(self, words):
        self.data["notes"].append(words)

    def sample(self, key, value):
        """Adds one measured value, or dictionary of values, of a round."""
        self.data["samples"].setdefault(key, []).append(value)

    def samples(self, key, field=None):
        found = self.data["samples"].get(key, [])
        return [value[field] for value in found] if field else found

    def table(self, title, columns, rows):
        """Adds a table. A row is (label, role, cells), with one cell for each column."""
        self.data["tables"].append({
            "title": title, "columns": list(columns),
            "rows": [{"label": label, "role": role, "cells": list(cells)}
                     for label, role, cells in rows]})

    def bars(self, title, unit, series, rows, log=False, mark=None):
        """Adds bars, one a row and series; `rows` as of table. `mark`: (value, words), a line to
        compare."""
        self.data["charts"].append({
            "kind": "bars", "title": title, "unit": unit, "series": list(series), "log": log,
            "mark": mark, "rows": [{"label": label, "role": role, "cells": list(cells)}
                                   for label, role, cells in rows]})

    def lines(self, title, x_title, unit, ticks, rows, log=False):
        """Adds lines, one a row; its cells stand over `ticks`, the labels of the x axis."""
        self.data["charts"].append({
            "kind": "lines", "title": title, "x_title": x_title, "unit": unit, "log": log,
            "ticks": list(ticks), "rows": [{"label": label, "role": role, "cells": list(cells)}
                                           for label, role, cells in rows]})

    def goal(self, what, values, at_least=None, at_most=None, form="{:.2f}"):
        """Adds a goal, reached if the median is; without samples it is unknown."""
        found = cell(values, form)
        limit = at_least if at_least is not None else at_most
        sign = "at least" if at_least is not None else "at most"
        reached = None
        if found:
            reached = (found["median"] >= at_least if at_least is not None
                       else found["median"] <= at_most)
        self.data["goals"].append({"what": what, "goal": f"{sign} {form.format(limit)}",
                                   "cell": found, "reached": reached})

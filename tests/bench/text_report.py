# SPDX-License-Identifier: Apache-2.0
"""Writes the report as text, with Markdown tables."""
import textwrap

from results import shown

REACHED = {True: "yes", False: "no", None: "not measured"}


def wrapped(words):
    return textwrap.wrap(words, 100)


def table(found):
    lines = ["| " + " | ".join([found["title"]] + found["columns"]) + " |",
             "|" + "---|" * (len(found["columns"]) + 1)]
    for row in found["rows"]:
        lines.append("| " + " | ".join([row["label"]] + [shown(c) for c in row["cells"]]) + " |")
    return lines + [""]


def part(found):
    lines = ["", f"## {found['title']}", ""] + wrapped(found["intro"]) + [""]
    for skip in found["skips"]:
        lines += [f"SKIP: {skip['what']}: {skip['why']}", ""]
    for each in found["tables"]:
        lines += table(each)
    if found["goals"]:
        lines += ["| goal | wanted | measured | reached |", "|---|---|---|---|"]
        lines += [f"| {g['what']} | {g['goal']} | {shown(g['cell'])} | {REACHED[g['reached']]} |"
                  for g in found["goals"]] + [""]
    for note in found["notes"]:
        lines += wrapped(note) + [""]
    return lines


def report(found):
    lines = ["# lodfs, measured", ""]
    lines += [f"{name}: {value}" for name, value in found["facts"].items()]
    for each in found["parts"]:
        lines += part(each)
    return "\n".join(lines) + "\n"

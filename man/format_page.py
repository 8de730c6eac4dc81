#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""format_page.py IN.md OUT.5 VERSION: lodfs-format(5) from FORMAT.md.

Takes the Markdown that FORMAT.md is written in: headings, paragraphs, fenced and indented code,
lists, tables, `code`, **bold**, *emphasis* and links; not all of Markdown.
"""
import re
import sys

LINE = 72  # characters of text in a line of 80
COLUMN_SHORT, COLUMN_GAP = 9, 3


def plain(text):
    return text.replace("\\", "\\e").replace("-", "\\-")


def inline(text):
    """One run of Markdown text as roff text."""
    out = []
    for part in re.split(r"(`[^`]+`|\*\*[^*]+\*\*|(?<![\w*])\*[^*\s][^*]*\*|\[[^]]+\]\([^)]+\))",
                         text):
        if part.startswith("`") and len(part) > 1:
            out.append(f"\\fB{plain(part[1:-1])}\\fP")
        elif part.startswith("**"):
            out.append(f"\\fB{plain(part[2:-2])}\\fP")
        elif part.startswith("*") and part.endswith("*") and len(part) > 2:
            out.append(f"\\fI{plain(part[1:-1])}\\fP")
        elif re.match(r"\[[^]]+\]\(", part):
            out.append(plain(part[1:part.index("]")]))
        else:
            out.append(plain(part))
    return guard("".join(out))


def guard(line):
    """A text line that begins like a request must not be one."""
    return "\\&" + line if line[:1] in (".", "'") else line


def heading(line):
    level = len(line) - len(line.lstrip("#"))
    text = line.lstrip("#").strip()
    return [f".SH {inline(text).upper()}" if level <= 2 else f".SS {inline(text)}"]


def code(lines):
    lines = [guard(plain(line.expandtabs(4))) for line in lines]
    return [".PP", ".RS 4", ".nf", *lines, ".fi", ".RE"]


def cells(row):
    return [cell.strip().replace("\\|", "|")
            for cell in re.split(r"(?<!\\)\|", row.strip().strip("|"))]


def columns(widths):
    """tbl's column widths: short ones as they are, wide ones share the rest of the line."""
    wide = [w > COLUMN_SHORT for w in widths]
    short = sum(w for w, is_wide in zip(widths, wide) if not is_wide)
    left = LINE - COLUMN_GAP * len(widths) - short
    shares = sum(w for w, is_wide in zip(widths, wide) if is_wide)
    if shares <= left:
        return [None] * len(widths)
    return [max(w * left // shares, COLUMN_SHORT) if is_wide else None
            for w, is_wide in zip(widths, wide)]


def table(rows):
    """tbl(1), without hyphens and with a ragged right margin in its cells."""
    body = [cells(row) for row in rows if not re.fullmatch(r"[|:\- ]+", row.strip())]
    count = max(map(len, body))
    body = [row + [""] * (count - len(row)) for row in body]
    shown = [max(len(re.sub(r"[`*]", "", row[i])) for row in body) for i in range(count)]
    widths = columns(shown)
    spec = ["l" + (f"w({w}n)" if w else "") for w in widths]
    out = [".PP", ".ad l", ".nh", ".TS", "tab(\t);", " ".join("lb" + s[1:] for s in spec),
           " ".join(spec) + "."]
    for row in body:
        texts = [f"T{{\n{inline(cell)}\nT}}" if widths[i] and cell else inline(cell)
                 for i, cell in enumerate(row)]
        out.append("\t".join(texts))
    return out + [".TE", ".hy", ".ad b"]


def item(line):
    match = re.match(r"\s*([-*]|\d+[.)])\s+(.*)", line)
    mark = "\\(bu" if match.group(1) in "-*" else plain(match.group(1))
    return [f".IP {mark} 4", inline(match.group(2))]


def is_item(line):
    return re.match(r"\s{0,3}([-*]|\d+[.)])\s", line) is not None


def convert(lines):
    """roff lines of Markdown lines; the document's own title and status lines come first."""
    out, i, fresh, in_list = [], 0, True, False
    while i < len(lines):
        line = lines[i]
        block = i
        if line.startswith("```"):
            block = i + 1
            while block < len(lines) and not lines[block].startswith("```"):
                block += 1
            out += code(lines[i + 1:block])
            block += 1
        elif line.startswith("|"):
            while block < len(lines) and lines[block].startswith("|"):
                block += 1
            out += table(lines[i:block])
        elif line.startswith("    ") and not in_list:
            while block < len(lines) and (lines[block].startswith("    ") or not lines[block]):
                block += 1
            out += code([text[4:] for text in lines[i:block]])
        if block > i:
            i, fresh, in_list = block, True, False
            continue
        if line.startswith("#"):
            out += heading(line)
            fresh, in_list = False, False
        elif not line.strip():
            fresh = True
        elif is_item(line):
            out += item(line)
            fresh, in_list = False, True
        else:
            if fresh:
                out.append(".PP")
                in_list = False
            out.append(inline(line.strip()))
            fresh = False
        i += 1
    return out


def main():
    source, target, version = sys.argv[1:4]
    with open(source, encoding="utf-8") as file:
        lines = file.read().split("\n")
    if lines[0].startswith("# "):
        lines = lines[1:]
    head = ["'\\\" t", f".TH LODFS\\-FORMAT 5 \"\" \"lodfs {plain(version)}\"", ".SH NAME",
            "lodfs\\-format \\- the bytes of a lodfs store"]
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(head + convert(lines)) + "\n")


if __name__ == "__main__":
    main()

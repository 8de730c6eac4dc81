# SPDX-License-Identifier: Apache-2.0
"""Checks every text file: licence heads, unique names, forbidden words, links."""
import os
import re

HEADED = (".c", ".h", ".inc", ".cl", ".cu", ".py", ".sh", "meson.build")
SHARED_NAMES = {"control", "meson.build", "README.md", "run", ".gitignore"}

# All of a line but for the signs of a comment: other words would be read as a part of the licence.
# Written in two parts, as it is no licence of this file.
MARK = re.compile("SPDX-" r"License-Identifier: Apache-2\.0( \*/)?$")

# Written in two parts, so that this list does not find itself.
WORDS = [
    "TO" "DO", "FIX" "ME", "X" "XX:", "not " "implemented", "lorem " "ipsum",
    "/wo" "rk/", "/ro" "ot/", "/ho" "me/", "/tm" "p/(?!lodfs-)", "sub" "agent", "this ses" "sion",
    "deb.deb" "ian.org", "py" "pi.org", "/iss" "ues/", "issue [0-9]" "+ of this",
]


def heads(tree):
    for name in tree.files:
        scripts = "." not in os.path.basename(name) and tree.text(name).startswith("#!")
        if name.endswith(HEADED) or scripts:
            first = tree.text(name).split("\n", 3)[:3]
            if not any(MARK.search(line) for line in first):
                yield f"{name}: no SPDX line of its own in its first three lines"


def names(tree):
    seen = {}
    for name in tree.files:
        base = os.path.basename(name)
        if base in SHARED_NAMES:
            continue
        if base in seen:
            yield f"{name}: has the same file name as {seen[base]}"
        seen[base] = name


def words(tree):
    pattern = re.compile("|".join(WORDS))
    for name in tree.files:
        if name in ("LICENSE", "LICENSES/Apache-2.0.txt"):
            continue
        for number, line in enumerate(tree.text(name).split("\n"), 1):
            match = pattern.search(line)
            if match:
                yield f"{name}:{number}: the text '{match.group(0)}' does not belong here"


def anchors(text):
    """Yields the anchors of a Markdown text's headings, as GitHub makes them."""
    for line in text.split("\n"):
        heading = re.match(r"#+\s+(.*)", line)
        if heading:
            yield re.sub(r"[^\w\- ]", "", heading.group(1).strip().lower()).replace(" ", "-")


def links(tree):
    for name in tree.files:
        if not name.endswith(".md"):
            continue
        for target in re.findall(r"\]\(([^)\s]+)\)", tree.text(name)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if not os.path.exists(tree.path(file)):
                yield f"{name}: the link to {target} leads nowhere"
            elif anchor and file.endswith(".md") and anchor not in anchors(tree.text(file)):
                yield f"{name}: {file} has no heading #{anchor}"


def check(tree):
    for part in (heads, names, words, links):
        yield from part(tree)

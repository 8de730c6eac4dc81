# SPDX-License-Identifier: Apache-2.0
"""Checks that man(1) warns of no manual page, and that the index lists every decision."""
import os
import re
import shutil
import subprocess

INDEX = "man/decisions/README.md"


def warnings(tree):
    pages = [name for name in tree.files if re.fullmatch(r"man/[^/]+\.[1-8]", name)]
    if pages and not shutil.which("man"):
        print("SKIP: man is not installed: no manual page was checked")
        return
    for name in pages:
        done = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", name],
                              cwd=tree.root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                              text=True, check=False)
        for line in done.stderr.splitlines():
            yield f"{name}: {line}"


def decisions(tree):
    index = tree.text(INDEX) if INDEX in tree.files else ""
    for name in tree.files:
        if re.fullmatch(r"man/decisions/\d{3,4}-.*\.md", name):
            if f"]({os.path.basename(name)})" not in index:
                yield f"{name}: has no line in {INDEX}"


def check(tree):
    yield from warnings(tree)
    yield from decisions(tree)

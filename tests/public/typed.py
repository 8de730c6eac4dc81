# SPDX-License-Identifier: Apache-2.0
"""The package's types: mypy accepts a right program, and finds each line of a wrong one."""
import os
import re
import subprocess
import sys

from environment import Missing, python_with
from mounted import Work, skip

RIGHT = """import numpy as np
import lodfs

with lodfs.open("x") as store:
    entries: list[lodfs.Entry] = store.list("a")
    size: int = entries[0].bytes
    data: bytes = store.read("a", fidelity="q5", bytes=10)
    label: "int | None" = store.item_label(3)
    with store.open("q4/a") as file:
        first: bytes = file.read(4)
    table = store.table("x.toc")
    product: np.ndarray = table @ np.ones(3)
    rows: np.ndarray = (table * .5)[5:10]
    for batch in table.iter_batches():
        gradient: np.ndarray = np.ones(len(batch)) @ batch
    best: str = store.likeness(size=224).fidelity
    numbers: np.ndarray = store.items(entry.name for entry in entries)
lodfs.Mount("/mnt").auto = best
"""
WRONG = """import lodfs
store = lodfs.open("x", cache_bytes="64M")
store.read(1)
size: str = store.stat("a").bytes
store.list("a").append(3)
store.tabel("x")
store.table("x").batch("first")
lodfs.Mount("/mnt").auto = 4
store.open("a").size.upper()
lodfs.toc.open(3)
"""


def run(python, work, name, text):
    """Returns the lines, by number, in which mypy finds errors, and its output."""
    with open(f"{work}/{name}.py", "w", encoding="utf-8") as file:
        file.write(text)
    done = subprocess.run([python, "-m", "mypy", "--strict", "--allow-any-generics",
                           "--follow-imports=silent", f"--cache-dir={work}/cache",
                           f"{work}/{name}.py"], check=False, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True,
                          env=dict(os.environ, MYPYPATH=f"{os.environ['SOURCE_ROOT']}/src/python"))
    return {int(line) for line in re.findall(rf"{name}\.py:(\d+): error", done.stdout)}, done


def main():
    try:
        python = python_with("mypy", ["mypy==2.4.1"])
    except Missing as missing:
        skip(missing)
    if not os.path.exists(f"{os.environ['SOURCE_ROOT']}/src/python/lodfs/py.typed"):
        print("the package has no py.typed, so its types are not looked at")
        return 1
    with Work() as work:
        found, done = run(python, work, "right", RIGHT)
        if found or done.returncode:
            print(done.stdout)
            return 1
        found, done = run(python, work, "wrong", WRONG)
        wanted = set(range(2, WRONG.count("\n") + 1))
        if found != wanted:
            print(f"no error in lines {sorted(wanted - found)}\n{done.stdout}")
            return 1
    print(f"{len(wanted)} wrong lines are found")
    return 0


sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
cases.py BUILD: checks the table of README.md. Every case is there, its tests exist, and each of its
planted bugs belongs to one of these tests. All bugs can still be planted, so that a change of the
source takes its planted bugs along. planted.py checks that the tests find them.
"""
import json
import os
import re
import subprocess
import sys

from mounted import Results
from planted import stale
from plants import ALL

HERE = os.path.dirname(os.path.realpath(__file__))
CASES = {*range(1, 15), *range(16, 25), *range(26, 29)}
TEST = re.compile(r"([a-z][a-z0-9_-]*) \(([^:()]+): ([^()]+)\)")


def rows():
    """Yields (case number, [(test, file, words)], the cell of tests, names of planted bugs)."""
    with open(f"{HERE}/README.md", encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if cells[0].isdigit():
                yield int(cells[0]), TEST.findall(cells[2]), cells[2], cells[3].split("; ")


def wrong(tests, known, cell):
    if not tests or TEST.sub("", cell).strip(", "):
        yield f"this is not a list of tests: {cell}"
    for test, name, words in tests:
        path = os.path.join(HERE, "..", name)
        if test not in known:
            yield f"there is no test {test}"
        if not os.path.exists(path):
            yield f"there is no file {name}"
            continue
        with open(path, encoding="utf-8") as file:
            if words not in file.read():
                yield f"{name} does not contain '{words}'"


def wrong_plants(tests, names):
    seen_by = {plant[0]: plant[-1].partition("/")[0] for plant in ALL}
    for name in names:
        if name not in seen_by:
            yield f"plants.py has no '{name}'"
        elif seen_by[name] not in [test for test, _, _ in tests]:
            yield f"'{name}' belongs to {seen_by[name]}, which is not a test of this case"


def main():
    listed = subprocess.run(["meson", "introspect", "--tests", sys.argv[1]], check=True,
                            stdout=subprocess.PIPE).stdout
    known = {test["name"] for test in json.loads(listed)}
    results = Results()
    found = {}
    for number, tests, cell, plants in rows():
        found[number] = tests
        results.add(f"case {number} has tests and planted bugs",
                    [*wrong(tests, known, cell), *wrong_plants(tests, plants)])
    results.add(f"{len(ALL)} bugs can still be planted", stale(ALL))
    results.add("the tests of planted bugs exist",
                [f"there is no test {plant[-1]}" for plant in ALL
                 if plant[-1].partition("/")[0] not in known])
    results.add("the table has all cases",
                [f"case {number} is missing" for number in sorted(CASES - set(found))])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

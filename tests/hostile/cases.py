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
from plants.all_plants import ALL
from small import read

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, f"{HERE}/../tools")
from long_run import PARTS

LONG = re.compile(r"^ *from long import .*(counted|shared|span|is_long)", re.M)
SAME = ("hostile-tier",)  # its script has another test, with the counts
CASES = range(1, 30)
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
            yield f"plants/ has no '{name}'"
        elif seen_by[name] not in [test for test, _, _ in tests]:
            yield f"'{name}' belongs to {seen_by[name]}, which is not a test of this case"


def not_long(listed):
    """Yields tests that have other counts for ./check --long, which has no part for them."""
    parts = {step[0] for _, steps in PARTS.values() for step in steps}
    for test in listed:
        name, script = test["name"], [word for word in test["cmd"] if word.endswith(".py")]
        if name.startswith("replay-"):
            name = name.replace("replay-", "fuzz-")
        elif not script or name in SAME or not LONG.search(read(script[0]).decode()):
            continue
        if name not in parts:
            yield f"{name} is in no part of tests/tools/long_run.py"


def main():
    listed = json.loads(subprocess.run(["meson", "introspect", "--tests", sys.argv[1]], check=True,
                                       stdout=subprocess.PIPE).stdout)
    known = {test["name"] for test in listed}
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
    results.add("every test with counts of a release has a part", not_long(listed))
    results.add("the table has all cases",
                [f"case {number} is missing" for number in CASES if number not in found])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

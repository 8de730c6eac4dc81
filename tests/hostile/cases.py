# SPDX-License-Identifier: Apache-2.0
"""cases.py BUILD: every case that README.md has to name is there, with tests that exist."""
import json
import os
import re
import subprocess
import sys

from mounted import Results

HERE = os.path.dirname(os.path.realpath(__file__))
CASES = {*range(1, 13), *range(16, 25), *range(26, 29)}
TEST = re.compile(r"([a-z][a-z0-9_-]*) \(([^:()]+): ([^()]+)\)")


def rows():
    """case number -> [(test, file, words)]."""
    with open(f"{HERE}/README.md", encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if cells[0].isdigit():
                yield int(cells[0]), TEST.findall(cells[-1]), cells[-1]


def wrong(tests, known, cell):
    if not tests or TEST.sub("", cell).strip(", "):
        yield f"not a list of tests: {cell}"
    for test, name, words in tests:
        path = os.path.join(HERE, "..", name)
        if test not in known:
            yield f"no test {test}"
        if not os.path.exists(path):
            yield f"no file {name}"
            continue
        with open(path, encoding="utf-8") as file:
            if words not in file.read():
                yield f"{name} has no '{words}'"


def main():
    listed = subprocess.run(["meson", "introspect", "--tests", sys.argv[1]], check=True,
                            stdout=subprocess.PIPE).stdout
    known = {test["name"] for test in json.loads(listed)}
    results = Results()
    found = {}
    for number, tests, cell in rows():
        found[number] = tests
        results.add(f"case {number}", wrong(tests, known, cell))
    results.add("all cases", [f"case {number}" for number in sorted(CASES - set(found))])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts the tests of meson's JSON logs: for ./check.

tally.py LOG       prints what failed tests say, why tests or parts were skipped; 1 on a failure
tally.py --total LOG...   prints the closing line; exit 1 on a failure or when nothing passed

A Criterion program counts as many tests as its synthesis line says, any other program as one, or as
many as its own line `tests: N passed, N failed` says. In a long run (LODFS_LONG) each test that
counts what it tried says so, with how long it took.
"""
import json
import os
import re
import sys

OUTPUT_LINES_MAX = 80
CRITERION = re.compile(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
TRIED = re.compile(r"\b[\d,]+ (?:stores|runs|packs|inputs|bugs|requests|renames|opens)\b|"
                   r"number_of_executed_units")
SKIPPED = re.compile(r"^(?:SKIP|skipped): (.*)$", re.MULTILINE)
OWN = re.compile(r"^tests: (\d+) passed, (\d+) failed$", re.MULTILINE)


def output(test):
    text = test.get("stdout", "") + test.get("stderr", "")
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def count(test):
    """(passed, failed, skipped) of one program."""
    if test["result"] == "SKIP":
        return 0, 0, 1
    bad = 0 if test["result"] in ("OK", "EXPECTEDFAIL") else 1
    text = output(test)
    criterion, own = CRITERION.findall(text), OWN.findall(text)
    if criterion:
        tested, passed = int(criterion[-1][0]), int(criterion[-1][1])
        return passed, max(tested - passed, bad), 0
    if own:
        return int(own[-1][0]), max(int(own[-1][1]), bad), 0
    return 1 - bad, bad, 0


def show(test):
    passed, failed, skipped = count(test)
    reasons = list(dict.fromkeys(SKIPPED.findall(output(test))))
    if skipped:
        print(f"  skipped {test['name']}: {reasons[0] if reasons else 'no reason given'}")
    for reason in [] if skipped else reasons:
        print(f"  skipped a part of {test['name']}: {reason}")
    if failed:
        print(f"  FAILED {test['name']} ({test['result']}, {passed} passed, {failed} failed):")
        for line in output(test).strip().splitlines()[-OUTPUT_LINES_MAX:]:
            print(f"    {line}")


def tell(test):
    lines = [line.strip() for line in output(test).splitlines() if TRIED.search(line)]
    if lines:
        print(f"  {test['name']}, {test['duration']:.0f} s")
    for line in lines:
        print(f"    {line}")


def main():
    total = sys.argv[1] == "--total"
    tests = []
    for log in sys.argv[2 if total else 1:]:
        with open(log, encoding="utf-8") as file:
            tests += [json.loads(line) for line in file]
    sums = [sum(column) for column in zip(*map(count, tests))] or [0, 0, 0]
    if total:
        skipped = f", {sums[2]} skipped" if sums[2] else ""
        print(f"{sums[0]} passed, {sums[1]} failed{skipped}")
        return 1 if sums[1] or not sums[0] else 0
    for test in tests:
        show(test)
        if os.environ.get("LODFS_LONG"):
            tell(test)
    return 1 if sums[1] else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
The tests of meson's JSON logs, counted.

A Criterion program counts as many tests as its synthesis line says. Any other program counts as
one, or as its own line `tests: N passed, N failed` says.
"""
import json
import re

OUTPUT_LINES_MAX = 80
CRITERION = re.compile(r"Tested: (\d+) \| Passing: (\d+) \| Failing: (\d+) \| Crashing: (\d+)")
SKIPPED = re.compile(r"^(?:SKIP|skipped): (.*)$", re.MULTILINE)
OWN = re.compile(r"^tests: (\d+) passed, (\d+) failed$", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Test:
    """One program: how many tests it holds, what it skipped and why."""

    def __init__(self, phase, log):
        self.name = log["name"].partition(":")[2]  # SUITE+SUITE / NAME
        self.phase, self.suites = phase, self.name.partition(" / ")[0].split("+")
        self.seconds, self.result = log["duration"], log["result"]
        self.output = COLOUR.sub("", log.get("stdout", "") + log.get("stderr", ""))
        self.skipped = self.result == "SKIP"
        reasons = list(dict.fromkeys(SKIPPED.findall(self.output)))
        self.skips = (reasons or ["no reason given"])[:1] if self.skipped else reasons
        self.passed, self.failed = self.count()

    def count(self):
        if self.skipped:
            return 0, 0
        bad = 0 if self.result in ("OK", "EXPECTEDFAIL") else 1
        criterion, own = CRITERION.findall(self.output), OWN.findall(self.output)
        if criterion:
            tested, passed = int(criterion[-1][0]), int(criterion[-1][1])
            return passed, max(tested - passed, bad)
        if own:
            return int(own[-1][0]), max(int(own[-1][1]), bad)
        return 1 - bad, bad

    def show(self):
        """Prints what a failed test says."""
        if self.failed:
            print(f"  FAILED {self.name} ({self.result}, {self.passed} passed, {self.failed} "
                  "failed):")
            for line in self.output.strip().splitlines()[-OUTPUT_LINES_MAX:]:
                print(f"    {line}")


def text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def read(path, phase):
    """The tests of one log."""
    return [Test(phase, json.loads(line)) for line in text(path).splitlines()]


def verdict(tests, broken):
    """Prints the closing line; the exit status: 1 on a failure or when nothing passed."""
    passed, failed = sum(one.passed for one in tests), sum(one.failed for one in tests)
    skipped = sum(one.skipped for one in tests)
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    return 1 if failed or broken or not passed else 0

# SPDX-License-Identifier: Apache-2.0
"""
The phases of ./check, which has the usage. A phase is a build in build-check/PHASE and one run of
its suites. While the suites of a phase run, the next phase is built, so that no processor waits
for the last test of a run. Logs: build-check/PHASE.build.log, build-check/PHASE/meson-logs/.
"""
import glob
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import tally

sys.path.append(os.path.join(os.path.dirname(__file__), "..", "hostile"))
from long import by_commits  # noqa: E402

OUT = os.path.abspath("build-check")
PROCESSORS = len(os.sched_getaffinity(0))
PATIENCE = 4  # times the limits of the tests: machines are slower than ours
LINES_SHOWN = 100
TURNS = 4     # this many runs of phase sanitize together try all that phase gcc tries
SLOWEST_SHOWN = 8

SANITIZED = ("-Db_lundef=false", "-Dwerror=false")  # gcc's sanitizers cause warnings of their own
LINES = "-Dc_args=-g1"  # compiles in less, and reports name the same lines
REPORT = "log_path={out}/report:print_stacktrace=1"
# Tests of NumPy and PyTorch run beside others: further threads of theirs spin, and gain nothing.
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Phase(NamedTuple):
    suites: tuple
    build: str = ""         # another phase's, instead of one of its own
    options: tuple = ()     # of meson setup
    targets: tuple = ()     # of ninja; none: all
    under: tuple = ()       # words before `meson test`
    env: dict = {}          # {out}: the build's folder; {turn}: 1 to TURNS, by commits


PHASES = {
    "gcc": Phase(("style", "unit", "threads", "cli", "public", "mount", "model", "spec",
                  "hostile", "usage", "remote", "packages"),
                 options=("-Dwerror=true", LINES)),  # hostile/planted.py compiles alike
    # With clang: another compiler's warnings, and another optimiser that makes the same bytes.
    # PoCL's threads bring a signal stack of their own, which asan would free as its own.
    "sanitize": Phase(
        ("unit", "cli", "mount", "model", "damaged"),
        options=("-Db_sanitize=address,undefined", "-Db_lundef=false", "-Dwerror=true", LINES),
        env={"CC": "clang",
             "ASAN_OPTIONS": f"{REPORT}:detect_stack_use_after_return=1:use_sigaltstack=0",
             "UBSAN_OPTIONS": f"{REPORT}:halt_on_error=1",
             # The share of damaged stores, replayed inputs and photographs that a run tries; phase
             # gcc tries all.
             "LODFS_SHARE": f"{{turn}}/{TURNS}"}),
    # Criterion aborts under ThreadSanitizer: the programs of suite `threads` are plain ones. The
    # fixed address layout is what gcc 12's tsan needs on kernels with more than 28 bits of
    # randomness. -O1 compiles in less.
    "threads": Phase(
        ("threads",),
        options=("-Db_sanitize=thread", "-Dcuda=disabled", *SANITIZED, "-Doptimization=1",
                 LINES),
        targets=("races",),
        under=("setarch", "-R"), env={"TSAN_OPTIONS": f"{REPORT}:halt_on_error=1"}),
    # libFuzzer for seconds a target, without checksums; its inputs as tests are in suite `hostile`.
    # The last phase, so that nothing else runs in these seconds. -O1 compiles in less.
    "fuzz": Phase(
        ("fuzz",),
        options=("-Dfuzz=true", "-Db_sanitize=address,undefined", "-Dcuda=disabled", *SANITIZED,
                 "-Doptimization=1", LINES),
        targets=("fuzzers",),
        env={"CC": "clang", "ASAN_OPTIONS": "detect_stack_use_after_return=1",
             "UBSAN_OPTIONS": "halt_on_error=1"}),
}
EVERYDAY = {"quick": Phase(("unit", "cli", "mount"), build="gcc"),
            "packages": Phase(("packages", "packages-long"), build="gcc")}


class Row(NamedTuple):
    """A line of the table, and what the commands behind it wrote."""
    phase: str
    what: str
    wall_s: float
    cpu_s: float = 0  # without that of daemons, which have no parent that waits
    tests: int = 0
    failed: bool = False
    log: str = ""


def commands(phase, what, log, lines, env):
    """Runs one command after the other until one fails."""
    begin, cpu_s, status = time.monotonic(), 0.0, 0
    with open(log, "wb") as out:
        for line in lines:
            process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=out,
                                       stderr=subprocess.STDOUT, env=env)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu_s += usage.ru_utime + usage.ru_stime
            if status:
                break
    return Row(phase, what, time.monotonic() - begin, cpu_s, failed=status != 0, log=log)


class Run:
    """The work so far: rows of the table, tests, failures of anything but a test."""

    def __init__(self):
        self.rows, self.tests, self.broken = [], [], []

    def add(self, row):
        self.rows.append(row)
        print(f"{'FAILED' if row.failed else 'ok':<7}{row.phase:<9} {row.what:<6}"
              f"{row.wall_s:7.0f} s", flush=True)

    def breaks(self, what, log):
        self.broken.append(what)
        print(f"  FAILED: {what}")
        for line in tally.text(log).splitlines()[-LINES_SHOWN:]:
            print(f"    {line}")


def environment(phase, folder):
    turn = by_commits(TURNS) + 1
    return dict(os.environ, **ONE_THREAD, **{name: value.format(out=folder, turn=turn)
                                             for name, value in phase.env.items()})


def build(name, phase):
    """Configures, once for the same options, and builds."""
    folder, log, stamp = (f"{OUT}/{name}{ending}" for ending in ("", ".build.log", ".options"))
    options = f"{phase.options} {phase.env}"
    if not os.path.exists(stamp) or tally.text(stamp) != options:
        shutil.rmtree(folder, ignore_errors=True)
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(options)
    lines = [["nice", "ninja", "-C", folder, *phase.targets]]  # tests run meanwhile go first
    if not os.path.exists(f"{folder}/build.ninja"):
        lines.insert(0, ["meson", "setup", folder, *phase.options])
    return commands(name, "build", log, lines, environment(phase, folder))


def test(run, name, phase):
    folder = f"{OUT}/{phase.build or name}"
    log, results = f"{OUT}/{name}.test.log", f"{folder}/meson-logs/{name}.json"
    for old in (results, *glob.glob(f"{folder}/report.*")):
        if os.path.exists(old):
            os.remove(old)
    suites = [word for suite in phase.suites for word in ("--suite", suite)]
    # One more than processors: some tests wait.
    row = commands(name, "test", log, [[
        *phase.under, "meson", "test", "-C", folder, "--no-rebuild", *suites, "--logbase", name,
        "--num-processes", str(PROCESSORS + 1), "--timeout-multiplier", str(PATIENCE)]],
        environment(phase, folder))
    tests = tally.read(results, name) if os.path.exists(results) else []
    run.add(row._replace(tests=sum(one.passed + one.failed for one in tests)))
    run.tests += tests
    for one in tests:
        one.show()
    for suite in phase.suites:
        if not any(suite in one.suites for one in tests):
            run.breaks(f"no test of suite {suite} ran in {name}", log)
    # A sanitizer's report of any process, daemons included, is a failure whatever the test said.
    for report in sorted(glob.glob(f"{folder}/report.*")):
        run.breaks("a sanitizer reports", report)


def table(run, wall_s):
    print(f"\n{'phase':<10}{'what':<8}{'wall s':>7}{'CPU s':>8}{'tests':>8}")
    for row in (*run.rows, Row("all", "", wall_s, sum(row.cpu_s for row in run.rows),
                               sum(row.tests for row in run.rows))):
        print(f"{row.phase:<10}{row.what:<8}{row.wall_s:7.0f}{row.cpu_s:8.0f}"
              f"{row.tests or '':>8}")
    print("\nslowest: " + ", ".join(
        f"{one.name} ({one.phase}) {one.seconds:.0f} s" for one in
        sorted(run.tests, key=lambda one: -one.seconds)[:SLOWEST_SHOWN]))


def skips(tests):
    """Each reason once, with the phases it holds in."""
    reasons = {}
    for one in tests:
        for reason in one.skips:
            reasons.setdefault((one.name, one.skipped, reason), []).append(one.phase)
    for (name, whole, reason), phases in reasons.items():
        print(f"skipped {'' if whole else 'a part of '}{name} ({', '.join(phases)}): {reason}")


def main():
    usage, *words = sys.argv[1:]
    unknown = [word for word in words if word not in PHASES | EVERYDAY]
    if unknown:
        print(f"check: no phase '{unknown[0]}'\n{usage}", file=sys.stderr)
        return 2
    phases = {word: (PHASES | EVERYDAY)[word] for word in words or PHASES}
    begin = time.monotonic()
    prepared_s = float(os.environ["PREPARED_S"])
    run = Run()
    run.rows.append(Row("packages", "", prepared_s))
    with ThreadPoolExecutor(max_workers=1) as builder:
        names = dict.fromkeys(phase.build or name for name, phase in phases.items())
        builds = {name: builder.submit(build, name, PHASES[name]) for name in names}
        for name, phase in phases.items():
            row = builds[phase.build or name].result()
            if row not in run.rows:
                run.add(row)
            if not row.failed:
                test(run, name, phase)
            else:
                run.breaks(f"the build of {row.phase}", row.log)
    table(run, prepared_s + time.monotonic() - begin)
    skips(run.tests)
    if run.broken:
        print(f"{len(run.broken)} builds or runs failed: {'; '.join(run.broken)}")
    return tally.verdict(run.tests, run.broken)


if __name__ == "__main__":
    sys.exit(main())

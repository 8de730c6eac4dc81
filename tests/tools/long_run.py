#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The counts of a release, in parts, for ./check --long, which describes the usage.

long_run.py [PART...]    continues with these parts, or with all, where the last run stopped
long_run.py list         prints the parts and the steps that remain

A part is a list of tests. Each test goes in shares (tests/hostile/long.py), so that a step takes
minutes. Steps that have passed are kept in build-check/long/state.json, and forgotten when the
sources change. A run begins no step after an hour of one part. A step that failed is run again by
the next run.
"""
import concurrent.futures
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import phases

OUT = "build-check"
STATE = f"{OUT}/long/state.json"
PART_S_MAX = 3_600
PATIENCE = 100  # times each test's own limit
SOURCES = ("codecs", "demo", "fs", "gpu", "packaging", "src", "tests", "meson.build",
           "meson_options.txt")
# Variables of runs. Without log_path, which ./check sets, reports are in the output of a step.
ENV = {
    "gcc": {},
    "sanitize": {"ASAN_OPTIONS": "detect_stack_use_after_return=1:use_sigaltstack=0",
                 "UBSAN_OPTIONS": "halt_on_error=1"},
    "fuzz": {"ASAN_OPTIONS": "detect_stack_use_after_return=1",
             "UBSAN_OPTIONS": "halt_on_error=1"},
}
STORES = ("index", "l3", "manifest", "pcr", "raw", "samples", "script", "toc", "tree")
# Targets that need no store around them, as tests/fuzz/meson.build lists them.
PARSERS = ("npy", "csv", "libsvm", "shard", "patch", "units", "tar", "tfrecord", "recordio",
           "lst", "lists", "labels", "plan", "ahead", "key_text", "http_answer", "jpeg", "png",
           "plain")
LOADERS = ("bsdtar", "dali", "gnu-tar", "mxnet", "tarfile", "tensorflow", "tfrecord",
           "torchvision", "webdataset", "written-mxnet", "written-tensorflow", "written-tfrecord",
           "written-webdataset")
# part -> build, [(test, number of shares, how many of them are run)]. The minutes that each takes
# on two processors are in man/RELIABILITY.md.
PARTS = {
    "stores": ("gcc", [("hostile-accidents", 10, 10), ("hostile-attacks", 10, 10),
                       ("hostile-cuts", 4, 4), ("hostile-segments", 2, 2),
                       ("hostile-meanings", 1, 1)]),
    "mounts": ("gcc", [("hostile-damaged-mounts", 10, 10), ("hostile-fire", 1, 1),
                       ("hostile-bounds", 1, 1), ("hostile-tier-damage", 4, 4),
                       ("scale", 1, 1)]),
    "usage": ("gcc", [("usage-soak", 4, 4), ("usage-random-ioctls", 4, 4),
                      ("usage-memory-cgroup", 1, 1), ("usage-stopped-server", 1, 1)]),
    "crashes": ("gcc", [("hostile-kills", 4, 4), ("hostile-kills-parts", 6, 6),
                        ("hostile-kills-unpack", 2, 2),
                        ("hostile-power-pack", 1, 1),
                        ("hostile-power-resume", 1, 1), ("hostile-power-parts", 1, 1),
                        ("hostile-power-repair", 1, 1),
                        ("hostile-power-unpack", 1, 1), ("hostile-moving", 6, 6)]),
    "calls-mount": ("gcc", [("hostile-failing-mount", 20, 20)]),
    "calls-pack": ("gcc", [("hostile-failing-pack", 20, 20)]),
    "calls-others": ("gcc", [("hostile-failing-readers", 10, 10),
                             ("hostile-failing-repair", 10, 10),
                             ("hostile-failing-unpack", 10, 10)]),
    "loaders": ("gcc", [(f"loaders-{name}", 1, 1) for name in LOADERS]),
    "packages": ("gcc", [("packages-wheel", 1, 1), ("packages-static", 1, 1),
                         ("packages-debian", 1, 1), ("packages-container", 1, 1),
                         ("packages-same", 1, 1), ("packages-trixie", 1, 1)]),
    "remote": ("gcc", [("remote-faulty_store", 4, 4), ("remote-push_store", 1, 1)]),
    "replays": ("gcc", [(f"replay-{what}", 4, 4) for what in STORES]),
    "planted": ("gcc", [("hostile-planted", 12, 12)]),
    "fuzz": ("fuzz", [(f"fuzz-{what}", 1, 1) for what in (*STORES, *PARSERS)]),
    # A tenth of the counts, under the address and undefined behaviour sanitizers.
    "sanitize": ("sanitize", [("hostile-accidents", 50, 5), ("hostile-attacks", 50, 5),
                              ("hostile-cuts", 50, 5), ("hostile-damaged-mounts", 50, 5)]),
}
TOLD = re.compile(r"^SKIP: |"
                  r"\d[\d,]* (?:stores|runs|packs|inputs|bugs|reads|states|ioctls|pauses|seeds|"
                  r"MiB through|requests|renames|opens)\b")


def steps_of(part):
    """[(name, build, test, share)]."""
    build, tests = PARTS[part]
    return [(f"{build} {test} {number}/{of}", build, test, f"{number}/{of}")
            for test, of, count in tests for number in range(1, count + 1)]


# ------------------------------------------------------------------------------------- the state

def tree_hash():
    """A hash of every file that a result depends on."""
    found = hashlib.sha256()
    for source in SOURCES:
        paths = [source] if os.path.isfile(source) else \
            [os.path.join(folder, name) for folder, _, names in os.walk(source) for name in names
             if "__pycache__" not in folder]
        for path in sorted(paths):
            with open(path, "rb") as file:
                found.update(path.encode() + b"\0" + hashlib.sha256(file.read()).digest())
    return found.hexdigest()[:16]


class State:
    """Steps that were run, by name: whether each passed, its seconds, what it said."""

    def __init__(self):
        self.tree, self.steps = tree_hash(), {}
        os.makedirs(os.path.dirname(STATE), exist_ok=True)
        if os.path.exists(STATE):
            with open(STATE, encoding="utf-8") as file:
                before = json.load(file)
            if before["tree"] == self.tree:
                self.steps = before["steps"]
            elif before["steps"]:
                print(f"the sources have changed: {len(before['steps'])} steps are forgotten")

    def passed(self, name):
        return self.steps.get(name, {}).get("passed", False)

    def add(self, name, passed, seconds, told):
        self.steps[name] = {"passed": passed, "seconds": round(seconds), "told": told,
                            "when": time.strftime("%Y-%m-%d %H:%M")}
        with open(f"{STATE}.tmp", "w", encoding="utf-8") as file:
            json.dump({"tree": self.tree, "steps": self.steps}, file, indent=1)
        os.replace(f"{STATE}.tmp", STATE)

    def left(self, part):
        return [step for step in steps_of(part) if not self.passed(step[0])]


# -------------------------------------------------------------------------------------- running

running_steps = set()


def end_steps():
    """Ends the steps that are running. The next call of the program runs them again."""
    for process in list(running_steps):
        process.terminate()


def run_step(step):
    """(whether it passed, seconds, output)."""
    name, build, test, share = step
    log = "long-" + re.sub(r"[^\w-]+", "-", name)
    env = dict(os.environ, LODFS_LONG="1", LODFS_SHARE=share, **ENV[build])
    begin = time.monotonic()
    process = subprocess.Popen(["meson", "test", "-C", f"{OUT}/{build}", "--no-rebuild", test,
                                "--logbase", log, "--timeout-multiplier", str(PATIENCE)], env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    running_steps.add(process)
    code = process.wait()
    running_steps.discard(process)
    path = f"{OUT}/{build}/meson-logs/{log}.txt"
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    return code == 0, time.monotonic() - begin, text


def show(step, passed, seconds, told, text):
    word = "FAILED" if not passed else "skip" if "exit status 77" in text else "ok"
    print(f"{word:<7}{step[0]:<44}{seconds:6.0f} s", flush=True)
    for line in told if passed else text.strip().splitlines()[-80:]:
        print(f"         {line}", flush=True)


def run_part(part, state):
    """Runs the remaining steps of a part, as many at a time as there are processors. Returns
    whether all of them passed."""
    steps, begin, good = state.left(part), time.monotonic(), True
    print(f"{part}: {len(steps)} of {len(steps_of(part))} steps remain", flush=True)
    if not steps:
        return True
    name = PARTS[part][0]
    row = phases.build(name, phases.PHASES[name])
    if row.failed:
        print(f"FAILED the build of {name}: see {row.log}")
        return False
    workers = len(os.sched_getaffinity(0))
    pool = concurrent.futures.ThreadPoolExecutor(workers)
    waiting, running = list(steps), {}
    while waiting or running:
        in_time = time.monotonic() - begin < PART_S_MAX
        while waiting and in_time and len(running) < workers:
            step = waiting.pop(0)
            running[pool.submit(run_step, step)] = step
        if not running:
            break
        ended, _ = concurrent.futures.wait(running,
                                           return_when=concurrent.futures.FIRST_COMPLETED)
        for future in ended:
            step = running.pop(future)
            passed, seconds, text = future.result()
            told = [line.strip() for line in text.splitlines() if TOLD.search(line)][:12]
            state.add(step[0], passed, seconds, told)
            show(step, passed, seconds, told, text)
            good = good and passed
    return good


def remains(state):
    """Prints a line for each part. Returns whether all steps of all parts have passed."""
    whole = True
    for part in PARTS:
        steps, left = steps_of(part), state.left(part)
        failed = [step[0] for step in left if step[0] in state.steps]
        seconds = sum(state.steps[step[0]]["seconds"] for step in steps
                      if step[0] in state.steps)
        words = "complete" if not left else f"{len(left)} of {len(steps)} steps remain"
        print(f"  {part:<14}{words}{f', {len(failed)} of them failed' if failed else ''}; "
              f"{seconds / 60:.0f} minutes of steps so far")
        whole = whole and not left
    print("all parts are complete" if whole else "continue with: ./check --long [PART...]")
    return whole


def main():
    state = State()
    if sys.argv[1:] == ["list"]:
        remains(state)
        return 0
    for part in sys.argv[1:]:
        if part not in PARTS:
            print(f"check --long: no part '{part}'; there are: {' '.join(PARTS)}")
            return 2
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        results = [run_part(part, state) for part in sys.argv[1:] or PARTS]
    finally:
        end_steps()
        remains(state)
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

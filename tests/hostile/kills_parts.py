# SPDX-License-Identifier: Apache-2.0
"""
Parts of a pack and the commit are killed at random moments, run twice at once, and run while others
do. There is no store, or the one that a single pack makes, byte for byte. The same on a file system
without locks.
"""
import errno
import os
import random
import shutil
import subprocess
import sys
import time

from failing import committed, contents
from long import span
from mounted import Results, Work, lodfs
from small import until
from tiny import PACKED, make_source

RUNS, RUNS_LONG = 4, 300
PARTS = 3
OPTIONS = ("pack", "-q", "-j2", "--scans=default", "--record-size=64K", *PACKED)
LOCKED, INCOMPLETE = 11, 12


def start(work, *words, fail=None, stall=None):
    env = dict(os.environ)
    if fail:
        env.update(LD_PRELOAD=os.environ["FAIL_NTH"], LODFS_FAIL=fail)
    if stall:
        env["LODFS_FAIL_STALL"] = stall
    return subprocess.Popen([env["LODFS"], *OPTIONS, *words, f"{work}/source", f"{work}/store"],
                            env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)


def done(process):
    """Waits, and returns the exit code; 0 may come with a warning."""
    process.communicate(timeout=100)
    return process.returncode


def until_stalled(stall):
    if not until(lambda: os.path.exists(stall)):
        raise SystemExit("no process waits in its first fsync")


def plan(work):
    shutil.rmtree(f"{work}/store", ignore_errors=True)
    if done(start(work, "--plan")):
        raise SystemExit("there is no plan")


def part(work, number, **how):
    return start(work, f"--part={number}/{PARTS}", **how)


def disturb(work, chance, seconds):
    """Runs some parts, kills some of them, and perhaps a commit. Returns how many were killed."""
    running = [part(work, chance.randint(1, PARTS)) for _ in range(3)]
    if chance.random() < .5:
        running.append(start(work))
    time.sleep(chance.uniform(0, seconds))
    for process in running[:2] + running[3:]:
        process.kill()
    codes = [done(process) for process in running]
    return codes.count(-9)


def wrong_store(work, wanted):
    if os.path.exists(f"{work}/store/manifest.json"):
        return [] if committed(f"{work}/store") == wanted else ["a wrong store is committed"]
    info = lodfs("info", f"{work}/store", check=False)
    return [] if info.returncode == 10 else ["a store without a manifest"]


def finish(work, wanted):
    """Runs what is missing. Yields what is wrong."""
    if not os.path.exists(f"{work}/store/manifest.json"):
        for number in range(1, PARTS + 1):
            code = done(part(work, number))
            if code:
                yield f"part {number} exits with {code}"
        code = done(start(work))
        if code:
            yield f"the commit exits with {code}"
    yield from wrong_store(work, wanted)


def kills(work, wanted, results):
    first, runs = span(RUNS, RUNS_LONG)
    chance, killed, wrong, seconds = random.Random(first), 0, [], .1
    for number in range(runs):
        plan(work)
        for _ in range(3):
            if os.path.exists(f"{work}/store/manifest.json"):
                break
            found = disturb(work, chance, seconds)
            seconds *= 1.1 if found > 1 else .5  # as busy as the machine is now
            killed += found
            wrong += [f"run {number}: {line}" for line in wrong_store(work, wanted)]
        wrong += [f"run {number}: {line}" for line in finish(work, wanted)]
    if killed < runs // 2:
        wrong.append(f"the moments are badly chosen: only {killed} processes were killed")
    results.add(f"parts and commits that are killed: {runs} packs, {killed} processes", wrong)


def twice(work, wanted, results):
    """The same part twice at once: without locks both write."""
    wrong = []
    for fail, codes in ((None, {0, LOCKED}), (f"flock:1+:{errno.ENOLCK}", {0})):
        plan(work)
        for number in range(1, PARTS + 1):
            pair = [part(work, number, fail=fail) for _ in range(2)]
            found = {done(process) for process in pair}
            if not found <= codes or 0 not in found:
                wrong.append(f"part {number} twice exits with {found}, with {fail}")
        if done(start(work, fail=fail)):
            wrong.append(f"no commit with {fail}")
        wrong += wrong_store(work, wanted)
    results.add("parts that run twice at once, with locks and without", wrong)


def beside(work, wanted, results):
    """Other steps run while the commit waits in its first fsync, and while a part does."""
    wrong, stall = [], f"{work}/stall"
    plan(work)
    for number in range(1, PARTS + 1):
        waiting = part(work, number, fail="fsync:1:stall", stall=stall)
        until_stalled(stall)
        for words in ((f"--part={number}/{PARTS}",), ("--part=1/1",), (), ("--plan",)):
            code = done(start(work, *words))
            if code != LOCKED:
                wrong.append(f"{words} beside part {number} exits with {code}")
        os.unlink(stall)
        if done(waiting):
            wrong.append(f"part {number} fails after it has waited")
    waiting = start(work, fail="fsync:1:stall", stall=stall)
    until_stalled(stall)
    for words in (("--part=1/1",), (), ("--plan",)):
        code = done(start(work, *words))
        if code != LOCKED:
            wrong.append(f"{words} beside the commit exits with {code}")
    os.unlink(stall)
    if done(waiting):
        wrong.append("the commit fails after it has waited")
    results.add("one process at a time has a record", wrong + wrong_store(work, wanted))


def torn(work, wanted, results):
    """The commit trusts names: a record has its name when all of it is on disk, and not before."""
    wrong, stall = [], f"{work}/stall"
    plan(work)
    waiting = start(work, "-j1", f"--part=1/{PARTS}", fail="fsync:1:stall", stall=stall)
    until_stalled(stall)
    names = os.listdir(f"{work}/store/records")
    if names:
        wrong.append(f"{names} have their names before they are synced")
    waiting.kill()
    done(waiting)
    os.unlink(stall)
    if done(start(work)) != INCOMPLETE:
        wrong.append("records without a name are committed")
    results.add("records get their names when they are complete",
                wrong + list(finish(work, wanted)))


def renameless(work, wanted, results):
    """On a file system that cannot rename, plan and part fail and leave nothing. A commit that only
    lacks the name of its manifest keeps plan and records, and can be repeated."""
    wrong, fail = [], f"rename:1+:{errno.EPERM}"
    shutil.rmtree(f"{work}/store", ignore_errors=True)
    if done(start(work, "--plan", fail=fail)) != 1 or os.path.exists(f"{work}/store"):
        wrong.append("a plan that cannot be renamed")
    plan(work)
    if done(part(work, 1, fail=fail)) != 1 or os.listdir(f"{work}/store/records"):
        wrong.append("a part whose records cannot be renamed")
    for number in range(1, PARTS + 1):
        done(part(work, number))
    commit = start(work, fail=fail)
    said = commit.communicate(timeout=100)[1]
    if commit.returncode != 1 or said.count(b"\n") != 1 or b"again to continue" not in said:
        wrong.append(f"the commit exits with {commit.returncode}: {said}")
    wrong += wrong_store(work, wanted)
    if done(start(work)) or contents(f"{work}/store") != wanted:
        wrong.append("a commit that could not name its manifest is not made by another one")
    results.add("a file system without rename", wrong)


def main():
    results = Results()
    with Work() as work:
        make_source(f"{work}/source", 7, 20)
        done(start(work))
        wanted = contents(f"{work}/store")
        kills(work, wanted, results)
        for check in (twice, beside, torn, renameless):
            check(work, wanted, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

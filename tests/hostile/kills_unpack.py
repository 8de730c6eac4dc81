# SPDX-License-Identifier: Apache-2.0
"""
unpack is killed at random moments. Each file with its final name is whole, and the same command
continues until the tree equals that of an uninterrupted unpack. Another unpack into the folder is
refused, and so is a folder with a foreign file.

The test fails if a file gets its final name before it is whole, or if a run that continues loses
the mark of the first one. It also fails if a run accepts a file that a reboot may have torn.
"""
import os
import random
import re
import shutil
import subprocess
import sys
import time

from failing_writers import tree
from long import span
from mounted import Results, Work, lodfs
from small import read
from tiny import PACKED, make_source, write

RUNS, RUNS_LONG = 60, 1_000
MARK = b".lodfs-unpack"
OPTIONS = ("unpack", "-j2", "--fidelity=full")


def killed(store, folder, wait):
    """Runs unpack and kills it after `wait` seconds. Returns whether it was still running."""
    process = subprocess.Popen([os.environ["LODFS"], *OPTIONS, store, folder],
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    time.sleep(wait)
    process.kill()
    return process.wait() == -9


def look(folder, wanted):
    """Yields files that are not whole, and names that the store does not have."""
    for name, row in tree(folder).items():
        if name not in wanted:
            yield f"{name} is not in the store"
        elif isinstance(row[-1], bytes) and row[-1] != wanted[name][-1]:
            yield f"{name}: its {len(row[-1])} bytes are not those of the store"


def again(store, folder, wanted):
    done = lodfs(*OPTIONS, store, folder, check=False)
    now = tree(folder)
    if done.returncode:
        yield f"a second unpack exits with {done.returncode}: {done.stderr[:300]!r}"
    elif now != wanted:
        other = [name for name in {*wanted, *now} if now.get(name) != wanted.get(name)]
        yield f"a second unpack leaves a different tree: {other[:5]}"
    elif os.path.exists(os.path.join(os.fsencode(folder), MARK)):
        yield "a complete unpack leaves its mark"


def begin(store, folder, call="link:40"):
    """Runs an unpack that is killed before its N-th call, by `call` of fail_nth.c."""
    env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"], LODFS_FAIL=f"{call}:kill")
    subprocess.run([os.environ["LODFS"], *OPTIONS, store, folder], env=env, check=False,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def refused(store, folder, wanted):
    """An unpack at another fidelity does not continue a killed one, a foreign file is kept, and a
    complete folder is refused."""
    begin(store, folder)
    done = lodfs("unpack", "--fidelity=q1", store, folder, check=False)
    if done.returncode != 1 or b"another unpack" not in done.stderr:
        yield f"unpack at another fidelity: exit {done.returncode}, {done.stderr!r}"
    write(f"{folder}/raw0", b"mine")
    done = lodfs(*OPTIONS, store, folder, check=False)
    if done.returncode != 1 or b"a different file has this name" not in done.stdout:
        yield f"unpack over a foreign file: exit {done.returncode}, {done.stdout!r}"
    if read(f"{folder}/raw0") != b"mine":
        yield "unpack overwrites a foreign file"
    os.remove(f"{folder}/raw0")
    yield from again(store, folder, wanted)
    done = lodfs(*OPTIONS, store, folder, check=False)
    if done.returncode != 1 or b"not empty" not in done.stderr:
        yield f"unpack into a complete folder: exit {done.returncode}, {done.stderr!r}"


def torn(store, folder, wanted):
    """After a reboot that left a torn file, each later run reports that file."""
    begin(store, folder)
    mark = os.path.join(os.fsencode(folder), MARK)
    write(mark, re.sub(rb"[0-9a-f]{8}-[0-9a-f-]{27}", b"another start".ljust(36), read(mark)))
    name = next(name for name, row in tree(folder).items() if row[-1])
    path = os.path.join(os.fsencode(folder), name)
    times, data = os.stat(path), read(path)
    write(path, data[:-1] + bytes([data[-1] ^ 1]), times.st_mode)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    begin(store, folder, "link:1")
    done = lodfs(*OPTIONS, store, folder, check=False)
    if done.returncode != 1 or os.path.basename(name) not in done.stdout:
        yield f"unpack does not report the torn {name}: exit {done.returncode}, {done.stdout!r}"
    os.remove(path)
    yield from again(store, folder, wanted)


def make_store(work):
    source, store, chance = f"{work}/source", f"{work}/store", random.Random(7)
    make_source(source, 9, 20)
    for i in range(300):
        write(f"{source}/raw{i}", bytes([i & 255]) * chance.randrange(1, 40_000))
    os.chmod(source, 0o750)
    lodfs("pack", "-q", "--scans=default", *PACKED, source, store)
    return store


def kills(store, folder, wanted, seconds):
    """
    Returns (runs, runs that were killed before their end, errors). Every third run begins with an
    empty folder. A run that is not killed in time makes the next ones shorter.
    """
    first, runs = span(RUNS, RUNS_LONG)
    chance, early, wrong = random.Random(first), 0, []
    mark = os.path.join(os.fsencode(folder), MARK)
    for number in range(runs):
        if number % 3 == 0 or not os.path.exists(mark):
            shutil.rmtree(folder, ignore_errors=True)
        was_early = killed(store, folder, chance.uniform(0, seconds))
        early += was_early
        seconds *= 1.01 if was_early else .9  # as busy as the machine is now
        if not os.path.exists(folder):
            continue
        wrong += [f"run {number}: {line}" for line in look(folder, wanted)]
        if number % 3 == 2 and os.path.exists(mark):
            wrong += [f"run {number}: {line}" for line in again(store, folder, wanted)]
    return runs, early, wrong


def main():
    results = Results()
    with Work() as work:
        store, folder = make_store(work), f"{work}/folder"
        begun = time.monotonic()
        lodfs(*OPTIONS, store, folder)
        seconds, wanted = time.monotonic() - begun, tree(folder)
        runs, early, wrong = kills(store, folder, wanted, seconds)
        if early < runs // 4:
            wrong.append("the moments are badly chosen")
        results.add(f"a killed unpack leaves whole files and continues: {runs} runs, "
                    f"{early} killed before their end", wrong)
        for name, check in (("other unpacks and foreign files are refused", refused),
                            ("torn files are reported", torn)):
            shutil.rmtree(folder, ignore_errors=True)
            results.add(name, check(store, folder, wanted))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
A source that changes while pack reads it. One call of pack stalls until every file of the source
has grown, shrunk, disappeared, or become something else. Then pack fails and names a file, or it
stores each file as it was before or after the change, never a mixture.
"""
import multiprocessing.pool
import os
import random
import shutil
import subprocess
import sys

from long import counted, shared
from failing import contents, counts, pack_command
from mounted import Results, Work, lodfs
from small import files_below, read, until
from tiny import make_source, write

SECONDS_MAX = 240


def grow(path):
    with open(path, "ab") as file:
        file.write(b"more")


def shrink(path):
    os.truncate(path, os.stat(path).st_size // 2)


def rewrite(path):
    """Replaces all bytes; the length stays."""
    size = os.stat(path).st_size
    with open(path, "r+b") as file:
        file.write(b"\xa5" * size)


def link(path):
    os.remove(path)
    os.symlink("/etc/hostname", path)


def replace(path):
    with open(path + b".new", "wb") as file:
        file.write(read(path)[::-1])
    os.rename(path + b".new", path)


def folder(path):
    os.remove(path)
    os.mkdir(path)


CHANGES = {"grows": grow, "shrinks": shrink, "is rewritten": rewrite, "goes": os.remove,
           "becomes a link": link, "is replaced": replace, "becomes a folder": folder}


def packed_while(source, store, stall, change):
    """Returns (exit status, stderr) of pack, or None if it did not make the call `stall`."""
    stalled = f"{store}-stalled"
    env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"], LODFS_FAIL=f"{stall}:stall",
               LODFS_FAIL_STALL=stalled)
    command = [os.environ["LODFS"], *pack_command(source, store), "--original=all"]
    process = subprocess.Popen(command, env=env,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    until(lambda: os.path.exists(stalled) or process.poll() is not None)
    tried = os.path.exists(stalled)
    for name in files_below(source):
        path = os.path.join(os.fsencode(source), name)
        if os.path.isfile(path) and os.stat(path).st_size:
            change(path)
    if tried:
        os.remove(stalled)
    _, err = process.communicate(timeout=SECONDS_MAX)
    return (process.returncode, err) if tried else None


def versions(store, before, after):
    """Yields files of the store whose bytes the source never had, and files that it lost."""
    out = f"{store}-unpacked"
    shutil.rmtree(out, ignore_errors=True)
    lodfs("unpack", "-q", store, out)
    stored = contents(out)
    for name, data in stored.items():
        if data not in (before.get(name), after.get(name)):
            yield f"{name} is stored with bytes that it never had"
    for name in (before.keys() & after.keys()) - stored.keys():
        yield f"{name} was there all the time, and is not stored"


def one(work, kept, how, stall):
    source, store = f"{work}/moving", f"{work}/store"
    for path in (source, store):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(kept, source, symlinks=True)
    before = contents(source)
    ended = packed_while(source, store, stall, CHANGES[how])
    if not ended:
        yield "pack does not make this call"
        return
    code, err = ended
    if code == 0:
        yield from versions(store, before, contents(source))
    elif code != 1 or err.count(b"\n") != 1 or b"'" not in err:
        yield f"exit {code}, prints {err!r:.300}"
    elif os.path.exists(f"{store}/manifest.json"):
        yield "a failed pack left a manifest"


def between_reads(work):
    """Rewrites a file that takes several reads, before each of them in turn."""
    kept = f"{work}/large"
    write(f"{kept}/large.bin", random.Random(1).randbytes(9 << 20))
    reads = counts(work, [*pack_command(kept, f"{work}/large.store"), "--original=all"])["pread"]

    def before(number):
        os.mkdir(f"{work}/{number}")
        return [f"pread:{number}: {line}" for line in
                one(f"{work}/{number}", kept, "is rewritten", f"pread:{number}")]

    with multiprocessing.pool.ThreadPool(8) as pool:
        return sum(pool.map(before, range(1, reads + 1)), [])


def main():
    results = Results()
    with Work() as work:
        results.add("a file that is rewritten between two reads is not stored mixed",
                    between_reads(work))
        kept = f"{work}/source"
        make_source(kept, 3, 4)
        made = counts(work, [*pack_command(kept, f"{work}/sound"), "--original=all"])
        for number, how in enumerate(CHANGES):
            wrong, calls = [], []
            for call in ("open", "pread"):
                step = max(1, made[call] // counted(4, 12))
                calls += [f"{call}:{n}" for n in range(1 + (number * 7) % step, made[call], step)]
            for stall in calls if counted(1, 0) else shared(calls):
                wrong += [f"{stall}: {line}" for line in one(work, kept, how, stall)]
            results.add(f"every file {how}: pack fails or stores what was there", wrong)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

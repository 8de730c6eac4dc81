# SPDX-License-Identifier: Apache-2.0
"""
A source that changes while pack reads it: some call of pack takes seconds, in which every file of
the source grows, shrinks, goes, or becomes something else. Pack fails and names a file, or what it
stored is each file as it was at some moment.
"""
import os
import shutil
import subprocess
import sys
import time

from long import counted
from failing import contents, counts, pack_command
from mounted import Results, Work, lodfs
from small import files_below, read
from tiny import make_source

SECONDS_MAX = 60


def grow(path):
    with open(path, "ab") as file:
        file.write(b"more")


def shrink(path):
    os.truncate(path, os.stat(path).st_size // 2)


def rewrite(path):
    """As many bytes, other ones."""
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
    """How pack ended: exit status, stderr."""
    env = dict(os.environ, LD_PRELOAD=os.environ["FAIL_NTH"], LODFS_FAIL=f"{stall}:stall")
    command = [os.environ["LODFS"], *pack_command(source, store), "--original=all"]
    process = subprocess.Popen(command, env=env,
                               stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(1.5)  # it stalls for 5 s: before or behind what is changed now
    for name in files_below(source):
        path = os.path.join(os.fsencode(source), name)
        if os.path.isfile(path) and os.stat(path).st_size:
            change(path)
    _, err = process.communicate(timeout=SECONDS_MAX)
    return process.returncode, err


def versions(store, before, after):
    """Files of the store that never were in the source."""
    out = f"{store}-unpacked"
    shutil.rmtree(out, ignore_errors=True)
    lodfs("unpack", "-q", store, out)
    for name, data in contents(out).items():
        if data not in (before.get(name), after.get(name)):
            yield f"{name} is stored as it never was"


def one(work, kept, how, stall):
    source, store = f"{work}/moving", f"{work}/store"
    for path in (source, store):
        shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(kept, source, symlinks=True)
    before = contents(source)
    code, err = packed_while(source, store, stall, CHANGES[how])
    if code == 0:
        yield from versions(store, before, contents(source))
    elif code != 1 or err.count(b"\n") != 1 or b"'" not in err:
        yield f"exit {code}, says {err!r:.300}"
    elif os.path.exists(f"{store}/manifest.json"):
        yield "a failed pack left a manifest"


def main():
    results = Results()
    with Work() as work:
        kept = f"{work}/source"
        make_source(kept, 3, 4)
        made = counts(work, [*pack_command(kept, f"{work}/sound"), "--original=all"])
        for number, how in enumerate(CHANGES):
            wrong, calls = [], []
            for call in ("open", "pread"):
                step = max(1, made[call] // counted(2, 12))
                calls += [f"{call}:{n}" for n in range(1 + (number * 7) % step, made[call], step)]
            for stall in calls[number % 3::3] if counted(1, 0) else calls:
                wrong += [f"{stall}: {line}" for line in one(work, kept, how, stall)]
            results.add(f"every file {how}", wrong)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

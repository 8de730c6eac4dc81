# SPDX-License-Identifier: Apache-2.0
"""
power_loss.py pack|resume|repair|unpack: simulates a loss of power after each call of a program that
writes. Each state that disk.py then allows is put into a folder and checked:

- pack: There is a whole store, or no store (mount exits with 10). From the latter the same pack
  makes the whole store, byte for byte. After a successful pack the store is whole.
- resume: The same holds for a pack that continues after another one was killed.
- repair: No record has changed, and the same repair makes the store whole. After a successful
  repair the store is whole.
- unpack: The same unpack makes the right tree, or refuses the folder. After a successful unpack the
  tree is complete.

The test fails if the fsync of a file or folder is missing or late. Then names or bytes may be lost
after the end, or a manifest may be durable before its records or index. plants/ has a bug for
each fsync. All states of a small store are tried, and a sample of those of a larger one.
"""
import hashlib
import itertools
import os
import random
import shutil
import stat
import subprocess
import sys

import plain_files
from disk import RENAME, SYNC, Disk, File, Folder, read_calls
from failing import contents, pack_command
from failing_writers import spoil, tree
from long import counted, share
from mounted import Results, Work, lodfs
from small import read
from tiny import make_source, write

# Files that pack, repair and unpack may leave beside their result.
OWN = {b"pack.journal", b"pack.journal.tmp", b"manifest.tmp", b"index.tmp", b"index.old",
       b"manifest.old", b".lodfs-unpack"}
RERUNS = (250, 30_000)  # states of a history on which the program runs, in a short and a long run
RERUNS_FEW = (60, 2_000)  # the same for a larger store, as each state is held in memory
STATES_MAX = 5_000      # after one call; a correct program leaves a few dozen
DRAWN = (150, 10_000)   # states that are drawn from a history with too many


# ------------------------------------------------------------------------------------ recording

def record(work, command, most=None):
    """Runs the program, and kills it after call `most`. Returns the calls it made."""
    log = f"{work}/calls"
    if os.path.exists(log):
        os.remove(log)
    env = dict(os.environ, LD_PRELOAD=os.environ["LOG_CALLS"], LODFS_CALLS=log)
    env.update({"LODFS_CALLS_MAX": str(most)} if most else {})
    done = subprocess.run([os.environ["LODFS"], *command], env=env, check=False,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=240)
    if done.returncode not in ((-9,) if most else (0, 3)):
        raise SystemExit(f"{command}: exit {done.returncode}, {done.stderr!r}")
    return read_calls(log)


def load(disk, folder, path):
    """Adds the files that are in `path` before the first call; they are durable."""
    for entry in os.scandir(os.fsencode(path)):
        node = Folder() if entry.is_dir() else File(read(entry.path))
        disk.add(folder, {entry.name: (entry.inode(), node)})
        if entry.is_dir():
            load(disk, node, entry.path)


def disk_of(folder):
    top = Folder()
    disk = Disk(top, os.stat(folder).st_ino)
    load(disk, top, folder)
    return disk


def as_it_is(folder):
    """Returns the real folder in the form of Disk.now."""
    found, top = {b"": None}, os.fsencode(folder)
    for path, folders, names in os.walk(top):
        for name in folders + names:
            full = os.path.join(path, name)
            found[os.path.relpath(full, top)] = \
                ("link", os.readlink(full)) if os.path.islink(full) else \
                None if os.path.isdir(full) else read(full)
    return found


def put(state, folder):
    """Makes the files of a state, as after a reboot: files with the boot id get another one."""
    with open("/proc/sys/kernel/random/boot_id", "rb") as file:
        boot = file.read().strip()
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for path in sorted(state):
        full = os.path.join(os.fsencode(folder), path)
        if isinstance(state[path], tuple):
            os.symlink(state[path][1], full)
        elif state[path] is not None:
            write(full, state[path].replace(boot, b"another start".ljust(len(boot))))
            if state[path].rights:
                os.chmod(full, state[path].rights[0])
                os.utime(full, ns=(0, state[path].rights[1]))
        elif path:
            os.mkdir(full)


def below(state, name):
    """Returns the files in folder `name` without OWN, or None if there is no such folder."""
    head = name + b"/"
    return None if name not in state else {
        path[len(head):]: data for path, data in state.items()
        if path.startswith(head) and data is not None and path[len(head):] not in OWN}


# -------------------------------------------------------------------------------- the histories

class History:
    """
    A recorded run in `folder`, and the states that a loss of power may leave. The program is run on
    at most `most` states, of those that cannot be checked without it.
    """

    def __init__(self, name, folder, judge, chance, most):
        self.name, self.folder, self.judge, self.chance = name, folder, judge, chance
        self.seen, self.wrong, self.tried = set(), [], 0
        self.most, self.reruns, self.waiting = most, [], 0

    def look(self, state, where, ended):
        """Checks a new state. A state that needs a run of the program is kept for `add`."""
        text = repr(sorted((path, data, getattr(data, "rights", None))
                           for path, data in state.items() if data is not None)).encode()
        text += repr(sorted(path for path, data in state.items() if data is None)).encode()
        key = hashlib.sha256(text + b"1" * ended).digest()
        if key in self.seen:
            return
        self.seen.add(key)
        self.tried += 1
        wrong = self.judge.by_sight(state, ended)
        if wrong is None:
            self.wait(where, state)
        self.wrong += [f"{where}: {line}" for line in wrong or ()]

    def wait(self, where, state):
        """Keeps the state for `add`, or drops it or another one at random (reservoir sampling)."""
        self.waiting += 1
        if len(self.reruns) < self.most:
            self.reruns.append((where, state))
            return
        at = self.chance.randrange(self.waiting)
        if at < self.most:
            self.reruns[at] = where, state

    def play(self, disk, calls, drawn=None, from_call=0):
        """
        Checks every state after every call. With `drawn` it checks a sample, and every state from
        the last rename on, which commits. After the last call the program has succeeded.
        """
        commit = max([number for number, call in enumerate(calls) if call[0] == RENAME], default=0)
        for number, call in enumerate(calls):
            ours = disk.play(call)
            if number < from_call or not ours:
                continue
            every = drawn is None or number >= commit > 0
            states = disk.every_state(self.chance, STATES_MAX) if every else \
                (disk.any_state(self.chance) for _ in range(drawn // len(calls) + 1))
            for state in itertools.islice(states, STATES_MAX):
                self.look(state, f"after call {number + 1} of {len(calls)}", False)
        for state in itertools.islice(disk.every_state(self.chance, STATES_MAX), STATES_MAX):
            self.look(state, "at the end", True)
        if disk.now() != as_it_is(self.folder):
            self.wrong.append("a call was not recorded: replaying the calls gives another folder")

    def add(self, results):
        """Runs the program on the kept states, and adds the result."""
        for where, state in self.reruns:
            put(state, self.folder)
            self.wrong += [f"{where}: {line}" for line in self.judge.by_rerun(self.folder)]
        results.add(f"{self.name} survives a loss of power: {self.tried} states, the program run "
                    f"again on {len(self.reruns)} of {self.waiting}", self.wrong)


class Pack:
    """Checks a folder in which FOLDER/store was being packed."""

    def __init__(self, source, wanted):
        self.source, self.wanted = source, wanted

    def by_sight(self, state, ended):
        found = below(state, b"store")
        if ended and found is None:
            return ["the folder of the store is lost after a successful pack"]
        if found is None or b"manifest.json" not in found:
            return ["the manifest is lost after a successful pack"] if ended else None
        return [] if found == self.wanted else \
            [f"the store is not whole: {sorted(set(self.wanted) ^ set(found)) or 'bytes differ'}"]

    def by_rerun(self, folder):
        store = f"{folder}/store"
        if os.path.exists(store):
            os.makedirs(f"{folder}-point", exist_ok=True)
            code = lodfs("mount", store, f"{folder}-point", check=False).returncode
            if code != 10:
                yield f"mount without a manifest: exit {code}"
        done = lodfs(*pack_command(self.source, store), check=False)
        if done.returncode:
            yield f"a second pack fails: {done.stderr!r:.200}"
        elif contents(store) != self.wanted:
            yield "a second pack makes a different store"


class Repair:
    """Checks a folder in which FOLDER/store was being repaired."""

    def __init__(self, wanted):
        self.wanted = wanted

    def by_sight(self, state, ended):
        found = below(state, b"store")
        if any(found.get(name) != data for name, data in self.wanted.items()
               if name.startswith(b"records/")):
            return ["a record has changed"]
        if ended:
            return [] if found == self.wanted else ["the store differs after a successful repair"]
        return None

    def by_rerun(self, folder):
        done = lodfs("repair", f"{folder}/store", check=False)
        found = contents(f"{folder}/store")
        if done.returncode not in (0, 3) or \
                any(found.get(name) != data for name, data in self.wanted.items()):
            yield f"a second repair: exit {done.returncode}, {done.stdout + done.stderr!r:.200}"


def timeless(found):
    """Returns a tree without the times of links, which disk.py does not model."""
    return {name: (row[0], 0, *row[2:]) if stat.S_ISLNK(row[0]) else row
            for name, row in found.items()}


class Unpack:
    """Checks a folder in which FOLDER/tree was being unpacked."""

    def __init__(self, store, wanted):
        self.store, self.wanted = store, wanted
        self.right = {os.path.join(b"tree", name): row[-1] for name, row in wanted.items()
                      if row[-1] is not None}

    def by_sight(self, state, ended):
        if not ended:
            return None
        found = {path: data[1] if isinstance(data, tuple) else data for path, data in state.items()
                 if data is not None and os.path.basename(path) not in OWN}
        return [] if found == self.right else ["files are lost after a successful unpack"]

    def by_rerun(self, folder):
        done = lodfs("unpack", "-q", self.store, f"{folder}/tree", check=False)
        if done.returncode == 0 and timeless(tree(f"{folder}/tree")) != timeless(self.wanted):
            yield "a second unpack makes a different tree"
        if done.returncode and done.stderr.count(b"\n") != 1:
            yield f"a second unpack: exit {done.returncode}, {done.stderr!r:.200}"


# -------------------------------------------------------------------------------------- the runs

def make_small(source):
    """Makes a source of two records: one of two raw files, one of an image."""
    write(f"{source}/text", b"text\n" * 2000)
    write(f"{source}/folder/more", bytes(range(256)) * 40)
    write(f"{source}/image.pgm", plain_files.make(random.Random(1), 40, 60, 1, 255, b""))


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    return disk_of(folder)


def packed(work, source):
    """Packs the source without interruption. Returns the contents of the store."""
    lodfs(*pack_command(source, f"{work}/wanted"))
    return contents(f"{work}/wanted")


def pack(work, results, chance):
    folder = f"{work}/disk"
    for name, make, drawn in (("a small store", make_small, None),
                              ("a larger store", lambda at: make_source(at, 3, 4),
                               counted(*DRAWN))):
        for path in (f"{work}/source", f"{work}/wanted"):
            shutil.rmtree(path, ignore_errors=True)
        make(f"{work}/source")
        wanted = packed(work, f"{work}/source")
        disk = fresh(folder)
        calls = record(work, pack_command(f"{work}/source", f"{folder}/store"))
        history = History(f"pack, {name}", folder, Pack(f"{work}/source", wanted), chance,
                          counted(*RERUNS) if drawn is None else counted(*RERUNS_FEW))
        history.play(disk, calls, drawn)
        history.add(results)


def resume(work, results, chance):
    """Kills a first pack before each of its fsyncs in turn, and records the second one."""
    folder, command = f"{work}/disk", pack_command(f"{work}/source", f"{work}/disk/store")
    make_small(f"{work}/source")
    judge = Pack(f"{work}/source", packed(work, f"{work}/source"))
    fresh(folder)
    calls = record(work, command)
    commit = [number for number, call in enumerate(calls) if call[0] == RENAME][-1]
    ends = [number for number, call in enumerate(calls[:commit]) if call[0] == SYNC]
    for end in ends:
        disk = fresh(folder)
        first = record(work, command, end)
        second = record(work, command)
        history = History(f"pack that continues after {end} calls", folder, judge, chance,
                          counted(3, 300))
        history.play(disk, first + second, counted(60, 2_000), from_call=len(first))
        history.add(results)


def repair(work, results, chance):
    folder = f"{work}/disk"
    make_small(f"{work}/source")
    wanted = packed(work, f"{work}/source")
    for how in ("index", "manifest", "both"):
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        shutil.copytree(f"{work}/wanted", f"{folder}/store")
        spoil(f"{folder}/store", how)
        disk = disk_of(folder)
        calls = record(work, ["repair", f"{folder}/store"])
        history = History(f"repair of {how}", folder, Repair(wanted), chance, counted(*RERUNS_FEW))
        history.play(disk, calls)
        history.add(results)


def unpack(work, results, chance):
    folder, store = f"{work}/disk", f"{work}/store"
    make_source(f"{work}/source", 3, 4)
    lodfs(*pack_command(f"{work}/source", store))
    lodfs("unpack", "-q", store, f"{work}/tree")
    disk = fresh(folder)
    calls = record(work, ["unpack", "-q", "-j2", store, f"{folder}/tree"])
    history = History("unpack", folder, Unpack(store, tree(f"{work}/tree")), chance,
                      counted(*RERUNS_FEW))
    history.play(disk, calls, counted(*DRAWN))
    history.add(results)


def main():
    results = Results()
    memory = "/dev/shm"  # a file system in memory, where fsync is fast
    with Work(memory if os.access(memory, os.W_OK) else None) as work:
        {"pack": pack, "resume": resume, "repair": repair, "unpack": unpack}[sys.argv[1]](
            work, results, random.Random(1 + share()[0]))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

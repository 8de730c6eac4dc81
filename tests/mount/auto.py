# SPDX-License-Identifier: Apache-2.0
"""
The link `auto`: it leads to the fidelity that was set. Between switches it costs no request, and a
switch takes effect at once: also under eight readers, with one serving thread, and while the mount
ends.
"""
import fcntl
import hashlib
import os
import signal
import struct
import sys
import threading

from mounted import Mount, Results, Work, lodfs, need_fuse
from requests import count, one_pass, read_plainly
from small import Foreground, end_under, files_below, make_store

SET_AUTO = 1 << 30 | 4 << 16 | ord("L") << 8 | 2
NAMES = [f"q{k}" for k in range(1, 11)] + ["full"]
READERS = 8
SWITCHES = 2000


class Dial:
    def __init__(self, point):
        self.file = os.open(f"{point}/.lodfs/control", os.O_RDONLY)

    def set(self, name):
        fcntl.ioctl(self.file, SET_AUTO, struct.pack("I", NAMES.index(name) + 1))

    def close(self):
        try:
            os.close(self.file)
        except OSError:
            pass  # the mount has ended


def first(store, point):
    for options, wanted in (((), "full"), (("-o", "fidelity=q5"), "q5"),
                            (("-o", "fidelity=q10,threads=1"), "q10")):
        with Mount(store, point, *options):
            if os.readlink(f"{point}/auto") != wanted:
                yield f"{options}: auto leads to {os.readlink(f'{point}/auto')}, not {wanted}"
            if os.listdir(f"{point}/auto") != os.listdir(f"{point}/{wanted}"):
                yield f"{options}: auto and {wanted} list different names"
    for bad in ("original", "q0", "q11", "auto", ""):
        if lodfs("mount", store, point, "-o", f"fidelity={bad}", check=False).returncode != 2:
            yield f"-o fidelity={bad} is accepted"


def commands(store, point):
    with Mount(store, point):
        for name in ("q3", "q3", "full", "q10"):
            lodfs("set", point, f"auto={name}")
            if os.readlink(f"{point}/auto") != name:
                yield f"after set auto={name}, auto leads to {os.readlink(f'{point}/auto')}"
        for words, code in (((point, "auto=q0"), 2), ((point, "auto=original"), 2), ((point,), 2),
                            ((point, "speed=1"), 2), ((f"{point}/q1", "auto=q1"), 1),
                            (("/", "auto=q1"), 1), ((f"{point}/none", "auto=q1"), 1)):
            done = lodfs("set", *words, check=False)
            if done.returncode != code or not done.stderr:
                yield f"set {words}: exit {done.returncode}, {done.stderr}"
        if os.readlink(f"{point}/auto") != "q10":
            yield "a refused switch changed auto"
        for number in (0, 12, 15, 2**32 - 1):
            file = os.open(f"{point}/.lodfs/control", os.O_RDONLY)
            try:
                fcntl.ioctl(file, SET_AUTO, struct.pack("I", number))
                yield f"the ioctl accepts {number}"
            except OSError:
                pass
            os.close(file)


def pass_through(point):
    top = f"{point}/auto"
    for name in files_below(f"{top}/"):
        path = os.path.join(os.fsencode(top), name)
        os.stat(path)
        read_plainly(path)
    if os.readlink(top) not in NAMES:
        yield "auto does not lead to a fidelity"


def warm(store, point, log):
    """Between switches auto costs no request. A switch costs a READLINK and at most a GETATTR."""
    with Foreground(store, point, log, "-d"):
        dial = Dial(point)
        for name in ("q2", "full"):
            dial.set(name)
            yield from pass_through(point)
            yield from one_pass(point)
        for turn in range(3):
            before = count(log)
            yield from pass_through(point)
            sent = count(log) - before
            if sent:
                yield f"pass {turn} sent {dict(sent)}"
        before = count(log)
        dial.set("q2")
        yield from pass_through(point)
        sent = count(log) - before
        if sent["READLINK"] != 1 or set(sent) - {"READLINK", "IOCTL", "GETATTR", "FLUSH"}:
            yield f"a switch and a warm pass sent {dict(sent)}"
        if sent["GETATTR"] > 1:
            yield f"{sent['GETATTR']} GETATTR after one switch"
        dial.close()


def digest(path):
    hashed = hashlib.sha1()
    file = os.open(path, os.O_RDONLY)
    while True:
        data = os.read(file, 5000)  # several reads a file: all must be of one fidelity
        if not data:
            break
        hashed.update(data)
    os.close(file)
    return hashed.digest()


def read_forever(point, known, names, turn, end, wrong):
    reads = 0
    while not end.is_set():
        name = names[(turn + reads) % len(names)]
        try:
            if digest(os.path.join(os.fsencode(f"{point}/auto"), name)) not in known[name]:
                wrong.append(f"{name}: the bytes are of no fidelity")
        except OSError as error:
            wrong.append(f"{name}: {error}")
        reads += 1
    wrong.reads += reads


class Wrong(list):
    reads = 0


def under_load(point, switches):
    """Each file is read at one fidelity. A file opened after a switch has the new fidelity."""
    names = list(files_below(f"{point}/q1"))
    known = {name: {digest(os.path.join(os.fsencode(f"{point}/{f}"), name)) for f in NAMES}
             for name in names}
    photo = next(name for name in names if len(known[name]) > 3)
    at = {f: digest(os.path.join(os.fsencode(f"{point}/{f}"), photo)) for f in NAMES}
    wrong, end, dial = Wrong(), threading.Event(), Dial(point)
    readers = [threading.Thread(target=read_forever, args=(point, known, names, 7 * turn, end,
                                                            wrong)) for turn in range(READERS)]
    for reader in readers:
        reader.start()
    for turn in range(switches):
        name = NAMES[turn * 7 % len(NAMES)]
        dial.set(name)
        if turn % 4 == 0 and digest(os.path.join(os.fsencode(f"{point}/auto"), photo)) != at[name]:
            wrong.append(f"switch {turn}: a file opened after it is not of {name}")
        elif os.readlink(f"{point}/auto") != name:
            wrong.append(f"switch {turn}: auto does not lead to {name}")
    end.set()
    for reader in readers:
        reader.join()
    dial.close()
    if wrong.reads < READERS:
        wrong.append(f"the readers read only {wrong.reads} files")
    return wrong


def open_file_keeps(store, point):
    with Mount(store, point):
        lodfs("set", point, "auto=q1")
        name = os.fsdecode(next(n for n in files_below(f"{point}/q1") if b"photos" in n))
        file = os.open(f"{point}/auto/{name}", os.O_RDONLY)
        lodfs("set", point, "auto=full")
        kept = os.fstat(file).st_size
        if kept != os.stat(f"{point}/q1/{name}").st_size:
            yield "an open file changed its size"
        if os.stat(f"{point}/auto/{name}").st_size != os.stat(f"{point}/full/{name}").st_size:
            yield "a file opened after the switch is not of the new fidelity"
        os.close(file)


def ends_while_switching(store, point, log, *options):
    """SIGTERM among switches and readers: the daemon ends, and no thread hangs."""
    def switch(dial):
        try:
            while True:
                dial.set("q1")
                dial.set("q2")
        except OSError:
            pass

    def follow():
        try:
            while True:
                os.stat(f"{point}/auto/labels/empty")
        except OSError:
            pass

    for turn in range(6):
        with Foreground(store, point, log, *options) as mount:
            dial = Dial(point)
            threads = [threading.Thread(target=switch, args=(dial,)),
                       threading.Thread(target=follow), threading.Thread(target=follow)]
            wrong = list(end_under(mount, threads, turn, signal.SIGTERM))
            dial.close()
        if wrong:
            yield from wrong
            return


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        results.add("auto starts at full, or where -o fidelity= says", first(store, point))
        results.add("lodfs set switches auto, and refuses other words", commands(store, point))
        results.add("auto costs no request between switches", warm(store, point, f"{work}/log"))
        results.add("an open file keeps its fidelity", open_file_keeps(store, point))
        with Mount(store, point):
            results.add(f"{SWITCHES} switches under {READERS} readers",
                        under_load(point, SWITCHES))
        with Mount(store, point, "-s"):
            results.add(f"{SWITCHES // 4} switches with one serving thread",
                        under_load(point, SWITCHES // 4))
        results.add("SIGTERM ends a mount during switches",
                    ends_while_switching(store, point, f"{work}/log"))
        results.add("SIGTERM ends a mount of one thread during switches",
                    ends_while_switching(store, point, f"{work}/log", "-s"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

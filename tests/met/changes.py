# SPDX-License-Identifier: Apache-2.0
"""Mini-epochs on a mount that changes: another file system lies over it, its room shrinks and grows
while a job runs, and a trainer is stopped for longer than its list is kept. The order stays as it
is. failures.py has the failures.
"""
import os
import signal
import subprocess
import sys
import warnings

import stores
from mounted import Mount, Results, Work, need_fuse, skip
from small import read, stop, until

try:
    import numpy  # noqa: F401
except ImportError:
    skip("there is no NumPy (Debian: python3-numpy)")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))
import lodfs
from failures import lists

EACH, KEPT_S = 80, 1
SLOW = ("-o", "gpu=off,store_cache=private,cache=none,download_limit=4M,cache_size=4M")
ROOM = "300K"


def overlay(work, below, point):
    """Lays an overlay of a mount, and of an empty folder, over `point`."""
    os.makedirs(f"{work}/empty", exist_ok=True)
    return subprocess.run(["mount", "-t", "overlay", "lodfs-test", "-o",
                           f"lowerdir={below}:{work}/empty", point], check=False,
                          stderr=subprocess.DEVNULL).returncode == 0


def covered_at_first(point, work):
    """Other file systems answer ENOTTY: a job with a number of repeats continues with one warning,
    others do not begin."""
    over = f"{work}/over"
    os.makedirs(over)
    if not overlay(work, point, over):
        print("SKIP: no overlay can be mounted here: a mount below another was not tried")
        return
    try:
        lodfs.MiniEpochs(f"{over}/q4", rf="auto", room=ROOM)
        yield "auto begins without a list"
    except OSError as error:
        if "file system" not in str(error) or "user" in str(error):
            yield f"the message is {error}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        met = lodfs.MiniEpochs(f"{over}/q4", rf=2, room=ROOM)
        got = [os.path.relpath(path, over) for path in met.paths()]
    if len(caught) != 1 or "file system" not in str(caught[0].message):
        yield f"warnings: {[str(warning.message) for warning in caught]}"
    if got != [os.path.relpath(path, point)
               for path in lodfs.MiniEpochs(f"{point}/q4", rf=2, room=ROOM).paths()]:
        yield "the order is another one"
    subprocess.run(["umount", over], check=True)


def covered_later(point, work):
    """An overlay is laid over the mount of a job, and taken away."""
    met = lodfs.MiniEpochs(f"{point}/q4", rf=2, room=ROOM)
    expected = list(lodfs.MiniEpochs(f"{point}/q4", rf=2, room=ROOM))
    way = iter(met)
    got = [next(way) for _ in range(5)]
    if not overlay(work, point, point):
        return
    got += [next(way) for _ in range(EACH // 2)]
    met._announced.ask()
    if met._announced._lost == 0:
        yield "an overlay takes the list"
    subprocess.run(["umount", point], check=True)
    got += list(way)
    if got != expected:
        yield "the order is another one"
    if not until(lambda: met._announced.ask() > 0 and lists(point) == 1):
        yield "the mount does not get its list again"


def job_of(room, **options):
    """Runs a job through its repeats; yields (bytes of the repeat, the job)."""
    point = options.pop("point")
    met = lodfs.MiniEpochs(f"{point}/full", **options)
    sizes = [os.stat(path).st_size for path in met._chosen.paths]
    for _ in met.repeats(epochs=1000):
        values = list(met)
        for value in values[:3]:
            read(met._chosen.paths[value])
        yield sum(sizes[value] for value in values), met
        room(met)


# Jobs beside the one that is watched. Each phase lasts until the window has adapted to it: a window
# stays for as many repeats as `auto` chooses, which depends on how busy the machine is. In the
# third phase the room is less than any two extents, whatever their order in this store.
BESIDE = ([], list(range(100, 103)), [*range(100, 103), *range(200, 256)], [])
PHASE_MIN, PHASE_MAX = 11, 200  # repeats


def has_followed(size, ends):
    """Returns whether a window of `size` bytes shows that the next phase has begun. `ends` has
    (bytes, room) of the window at the end of each phase before. In the second and third phase
    windows are less than half as large as at the end of the phase before. In the last phase they
    are larger than the room of the second."""
    return size < .5 * ends[-1][0] if len(ends) in (1, 2) else not ends or size > ends[1][1]


def is_too_large(size, met):
    """Returns whether a window of `size` bytes is above the room of its job. One extent may be."""
    state = met.state_dict()["met"]
    return size > state["room"] and sum(extents for extents, _ in state["window"]) > 1


def shrinks(point, rf):
    """Other jobs come and go. The window keeps within the room, and every file is dealt."""
    client, items, ends, repeats = lodfs.Mount(point), set(), [], 0

    def room(met):
        for job in BESIDE[len(ends)]:
            client.ahead(job, "full", 0, [1])
        for job in BESIDE[2] if len(ends) == 3 else ():
            client.ahead(job, "full", 0, [])
        met._announced.ask()

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size, met in job_of(room, point=point, rf=rf, seed=4):
            items.update(met._items.tolist())
            repeats += 1
            if is_too_large(size, met):
                yield f"a window of {size} bytes: {met.state_dict()}"
            if repeats >= PHASE_MIN and has_followed(size, ends) or repeats == PHASE_MAX:
                ends.append((size, met._announced.room))
                repeats = 0
            if len(ends) == len(BESIDE):
                break
    if not all(has_followed(size, ends[:phase]) for phase, (size, _) in enumerate(ends)):
        yield f"(bytes of the window, room) at the end of each phase: {ends}"
    if len(ends) < len(BESIDE) or len(items) < EACH:
        yield "not all files were dealt"
    said = [str(warning.message) for warning in caught if "room" in str(warning.message)]
    if len(said) != 1 or "cache_size or tier_size" not in said[0]:
        yield f"warnings: {[str(warning.message) for warning in caught]}"


TRAINER = f"""
import select, sys
import lodfs
met = lodfs.MiniEpochs(sys.argv[1], rf=2, room={ROOM!r})
met._announced._keep_s = {KEPT_S}
met._announced.announce(met._announced._records)
for number, path in enumerate(met.paths()):
    print(path, flush=True)
    while number == 9 and not select.select([sys.stdin], [], [], .05)[0]:
        met._announced.ask()
print(met._announced.ask(), met._announced._lost, flush=True)
sys.stdin.read()
"""


def stopped(point):
    """A trainer is stopped (SIGSTOP) until its list is dropped, and then continues."""
    expected = list(lodfs.MiniEpochs(f"{point}/q4", rf=2, room=ROOM).paths())
    environment = dict(os.environ, PYTHONPATH=f"{os.environ['SOURCE_ROOT']}/src/python")
    with subprocess.Popen([sys.executable, "-c", TRAINER, f"{point}/q4"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as child:
        got = [child.stdout.readline().rstrip("\n") for _ in range(10)]
        if not until(lambda: lists(point) == 1) or until(lambda: not lists(point), 2 * KEPT_S):
            yield "a trainer that runs has no list"
        if not stop(child.pid) or not until(lambda: lists(point) == 0):
            yield "the list of a stopped trainer is kept"
        os.kill(child.pid, signal.SIGCONT)
        child.stdin.write("\n")
        child.stdin.flush()
        got += [child.stdout.readline().rstrip("\n") for _ in range(len(expected) - 10)]
        if got != expected:
            yield "the order is another one"
        state = child.stdout.readline().split()
        if len(state) != 2 or state[1] != "0" or lists(point) != 1:
            yield f"the list was not sent again: {state}, {lists(point)} lists"
        child.stdin.close()


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store = stores.in_small_records(work, EACH, 2)
        for name, test, arguments in (
                ("another file system from the start", covered_at_first, (work,)),
                ("another file system later", covered_later, (work,)),
                ("a trainer is stopped", stopped, ()),
                ("room shrinks and grows: fixed", shrinks, (2,)),
                ("room shrinks and grows: auto", shrinks, ("auto",))):
            with Mount(store, f"{work}/mount", *SLOW) as point:
                results.add(name, test(point, *arguments))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
The slices of a tier are damaged under readers: cut, flipped, torn, swapped, removed, replaced.

The test fails if a wrong byte is served, if a read fails, or if no damage is met.
"""
import os
import random
import threading
import time

from long import span
from tier import Mounted, epoch, make_tier, run, stats, tier_files

SLICES_SHORT, SLICES_LONG = 60, 10_000
TORN = os.urandom(4096)


def cut(name, draw):
    os.truncate(name, draw.randrange(os.stat(name).st_size + 1))


def flip(name, draw):
    with open(name, "r+b") as file:
        at = draw.randrange(max(1, os.stat(name).st_size))
        file.seek(at)
        byte = file.read(1) or b"\0"
        file.seek(at)
        file.write(bytes([byte[0] ^ 1 << draw.randrange(8)]))


def tear(name, draw):
    """As after a power failure: the size is right, and the bytes are not."""
    with open(name, "r+b") as file:
        file.seek(draw.randrange(max(1, os.stat(name).st_size)) // 4096 * 4096)
        file.write(TORN)


def swap(name, draw, names):
    other = draw.choice(names)
    for old, new in ((name, name + "~"), (other, name), (name + "~", other)):
        os.rename(old, new)


def replace(name, draw):
    os.unlink(name)
    if draw.random() < .5:
        os.mkfifo(name)
    else:
        os.symlink("/dev/zero", name)


def damage_once(tier, draw):
    names = tier_files(tier)
    if not names:
        return False
    name, way = draw.choice(names), draw.randrange(6)
    try:
        (cut, flip, tear, lambda n, d: swap(n, d, names), lambda n, _: os.unlink(n),
         replace)[way](name, draw)
    except OSError:
        return False  # the mount has dropped it meanwhile
    return True


def damage_mount(mount, tier, truth, draw, most):
    """Damages up to `most` slices under two readers, until the mount stops using the tier. Returns
    (slices, the mount's figures of the tier, errors of the readers)."""
    done, found, over = 0, [], threading.Event()

    def read_on(seed):
        while not over.is_set():
            found.extend(epoch(mount.point, truth, seed))
            seed += 2

    threads = [threading.Thread(target=read_on, args=(seed,)) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + 60
    while done < most and time.monotonic() < end and stats(mount.point)["tier"]["name"] != "past":
        done += damage_once(tier, draw)
        time.sleep(.02)
    over.set()
    for thread in threads:
        thread.join()
    return done, stats(mount.point)["tier"], found


def damaged(work, truth):
    """Slices are damaged under readers: no byte is wrong, and no read fails. A mount that stops
    using the tier is replaced by a new one, which has not seen the errors of the previous one."""
    tier = make_tier(work, "damaged")
    first, count = span(SLICES_SHORT, SLICES_LONG)
    draw, done, errors, mounts = random.Random(first), 0, 0, 0
    end = time.monotonic() + 60 + count

    while done < count and time.monotonic() < end:
        with Mounted(work, tier, "1G") as mount:
            yield from epoch(mount.point, truth, 0)
            more, now, found = damage_mount(mount, tier, truth, draw, count - done)
        yield from found
        done, errors, mounts = done + more, errors + now["errors"], mounts + 1
    print(f"{done} of {count} slices were damaged under {mounts} mounts: {errors} errors, {now}")
    if done < count / 2:
        yield f"only {done} slices were damaged"
    if errors < mounts:
        yield f"{mounts} mounts found {errors} damages"


if __name__ == "__main__":
    run(damaged)

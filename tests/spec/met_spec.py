# SPDX-License-Identifier: Apache-2.0
"""Computes the lists of mini-epochs with a fixed number of repeats, by decision 901 and FORMAT.md's
Reading order, and compares them with those of `lodfs met next`. The vectors are those of
tests/unit/fs/order/test_met_jobs.c.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

from mounted import Mount, need_fuse
from order_spec import IDENTITY, Order, make_source, pass_seed, run_seed, shuffled, spec, weight

VECTORS = [[53, 131, 56, 124, 121, 76, 86, 122], [56, 7, 58, 132, 183, 87, 59, 8],
           [108, 107, 0, 181, 4, 183, 9, 1]]
EXTENTS, EACH = 40, 5  # of the vectors; an extent has 40 bytes
LISTS = 40             # so that windows reach into the next passes


class Chain:
    """The extents of passes 0, 1, ..: (pass seed, place in the pass, extent)."""

    def __init__(self, identity, seed, counts, node, nodes):
        self.identity, self.seed, self.counts = identity, seed, counts
        self.node, self.nodes, self.links, self.number = node, nodes, [], 0

    def __getitem__(self, place):
        while place >= len(self.links):
            start = pass_seed(self.identity, self.seed, self.number)
            sums, mine = [0] * self.nodes, []
            for extent in shuffled([e for e, count in enumerate(self.counts) if count], start):
                fewest = sums.index(min(sums))
                sums[fewest] += self.counts[extent]
                mine += [extent] if fewest == self.node else []
            self.links += [(start, cursor, extent) for cursor, extent in enumerate(mine)]
            self.number += 1
        return self.links[place]


def lists(chain, bytes_of, items_of, repeats, room):
    """Yields the items of each list; bytes_of and items_of are of an extent."""
    most = room // (repeats + 1) * repeats if repeats < 3 else room // 4 * 3
    first, window = 0, []  # how often each extent of the window was dealt

    def fill():
        used = sum(bytes_of(chain[first + i][2]) for i in range(len(window)))
        while not window or used + bytes_of(chain[first + len(window)][2]) <= most:
            used += bytes_of(chain[first + len(window)][2])
            window.append(0)
    fill()
    window[:] = [repeats - 1 - i * repeats // len(window) for i in range(len(window))]
    number = 0
    while True:
        items = [item for i in range(len(window)) for item in items_of(chain[first + i][2])]
        start, cursor, _ = chain[first]
        yield [items[place]
               for place in shuffled(range(len(items)), run_seed(start, cursor, number))]
        number += 1
        window[:] = [dealt + 1 for dealt in window]
        while window and window[0] >= repeats:
            window.pop(0)
            first += 1
        fill()


def check_vectors():
    chain = Chain(IDENTITY, 0, [EACH] * EXTENTS, 0, 1)
    made = lists(chain, lambda _: 40, lambda e: range(EACH * e, EACH * (e + 1)), 2, 400)
    assert [next(made)[:8] for _ in VECTORS] == VECTORS


def check_job(order, point, folder, repeats, room, seed, node, nodes):
    state = f"{folder}/job.json"
    pictures = [[i for i in items if i in order.pictures] for _, items in order.extents]
    expected = lists(Chain(order.identity, seed, [len(p) for p in pictures], node, nodes),
                     lambda e: sum(weight(record, 4) for record in order.extents[e][0]),
                     lambda e: pictures[e], repeats, room)
    lodfs = os.environ["LODFS"]
    subprocess.run([lodfs, "met", "begin", state, f"{point}/q4", f"--rf={repeats}",
                    f"--room={room}", f"--seed={seed}", f"--rank={node}/{nodes}"], check=True)
    for number in range(LISTS):
        got = subprocess.run([lodfs, "met", "next", "--null", state], check=True,
                             stdout=subprocess.PIPE).stdout.split(b"\0")[:-1]
        prefix = os.fsencode(f"{point}/q4/")
        assert got == [prefix + order.paths[item] for item in next(expected)], (repeats, number)
    subprocess.run([lodfs, "met", "end", state], check=True)


def main():
    check_vectors()
    need_fuse()
    for kind, room in ("photographs", 200_000), ("mixed", 280_000):
        with tempfile.TemporaryDirectory(prefix="lodfs-spec-") as folder:
            source, store = f"{folder}/source", f"{folder}/store"
            make_source(source, kind)
            subprocess.run([os.environ["LODFS"], "pack", "-q", "--scans=default",
                            "--record-size=64K", source, store], check=True)
            order = Order([spec.Record(path)
                           for path in sorted(pathlib.Path(store, "records").iterdir())])
            with Mount(store, f"{folder}/mount") as point:
                check_job(order, point, folder, 1, room, 0, 0, 1)
                check_job(order, point, folder, 2, room, 7, 0, 1)
                check_job(order, point, folder, 5, room, 1, 1, 2)
            print(f"{kind}: {len(order.extents)} extents, {len(order.pictures)} pictures")
    return 0


if __name__ == "__main__":
    sys.exit(main())

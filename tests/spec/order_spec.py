# SPDX-License-Identifier: Apache-2.0
"""Computes reading orders from the records of stores, by FORMAT.md alone, and compares them with
those of `lodfs order`. The vectors are those of tests/unit/fs/order/test_shuffle.c.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

try:
    import xxhash  # noqa: F401
except ImportError:
    print("skipped: there is no Python module xxhash (Debian: python3-xxhash)")
    sys.exit(77)
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "public"))
import store_spec as spec
import stores

SMALL, SOURCE, STORED = 0xffffffff, 12, 0xffffffff
IDENTITY = bytes(range(16))
# (pass seed, seed of the run at extent 3, numbers 0 .. 7 in the order of the pass)
VECTORS = {
    (0, 0): (0x4a2866c77ec5d756, 0xafabee59b39a8213, [1, 0, 6, 2, 4, 3, 7, 5]),
    (0, 1): (0x935495b213f96b5e, 0x1d1b09c3513d71ec, [5, 1, 3, 7, 0, 2, 6, 4]),
    (1, 0): (0x3ed236f72041ef28, 0xb6608163d44cf181, [7, 3, 4, 2, 6, 0, 1, 5]),
    ((1 << 63) + 5, 0xfffffffe): (0x56e574405400290c, 0x4bb722e2d14631b9,
                                  [7, 2, 5, 1, 6, 4, 3, 0]),
}


def shuffled(numbers, seed):
    return sorted(numbers, key=lambda n: (spec.hash64(struct.pack("<I", n), seed), n))


def pass_seed(identity, seed, number):
    return spec.hash64(identity + struct.pack("<QI", seed, number))


def run_seed(seed, cursor, repeat=0):
    return spec.hash64(struct.pack("<QII", seed, cursor, repeat))


def weight(record, fidelity):
    """Bytes that a reader of all items of a record reads."""
    groups = [sum(len(segments[g]) for segments in record.segments) for g in range(record.groups)]
    groups += [0] * (12 - len(groups))
    if record.codec == 2:
        if fidelity < 10 and any(groups[:7]):
            return sum(groups[:min(fidelity, 7)])
        return sum(groups[7:12 if fidelity == 12 else 11])
    top = max((g for g in range(1, 11) if groups[g - 1]), default=0)
    if record.codec != 1:
        return sum(groups[:12 if fidelity == 12 else 11])
    if top < 10 and fidelity > top:
        return groups[SOURCE - 1]
    return sum(groups[:fidelity])


def kind_of(record):
    """Returns the codec of a record, and whether images in it have levels."""
    return record.codec, record.codec == 2 and any(any(s[:7]) for s in record.segments)


class Order:
    """The extents of a store and the order of its items in any pass."""

    def __init__(self, records):
        self.identity = spec.id_of(b"".join(record.id for record in records))
        first, small, codecs = 0, [], {kind_of(r) for r in records if r.codec and r.cut != SMALL}
        self.extents, self.paths, last, small_items = [], {}, None, []
        for record in records:
            items = list(range(first, first + record.items))
            first += record.items
            if not record.codec:
                last = None
                continue
            self.paths.update(zip(items, (entry[0] for entry in record.entries)))
            if codecs and record.cut == SMALL:
                small_items += items
                last = None
                continue
            if last != record.cut or len(codecs) < 2:
                self.extents.append(([], []))
            self.extents[-1][0].append(record)
            self.extents[-1][1].extend(items)
            last = record.cut
        for place, item in enumerate(small_items):
            self.extents[len(self.extents) * (2 * place + 1) // (2 * len(small_items))][1].append(
                item)
        kinds = {r.codec for r in records} & {1, 2} or {4}
        self.pictures, number = set(), 0
        for record in records:
            if record.codec in kinds:
                self.pictures |= set(range(number, number + record.items))
            number += record.items

    def runs(self, seed, number, fidelity, room, node=0, nodes=1):
        """Yields the pictures of each run of a pass of one node."""
        start = pass_seed(self.identity, seed, number)
        left = [e for e, (_, items) in enumerate(self.extents) if self.pictures & set(items)]
        order = left if number == STORED else shuffled(left, start)
        sums, mine = [0] * nodes, []
        for extent in order:
            fewest = sums.index(min(sums))
            sums[fewest] += len(self.pictures & set(self.extents[extent][1]))
            mine += [extent] if fewest == node else []
        cursor = 0
        while cursor < len(mine):
            end, used = cursor, 0
            while end < len(mine):
                used += sum(weight(r, fidelity) for r in self.extents[mine[end]][0])
                if used > room and end > cursor:
                    break
                end += 1
            items = [i for e in mine[cursor:end] for i in self.extents[e][1] if i in self.pictures]
            yield items if number == STORED else shuffled(items, run_seed(start, cursor))
            cursor = end


def listed(store, *options):
    """The numbers and paths that lodfs order prints."""
    text = subprocess.run([os.environ["LODFS"], "order", "--format=lst", "--null", *options, store],
                          check=True, stdout=subprocess.PIPE).stdout
    rows = [row.split(b"\t", 2) for row in text.split(b"\0")[:-1]]
    return [(int(number), path) for number, _, path in rows]


def fidelity_of(name):
    return {"full": 11, "original": 12}.get(name) or int(name[1:])


def check_order(order, store):
    lengths = set()
    for seed in (0, 7):
        for number, fidelity, room in ((0, "q4", 96 << 20), (1, "q1", 150_000), (9, "full", 1),
                                       (STORED, "q3", 500_000), (3, "q8", 700_000),
                                       (2, "original", 400_000)):
            runs = list(order.runs(seed, number, fidelity_of(fidelity), room))
            expected = [(item, order.paths[item]) for run in runs for item in run]
            which = ["--stored"] if number == STORED else [f"--pass={number}"]
            got = listed(store, f"--seed={seed}", *which, f"--fidelity={fidelity}", f"--run={room}")
            assert got == expected, (seed, number, fidelity, room)
            assert {item for item, _ in got} == order.pictures and len(got) == len(order.pictures)
            lengths.add(len(runs))
    assert len(lengths) > 1, "all passes have as many runs: the lengths are not tested"
    check_ranks(order, store)


def check_ranks(order, store):
    for nodes, world in ((1, 3), (2, 4), (3, 3)):
        dealt = [[i for run in order.runs(5, 2, 4, 300_000, node, nodes) for i in run]
                 for node in range(nodes)]
        local = world // nodes
        for rank in range(world):
            mine = dealt[rank // local]
            even = min(map(len, dealt)) // local * local
            got = listed(store, "--seed=5", "--pass=2", "--run=300000", f"--rank={rank}/{world}",
                         f"--nodes={nodes}")
            assert [i for i, _ in got] == mine[:even][rank % local::local]
            enough = -(-max(map(len, dealt)) // local) * local
            got = listed(store, "--seed=5", "--pass=2", "--run=300000", f"--rank={rank}/{world}",
                         f"--nodes={nodes}", "--tail=wrap")
            assert [i for i, _ in got] == (mine * 9)[:enough][rank % local::local]


def make_source(source, kind):
    """A source of one kind: photographs, photographs with labels and PNGs, or text alone."""
    random_bytes = random.Random(kind).randbytes
    if kind != "text":
        for label in "ab":
            os.makedirs(f"{source}/{label}")
            subprocess.run([os.environ["PHOTOGRAPHS"], f"{source}/{label}", "30",
                            str(ord(label))], check=True, stdout=subprocess.DEVNULL)
    else:
        for i in range(300):
            os.makedirs(f"{source}/{i % 3}", exist_ok=True)
            pathlib.Path(f"{source}/{i % 3}/{i}.bin").write_bytes(random_bytes(5000))
    if kind == "mixed":
        for i, path in enumerate(stores.files_below(source)):
            noise = random_bytes(20_000 if i % 2 else 10_000)
            pathlib.Path(f"{source}/{path[:-4]}.bin").write_bytes(noise)
        for i in range(3):
            pathlib.Path(f"{source}/a/{i}.png").write_bytes(stores.png(i, 60, 40))


def check_vectors():
    for (seed, number), (start, run, order) in VECTORS.items():
        assert pass_seed(IDENTITY, seed, number) == start
        assert run_seed(start, 3) == run
        assert shuffled(range(8), start) == order


def main():
    check_vectors()
    for kind, options in (("photographs", ["--full=scans"]), ("photographs", ["--full=source"]),
                          ("mixed", []), ("text", [])):
        with tempfile.TemporaryDirectory(prefix="lodfs-spec-") as folder:
            source, store = f"{folder}/source", f"{folder}/store"
            make_source(source, kind)
            subprocess.run([os.environ["LODFS"], "pack", "-q", "--scans=default",
                            "--record-size=100K", *options, source, store], check=True)
            records = [spec.Record(path)
                       for path in sorted(pathlib.Path(store, "records").iterdir())]
            order = Order(records)
            check_order(order, store)
            print(f"{kind} {options}: {len(order.extents)} extents, {len(order.pictures)} pictures")


if __name__ == "__main__":
    main()

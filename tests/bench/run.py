#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The benchmark: lodfs compared with other ways to the same files, in one run.

Each part measures and returns tables, charts and goals as plain data (results.py). bench.json is
all of it; bench.txt and bench.html are made from that alone. To add a part, write part_NAME.py and
its line in PARTS. Compare only within one run: files/s of one machine vary by 2x between runs.
"""
import argparse
import json
import os
import random
import signal
import sys
import tempfile

import machine
import page
import part_decoding
import part_formats
import part_met
import part_packing
import part_python
import part_reading
import part_regret
import part_scale
import part_slow
import part_tables
import photographs
import text_report
from photographs import Photographs
from systems import command

PARTS = {
    "reading": part_reading,
    "formats": part_formats,
    "slow": part_slow,
    "met": part_met,
    "decoding": part_decoding,
    "python": part_python,
    "regret": part_regret,
    "scale": part_scale,
    "packing": part_packing,
    "tables": part_tables,
}
# Name, label, and the percent of the usual sides that gives photographs of that size.
SIZES = (("110 KB", "large", 157), ("23 KB", "small", 62))
TOOLS = ("lodfs", "reader", "record_reader", "record_maker", "stored_order", "store_maker", "null",
         "photographs", "out")


class Bench:
    """The context of every part: tools, work folder, photographs, and how much to do."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.quick = options.quick
        self.rounds = 3 if options.quick else 5
        self.decoded = 60 if options.quick else 100  # photographs of each set
        self.slow_rounds = 1 if options.quick else 3
        self.slow_plain = 300 if options.quick else 400
        self.slow_copies = 4 if options.quick else 8
        self.scale_items = (10_000, 100_000) if options.quick else (10_000, 1_000_000, 10_000_000)
        self.loop_devices = os.geteuid() == 0 and os.path.exists("/dev/loop-control")
        self.data = [self.take(*size) for size in SIZES[:1 if options.quick else 2]] \
            if not options.folder else [Photographs("yours", options.folder, work)]
        self.stores = {}
        for data in self.data:
            self.prepare(data)

    def take(self, name, word, percent):
        count = self.options.count or (200 if self.quick else 800)
        folder = os.path.join(self.options.out, f"photographs-{word}-{count}")
        return Photographs(name, photographs.make(self.options.photographs, folder, count, percent),
                           self.work)

    def prepare(self, data):
        """Reads the files into RAM, and writes a shuffled list for the makers of record files."""
        mixed = [path for path, _ in data.files]
        random.Random(1).shuffle(mixed)
        data.shuffled = data.list + "-shuffled"
        photographs.write_list(data.shuffled, mixed)
        for path in mixed:
            with open(os.path.join(data.folder, path), "rb") as file:
                file.read()

    def pack(self, data):
        """Returns the store of `data`, packed once a run."""
        if data.name not in self.stores:
            store = os.path.join(self.work, f"store-{data.name.replace(' ', '-')}")
            command(self.options.lodfs, "pack", "-q", data.folder, store)
            self.stores[data.name] = store
        return self.stores[data.name]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name in TOOLS:
        parser.add_argument(f"--{name.replace('_', '-')}", required=True)
    parser.add_argument("--library", help="liblodfs.so, for the Python package")
    parser.add_argument("--train-table", help="not built without OpenBLAS, lz4 and zstd")
    parser.add_argument("--quick", action="store_true", help="minutes, not half an hour")
    parser.add_argument("--parts", default=os.environ.get("LODFS_BENCH_PARTS") or ",".join(PARTS),
                        help=f"of {', '.join(PARTS)}; or LODFS_BENCH_PARTS")
    parser.add_argument("--folder", default=os.environ.get("LODFS_BENCH_FOLDER"),
                        help="photographs to read, or LODFS_BENCH_FOLDER; else some are made")
    parser.add_argument("--count", type=int, help="how many to make, of each size")
    options = parser.parse_args()
    options.parts = options.parts.split(",")
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"no part {', '.join(sorted(unknown))}")
    return options


def write_reports(report, out):
    for name, content in (("bench.json", json.dumps(report, indent=1) + "\n"),
                          ("bench.txt", text_report.report(report)),
                          ("bench.html", page.report(report))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(content)


def parts_words(parts, done):
    """The report of a run that was stopped says which parts are missing."""
    left = ", ".join(parts[done:])
    return ", ".join(parts[:done]) + (f"; not measured yet: {left}" if left else "")


def main():
    options = parse()
    if os.geteuid() != 0:
        raise SystemExit("bench: run as root: it mounts, and limits a device")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("bench: ended"))  # unmounts too
    report = {"facts": machine.facts(options), "parts": []}
    with tempfile.TemporaryDirectory(prefix="lodfs-bench-") as work:
        bench = Bench(options, work)
        report["facts"]["photographs"] = "; ".join(f"{d.name}: {d.words()}" for d in bench.data)
        for done, name in enumerate(options.parts, 1):
            report["parts"].append(PARTS[name].measure(bench))
            report["facts"]["parts"] = parts_words(options.parts, done)
            write_reports(report, options.out)
    print(text_report.report(report))
    print(f"{os.path.join(options.out, 'bench.html')} shows it", file=sys.stderr)


if __name__ == "__main__":
    main()

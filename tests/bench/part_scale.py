# SPDX-License-Identifier: Apache-2.0
"""Measures the cost of many items: stores of small items made by tests/scale/make_store."""
import os
import shutil
import sys

import scale
from results import Part, cell

INTRO = ("A mount of a store of so many items (tests/scale/make_store makes it; a tenth of them lie"
         " in one folder): how soon it is ready, what it reads and holds, random lookups, ls -f"
         " of the large folder. Bytes are those that the kernel counts as read by the server.")
ROWS = (("ready after, ms", "ready_ms", "{:,.0f}"),
        ("read by then, bytes", "mount_bytes", "{:,.0f}"),
        ("resident then, KiB", "mount_kib", "{:,.0f}"),
        ("index, bytes an item", "index_bytes_per_item", "{:.1f}"),
        ("random lookup, us", "lookup_us", "{:,.0f}"),
        ("random lookup, bytes of index read", "lookup_bytes", "{:,.0f}"),
        ("random open and read of a small file, us", "read_us", "{:,.0f}"),
        ("names in the large folder", "names", "{:,.0f}"),
        ("ls -f of it, s", "listing_s", "{:.2f}"),
        ("ls -f of it, s of the server's CPU", "listing_cpu_s", "{:.2f}"),
        ("resident after all this, KiB", "peak_kib", "{:,.0f}"))
ROOM = 300  # bytes of store and index for each item


def place(bench, items):
    """Returns a folder in RAM if it has room: making a store syncs each of thousands of files."""
    shm = "/dev/shm"
    if os.path.isdir(shm) and shutil.disk_usage(shm).free > 4 * ROOM * items:
        return os.path.join(shm, f"lodfs-bench-{os.getpid()}")
    return os.path.join(bench.work, "scale")


def measure_one(bench, items):
    store = place(bench, items)
    try:
        scale.make(bench.options.store_maker, store, items, items // 10)
        return scale.measure(bench.options.lodfs, store, os.path.join(bench.work, "scale-at"),
                             items, items // 10)
    finally:
        shutil.rmtree(store, ignore_errors=True)


def measure(bench):
    part = Part("scale", "Scale", INTRO)
    every = []
    for items in bench.scale_items:
        every.append(measure_one(bench, items))
        part.sample(f"{items}", every[-1])
        for wrong in scale.judge(every[-1]):
            part.note(f"{items:,} items: {wrong}")
        print(f"scale: {items:,} items", file=sys.stderr, flush=True)

    def cells(field, form):
        return [cell(f[field] if isinstance(f[field], list) else [f[field]], form) for f in every]
    part.table("a store of", [f"{f['items']:,} items" for f in every],
               [(label, "ours", cells(field, form)) for label, field, form in ROWS])
    part.lines("What grows with the store", "items", "us", [f"{f['items']:,}" for f in every],
               [("random lookup", "ours", cells("lookup_us", "{:,.0f}"))])
    largest = every[-1]
    size = f"{largest['items']:,} items"
    part.goal(f"{size}: mount ready, ms", largest["ready_ms"], at_most=100, form="{:.0f}")
    part.goal(f"{size}: index bytes an item", [largest["index_bytes_per_item"]], at_most=128,
              form="{:.1f}")
    part.goal(f"{size}: resident, MiB, but for the cache", [largest["peak_kib"] / 1024],
              at_most=scale.BASE_KIB / 1024, form="{:.0f}")
    if largest["names"] >= 1_000_000:
        part.goal("ls -f of a million names, s", largest["listing_s"], at_most=2)
    return part.data

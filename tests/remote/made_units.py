# SPDX-License-Identifier: Apache-2.0
"""Images that are decoded on read, on a slow store with a cache that holds nearly all of it. Frames
and made units share the cache, so no record is loaded again and again, and a list finds memory.
"""
import os
import random
import sys

from level_images import png
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, read, until, write
from tier import stats
from tier_lists import ask, by_record

FILES, WIDTH, HEIGHT = 48, 400, 200  # 240 KB of pixels each, of which noise is 3 bits of 8
SIZES = "5M", "7M", "8M", "12M"
OPTIONS = "gpu=off,download_limit=6M,store_cache=private,cache=none,xattr"
NOISE = bytes(byte & 7 for byte in range(256))


def noisy(rng):
    return png([rng.randbytes(3 * WIDTH).translate(NOISE) for _ in range(HEIGHT)], WIDTH, 2)


def store_bytes(point):
    return stats(point)["store"]["bytes"]


def passes(point, names, most):
    """Reads all images twice, each pass in an order of its own."""
    begun = store_bytes(point)
    for seed in 1, 2:
        for name in random.Random(seed).sample(names, len(names)):
            read(f"{point}/full/{name}")
    got = store_bytes(point) - begun
    if got > most:
        yield f"{got} bytes of the store, not {most} at most"


def listed(point, names, most):
    """A job lists all records after the images were read."""
    for name in names:
        read(f"{point}/full/{name}")
    records = sorted(by_record(point, names))
    begun = store_bytes(point)
    if not until(lambda: ask(point, 7, 0, records, 0)[0] == len(records), 20):
        yield f"{ask(point, 7, 0, records, 0)[0]} of {len(records)} records are loaded"
    got = store_bytes(point) - begun
    if got > most:
        yield f"{got} bytes of the store for the list, not {most} at most"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        rng = random.Random(3)
        for number in range(FILES):
            write(f"{source}/{number}.png", noisy(rng))
        lodfs("pack", "-q", "--record-size=1M", source, store)
        names = [os.fsdecode(name) for name in files_below(source)]
        packed = sum(os.path.getsize(f"{store}/records/{name}")
                     for name in os.listdir(f"{store}/records"))
        for size in SIZES:
            with Mount(store, point, "-o", f"{OPTIONS},cache_size={size}"):
                results.add(f"two passes with cache_size={size}",
                            passes(point, names, 2 * packed))
        with Mount(store, point, "-o", f"{OPTIONS},cache_size=8M"):
            results.add("a list beside made units", listed(point, names, packed))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

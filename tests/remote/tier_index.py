# SPDX-License-Identifier: Apache-2.0
"""
A tier keeps the index of a store behind a server: later mounts list all names with no request but
those for the manifest. An index that is damaged there is asked for again.
"""
import json
import os
import sys

from faults import Faults
from mounted import Mount, Results, Work, lodfs, need_fuse
from small import files_below, read, until, write
from tier import make_tier

FILES = 9000  # an index larger than one window
BLOCK = 4096


def make_store(work):
    os.chmod(work, 0o755)
    for i in range(FILES):
        write(f"{work}/source/{i % 30}/a file with a long name {i:05}.bin", b"%d" % i)
    lodfs("pack", f"{work}/source", f"{work}/store")
    os.mkdir(f"{work}/mount")


def tiered(server, work, tier):
    return Mount(server.url, f"{work}/mount", "-o", f"tier_dir={tier},tier_size=100M")


def slices_of_index(work, tier):
    key = json.loads(read(f"{work}/store/manifest.json"))["index_hash"]
    return [os.path.join(tier, os.fsdecode(name)) for name in files_below(tier)
            if os.path.basename(os.fsdecode(name)).startswith(key)]


def names_of(point):
    return sorted(files_below(f"{point}/full"))


def kept(server, work, tier, truth):
    """The first mount copies the index, the second one requests only the manifest."""
    size = os.stat(f"{work}/store/index").st_size
    with tiered(server, work, tier) as point:
        if names_of(point) != truth:
            yield "other names"
        until(lambda: sum(os.stat(name).st_size for name in slices_of_index(work, tier)) == size)
    if not slices_of_index(work, tier):
        yield "the tier has no index"
    server.names.clear()
    with tiered(server, work, tier) as point:
        if names_of(point) != truth:
            yield "other names, of the tier"
    if set(server.names) != {"manifest.json"} or len(server.names) > 2:
        yield f"asked for: {server.names}"


def damaged(server, work, tier, truth):
    """Blocks of it are flipped, also the first one, or it is cut. All names are there."""
    for first in (0, 1, 7):
        name = slices_of_index(work, tier)[0]
        with open(name, "r+b") as file:
            for at in range(first, os.stat(name).st_size // BLOCK, 3):
                file.seek(at * BLOCK + 99)
                byte = file.read(1)[0]
                file.seek(at * BLOCK + 99)
                file.write(bytes([byte ^ 4]))
        with tiered(server, work, tier) as point:
            for turn in range(2):
                if names_of(point) != truth:
                    yield f"from block {first}, turn {turn}: other names"
                for path in truth[::500]:
                    read(f"{point}/full/{os.fsdecode(path)}")
        size = os.stat(f"{work}/store/index").st_size
        for path in slices_of_index(work, tier):
            os.unlink(path)
        with tiered(server, work, tier):
            until(lambda n=size: sum(os.stat(name).st_size
                                     for name in slices_of_index(work, tier)) == n)
    os.truncate(slices_of_index(work, tier)[0], 3 * BLOCK + 1)
    with tiered(server, work, tier) as point:
        if names_of(point) != truth:
            yield "cut: other names"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        make_store(work)
        tier, truth = make_tier(work, "tier"), sorted(files_below(f"{work}/source"))
        with Faults(f"{work}/store") as server:
            results.add("kept", kept(server, work, tier, truth))
            results.add("damaged", damaged(server, work, tier, truth))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

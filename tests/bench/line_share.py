# SPDX-License-Identifier: Apache-2.0
"""
line_share.py LODFS STORE FIDELITY record|listed [OPTIONS [URL BYTES]]: the share of a line that a
mount uses.

Four readers read all photographs of a store in a local folder, through a mount that is as slow as
the -o OPTIONS say. They go in the order of the records, or in a permuted order of records that is
announced to the mount. Prints the bytes of the store a second, as a share of 125 MiB/s. With a URL,
the same store is mounted from there, and the share is that of BYTES a second. Needs the environment
of the Python package (LODFS_LIBRARY, PYTHONPATH).
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time

from lodfs.mounts import Mount

LINE = 125 << 20
OPTIONS = "download_limit=125M,download_latency=20,download_parallel=8,cache_size=512M"
USUAL = "gpu=off,cache=none,store_cache=private"
READERS = 4


def records_of(lodfs, store):
    """Returns [(record, names of its photographs)] in the order of the store."""
    names = iter(subprocess.run([lodfs, "order", "--stored", "-0", store], check=True,
                                stdout=subprocess.PIPE).stdout.split(b"\0"))
    found = []
    for name in sorted(os.listdir(f"{store}/records")):
        with open(f"{store}/records/{name}", "rb") as file:
            items, = struct.unpack_from("<I", file.read(52), 48)
        if name.endswith(".pcr"):
            found.append((int(name[:6]), [next(names) for _ in range(items)]))
    return found


class Pass:
    """One pass over `records`; the records at the head that were read are announced as done."""

    def __init__(self, folder, records, done):
        self.work = [(at, os.path.join(folder, name)) for at, (_, names) in enumerate(records)
                     for name in names]
        self.left = [len(names) for _, names in records]
        self.lock, self.at, self.head, self.done = threading.Lock(), 0, 0, done

    def finish(self, record):
        with self.lock:
            self.left[record] -= 1
            before = self.head
            while self.head < len(self.left) and not self.left[self.head]:
                self.head += 1
            head = self.head
        if before < head < len(self.left):
            self.done(head)

    def read(self):
        while True:
            with self.lock:
                if self.at == len(self.work):
                    return
                record, path = self.work[self.at]
                self.at += 1
            with open(path, "rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass
            self.finish(record)


def measure(lodfs, store, point, fidelity, order, line=LINE):
    records, client = records_of(lodfs, store), Mount(point)

    def done(head):
        if order == "listed":
            client.ahead(1, fidelity, len(records), [], done=head)
    if order == "listed":
        random.Random(5).shuffle(records)
        client.ahead(1, fidelity, 0, [record for record, _ in records])
    run = Pass(os.path.join(os.fsencode(point), fidelity.encode()), records, done)
    begun = time.monotonic()
    readers = [threading.Thread(target=run.read) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    seconds = time.monotonic() - begun
    with open(f"{point}/.lodfs/stats", encoding="utf-8") as file:
        stored = json.load(file)["store"]["bytes"]
    print(f"{fidelity} {order}: {stored / 1e6:.1f} MB in {seconds:.2f} s, share"
          f" {stored / seconds / line:.3f}")


def main(lodfs, store, fidelity, order, options=OPTIONS, url=None, line=LINE):
    with tempfile.TemporaryDirectory() as point:
        subprocess.run([lodfs, "mount", "-o", f"{USUAL},{options}", url or store, point],
                       check=True)
        try:
            measure(lodfs, store, point, fidelity, order, float(line))
        finally:
            subprocess.run([lodfs, "umount", point], check=True)


if __name__ == "__main__":
    main(*sys.argv[1:])

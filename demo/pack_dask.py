#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Packs a folder on the workers of a Dask cluster, in N parts. SOURCE and STORE are on a file system
that all of them have. Options of pack follow the store.

    pack_dask.py SCHEDULER N SOURCE STORE [OPTIONS ..]

SCHEDULER is an address such as tcp://host:8786, or "local". To continue after a failure, run it
again.
"""
import os
import subprocess
import sys

from distributed import Client


def pack(words):
    command = [os.environ.get("LODFS", "lodfs"), "pack", "-q", *words]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")


def main():
    address, parts, words = sys.argv[1], int(sys.argv[2]), sys.argv[5:]
    words += [os.path.abspath(path) for path in sys.argv[3:5]]
    with Client(**({} if address == "local" else {"address": address})) as client:
        client.submit(pack, ["--plan", *words], pure=False).result()
        all_parts = [["-j1", f"--part={k}/{parts}", *words] for k in range(1, parts + 1)]
        client.gather(client.map(pack, all_parts, pure=False, retries=2))
        client.submit(pack, words, pure=False).result()


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""
Packs a folder on the machines of a Ray cluster, in N parts. SOURCE and STORE are on a file system
that all of them have. Options of pack follow the store.

    pack_ray.py N SOURCE STORE [OPTIONS ..]

A part whose machine fails is run again. To continue after a failure, run it again.
"""
import os
import subprocess
import sys

import ray


def pack(words):
    command = [os.environ.get("LODFS", "lodfs"), "pack", "-q", *words]
    done = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: exit {done.returncode}: {done.stderr.strip()}")


def main():
    parts, words = int(sys.argv[1]), sys.argv[4:]
    words += [os.path.abspath(path) for path in sys.argv[2:4]]
    ray.init(log_to_driver=False)
    remote = ray.remote(max_retries=2, retry_exceptions=True, num_cpus=1)(pack)
    ray.get(remote.remote(["--plan", *words]))
    ray.get([remote.remote(["-j1", f"--part={k}/{parts}", *words]) for k in range(1, parts + 1)])
    ray.get(remote.remote(words))


if __name__ == "__main__":
    main()

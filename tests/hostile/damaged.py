# SPDX-License-Identifier: Apache-2.0
"""damaged.py accidents|attacks|cuts|meanings|segments: runs `damage` on a small store; see
damage.c."""
import os
import subprocess
import sys

from long import span
from mounted import Work
from tiny import FULL, make_stores


COUNTS = {"accidents": (2_000, 100_000), "attacks": (2_000, 100_000), "cuts": (1_000, 40_000),
          "segments": (0, 10_000),  # 0: each frame once
          "meanings": (80, 80)}  # a digit of each schema.json


def damage(kind, full):
    """Runs half of the count for one way of storing JPEGs."""
    first, count = span(*COUNTS[kind])
    with Work() as work:
        print(f"--full={full}", flush=True)
        stores = make_stores(work, full=full)
        command = [os.environ["DAMAGE"], kind, *stores, str((count + 1) // 2), str(first)]
        return subprocess.run(command, check=False).returncode


def main():
    return max(damage(sys.argv[1], full) for full in FULL)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""damaged.py accidents|attacks|cuts|meanings|segments: a small store damaged, see damage.c."""
import os
import subprocess
import sys

from long import counted
from mounted import Work
from tiny import make_stores


COUNTS = {"accidents": (2_000, 100_000), "attacks": (2_000, 100_000), "cuts": (1_000, 40_000),
          "segments": (0, 10_000),  # 0: a bit of each once
          "meanings": (80, 80)}  # a digit of each schema.json


def main():
    kind = sys.argv[1]
    with Work() as work:
        stores = make_stores(work)
        command = [os.environ["DAMAGE"], kind, *stores, str(counted(*COUNTS[kind]))]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

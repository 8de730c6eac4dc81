# SPDX-License-Identifier: Apache-2.0
"""damaged.py accidents|attacks: thousands of damaged copies of a small store, see damage.c."""
import os
import subprocess
import sys

from long import counted
from mounted import Work
from tiny import make_stores


def main():
    kind = sys.argv[1]
    with Work() as work:
        stores = make_stores(work)
        command = [os.environ["DAMAGE"], kind, *stores, str(counted(2_000, 100_000))]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
The counts of short and long runs. `./check --long` sets LODFS_LONG, which selects the counts of a
release. A run can be divided: LODFS_SHARE=K/N, K from 1, is the K-th of N parts of the work. C
programs read it with damage/share.h.
"""
import os
import subprocess
import time

HERE = os.path.dirname(os.path.realpath(__file__))


def is_long():
    return bool(os.environ.get("LODFS_LONG"))


def counted(short, long):
    return long if is_long() else short


def by_commits(count):
    """Returns the number of commits modulo `count`; without git it counts days."""
    done = subprocess.run(["git", "-c", "safe.directory=*", "-C", HERE, "rev-list", "--count",
                           "HEAD"], check=False, capture_output=True)
    number = int(done.stdout) if done.returncode == 0 else int(time.time()) // 86_400
    return number % count


def share():
    """Returns (K - 1, N) of this run."""
    number, _, of = os.environ.get("LODFS_SHARE", "1/1").partition("/")
    return int(number) - 1, int(of)


def span(short, long):
    """Returns (first number, count) of the numbers 1, 2, .. that this run tries."""
    count = counted(short, long)
    number, of = share()
    begin, end = count * number // of, count * (number + 1) // of
    return begin + 1, end - begin


def shared(items):
    """Returns the items of a list that this run tries."""
    number, of = share()
    return list(items)[number::of]

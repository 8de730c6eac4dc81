# SPDX-License-Identifier: Apache-2.0
"""How much is tried: `./check --long` sets LODFS_LONG, and the numbers of a release are run."""
import os


def is_long():
    return bool(os.environ.get("LODFS_LONG"))


def counted(short, long):
    return long if is_long() else short

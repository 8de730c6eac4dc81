# SPDX-License-Identifier: Apache-2.0
"""`python -m lodfs`, and the command `lodfs` of a wheel: runs the program of the package, or else
the one of the system."""
import os
import pathlib
import shutil
import sys


def _program():
    beside = pathlib.Path(__file__).with_name("bin") / "lodfs"
    if beside.exists():
        return str(beside)
    found = shutil.which("lodfs")
    # If the program found on PATH is this command itself, it would start itself for ever.
    return None if not found or os.path.samefile(found, sys.argv[0]) else found


def main():
    program = _program()
    if not program:
        sys.exit("lodfs: error: the program is missing; install package lodfs, or the wheel again")
    try:
        os.execv(program, ["lodfs", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"lodfs: error: {program}: {error.strerror}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""`python -m lodfs`, and the command `lodfs` of a wheel: the program, that of the package or else
the system's."""
import os
import pathlib
import shutil
import sys


def _program():
    beside = pathlib.Path(__file__).with_name("bin") / "lodfs"
    if beside.exists():
        return str(beside)
    found = shutil.which("lodfs")
    # A command that leads back here would start itself for ever.
    return None if not found or os.path.samefile(found, sys.argv[0]) else found


def main():
    program = _program()
    if not program:
        sys.exit("lodfs: the program is missing; install package lodfs, or the wheel again")
    try:
        os.execv(program, ["lodfs", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"lodfs: {program}: {error.strerror}")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""with_store.py PROGRAM ARGUMENT..: runs PROGRAM STORE ARGUMENT.. FIDELITY/PATH.. on a small store.

The paths are those of photographs, PNGs and tables, at fidelities that are read in different ways.
"""
import subprocess
import sys
import tempfile

import stores

FIDELITIES = {"photos": ("q1", "q4", "full", "original"), "pngs": ("full",), "tables": ("q3",)}


def paths(source):
    for path in stores.files_below(source):
        for fidelity in FIDELITIES[path.split("/")[0]]:
            yield f"{fidelity}/{path}"


def main(program, *arguments):
    with tempfile.TemporaryDirectory(prefix="lodfs-public-") as work:
        store = stores.make(work)
        sys.exit(subprocess.run([program, store, *arguments, *paths(f"{work}/source")],
                                check=False).returncode)


main(*sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""Measures packing, and the bytes and likeness of every fidelity."""
import json
import os
import resource
import shutil
import subprocess
import time

from results import Part, cell

WAYS = (["-j1", "--scans=default"], ["-j2"])
FIDELITIES = [f"q{k}" for k in range(1, 11)] + ["full"]
INTRO = ("CPU time of lodfs pack a file, with a fixed scan script and with the one it finds by"
         " measuring a sample of the photographs (the default); and the bytes of each fidelity, of"
         " the source's,"
         " with their likeness (MSSIM, 1 is the full image) on the sample that pack measured.")


def pack(bench, data, options):
    store = os.path.join(bench.work, "packing")
    shutil.rmtree(store, ignore_errors=True)
    before, from_s = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([bench.options.lodfs, "pack", "-q", *options, data.folder, store], check=True)
    seconds = time.monotonic() - from_s
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    done = subprocess.run([bench.options.lodfs, "info", "--json", store], check=True,
                          stdout=subprocess.PIPE)
    shutil.rmtree(store)
    return {"seconds": seconds, "cpu_ms": cpu / len(data.files) * 1e3}, json.loads(done.stdout)


def mssim(info):
    """Returns the values of q1 .. q10 and full: means over the classes of the measured sample."""
    classes = [c for c in (info.get("scans") or {}).get("classes", []) if c["samples"]]
    samples = sum(c["samples"] for c in classes)
    means = [sum(c["mssim"][k] * c["samples"] for c in classes) / samples for k in range(10)] \
        if samples else []
    return means + [1] if means else []


def measure(bench):
    part = Part("packing", "Packing, and the bytes of a fidelity", INTRO)
    rows, shares, likeness = [], [], []
    for data in bench.data:
        cells = []
        for options in WAYS:
            found, info = pack(bench, data, options)
            part.sample(f"{data.name}|{' '.join(options)}", found)
            cells += [cell([found["cpu_ms"]], "{:.1f}"), cell([found["seconds"]], "{:.1f}")]
        rows.append((data.name, "ours", cells))
        part.sample(f"{data.name}|fidelity_bytes", info["fidelity_bytes"])
        shares.append((data.name, "ours", [
            cell([info["fidelity_bytes"][f] / data.bytes * 100], "{:.0f} %") for f in FIDELITIES]))
        likeness.append((data.name, "ours", [cell([m], "{:.3f}") for m in mssim(info)] or
                         [None] * len(FIDELITIES)))
    part.table("pack", [f"{' '.join(options)}: {what}" for options in WAYS
                        for what in ("CPU ms/file", "s in all")], rows)
    part.table("bytes, of the source's", FIDELITIES, shares)
    part.table("MSSIM", FIDELITIES, likeness)
    part.lines("Bytes of each fidelity", "fidelity", "% of the source", FIDELITIES, shares)
    return part.data

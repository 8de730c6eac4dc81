# SPDX-License-Identifier: Apache-2.0
"""
`lodfs info` counts the samples of the framed files, and names the files that are in none, as a
program does that is written only from FORMAT.md.
"""
import base64
import json
import os
import re
import sys

from framed import Expected, packed, run, samples_spec
from mounted import Mount, lodfs
from small import write

import recordio_spec  # framed sets its path


def path_of(entry):
    return base64.b64decode(entry["path_b64"]) if "path_b64" in entry else entry["path"].encode()


def counts(told, expected):
    """Compares the numbers. Returns the nodes of all files of samples."""
    splits, placed, labels = {}, set(), []
    for (split, _), samples in expected.store.shards().items():
        name = split.decode() or "data"
        splits[name] = splits.get(name, 0) + len(samples)
        placed |= {node for sample in samples for _, node in sample[6]}
        labels += [sample[5] for sample in samples]
    want = {"samples": len(labels), "members": len(placed) - len(labels),
            "unlabelled": labels.count(-1)}
    wrong = []
    if {key: told[key] for key in want} != want or \
            {split["name"]: split["samples"] for split in told["splits"]} != splits:
        wrong.append(f"{told}, not {want} and {splits}")
    for split in told["splits"]:
        name = split["name"] if split["name"] != "data" else ""
        folder = os.path.join(expected.point, b"full", os.fsencode(name))
        if split["classes"] != sum(entry.is_dir() for entry in os.scandir(folder)):
            wrong.append(f"{split} has {split['classes']} classes")
    return wrong, placed


def left_out(told, expected, placed):
    nodes = expected.store.nodes
    rest = {node[0] for number, node in enumerate(nodes)
            if samples_spec.is_file(node) and number not in placed}
    own = {nodes[number][0] for number in expected.store.own.values()}
    if {path_of(entry) for entry in told["left_out"]} != rest:
        yield f"left out: {told['left_out']}, not {rest}"
    for entry in told["left_out"]:
        if (entry["why"] == "equal") != (path_of(entry) not in own):
            yield f"{entry}: another reason"
    if sum(told["in_no_format"].values()) != len(rest) or told["in_no_format"]["too_large"]:
        yield f"{told['in_no_format']} of {len(rest)} files"


def text(store, told):
    shown = lodfs("info", "-v", store).stdout.decode()
    lines = shown.partition("Samples in the files of ")[2].partition("\n\n")[0]
    if any(f"  {split['name']} " not in lines for split in told["splits"]) or \
            len(re.findall("^    ", lines, re.MULTILINE)) != len(told["left_out"]):
        yield f"info -v prints {lines}"
    if any(f"{name}/" not in lines.partition(":")[0] for name in told["formats"]):
        yield f"info -v has other formats: {lines}"


def check(results, work, name, make, photos):
    store, point, _ = packed(work, name, make, photos)
    told = json.loads(lodfs("info", "--json", store).stdout)["samples"]
    with Mount(store, point):
        expected = Expected(store, point)
        wrong, placed = counts(told, expected)
        results.add(f"{name}: counts", wrong)
        results.add(f"{name}: left out", left_out(told, expected, placed))
        framed = set(os.listdir(point)) & {"tar", "recordio", "tfrecord"}
        results.add(f"{name}: formats", [] if set(told["formats"]) == framed else [told])
    results.add(f"{name}: text", text(store, told))


def make_refused(folder, photos):
    """Two pictures of three that RecordIO cannot hold."""
    for i, words in enumerate((4096, 4097, 5000)):
        data = photos[i] + bytes(-len(photos[i]) % 4)
        write(f"{folder}/{i}.jpg", data + recordio_spec.MAGIC * words)


def refused(results, work, photos):
    """info says how many samples a framing lacks, and why."""
    store, _, _ = packed(work, "refused", make_refused, photos)
    told = json.loads(lodfs("info", "--json", store).stdout)["samples"]
    wanted = {"tar": 0, "recordio": 2, "tfrecord": 0}
    results.add("refused: counts", [] if told.get("not_in") == wanted else [told])
    lines = re.findall("^  not in .*/: .*$", lodfs("info", store).stdout.decode(), re.MULTILINE)
    wanted = ["  not in recordio/: 2 samples with over 4,096 of its magic words, or 512 MiB"]
    results.add("refused: text", [] if lines == wanted else [lines])


def main():
    return run(check, more=refused)


if __name__ == "__main__":
    sys.exit(main())

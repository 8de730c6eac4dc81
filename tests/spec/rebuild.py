# SPDX-License-Identifier: Apache-2.0
"""Packs a random tree and makes its index and manifest again from the records alone, by FORMAT.md.

They must be the same, byte for byte. Every hash is checked on the way, and files that are shown
whole must equal those of the source.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import xxhash  # noqa: F401
except ImportError:
    print("skipped: there is no Python module xxhash (Debian: python3-xxhash)")
    sys.exit(77)
sys.path.append(os.path.join(os.path.dirname(__file__), "..", "model"))
import l3_spec
import make_tree
import png_files
import store_spec as spec


def check_manifest(manifest, records, index, store_id, source_bytes, pack, scans):
    assert list(manifest) == spec.KEYS
    assert manifest == {
        "format": "lodfs", "major": 1, "minor": 1, "store_id": spec.as_text(store_id),
        "index_bytes": len(index), "index_hash": f"{spec.hash64(index[:spec.BLOCK]):016x}",
        "records": len(records), "items": sum(record.items for record in records),
        "source_bytes": source_bytes, "pack": pack, "scans": scans}


def check_png(row, segments, source):
    """Checks that the row, the stream's header, the chunks and the PNG made of them match the
    source."""
    (width, height, depth, colour), chunks, rows = png_files.look(source)
    assert spec.struct.unpack("<II", row[8:16]) == (width, height) and row[2] == depth
    assert row[1] == (7 if colour == 3 and b"tRNS" in dict(chunks) else colour)
    samples = png_files.CHANNELS[colour]
    assert segments[7][:11] == spec.struct.pack("<IIBBB", width, height, samples, depth,
                                                row[3] >> 4)
    assert segments[8] == b"".join(png_files.chunk(*chunk) for chunk in chunks)
    made = spec.png_of(row, segments[8], rows)
    assert png_files.look(made) == ((width, height, depth, colour), chunks, rows)


def check_plain(row, segments, source):
    """Checks that the file made of the samples decoded by l3_spec equals the source."""
    assert row[0] & ~spec.HAS_LABEL == 0
    made = spec.plain_of(row, segments[8], l3_spec.Stream(segments[7]).raw())
    assert made == source


def check_files(records, source, kinds):
    """Compares files that are shown whole; returns how many, and how many of them are compressed:
    in one unit, and in several."""
    compared, compressed = 0, [0, 0]
    for record in records:
        for slot, (path, _, _, _) in enumerate(record.entries):
            if record.codec == 0:
                continue
            kept = source.joinpath(os.fsdecode(path)).read_bytes()
            if record.codec == 4 or record.rows[slot][0] & spec.WHOLE:
                assert all(record.file(slot, f) == kept for f in (1, 5, 11)), path
                compared += 1
                if record.codec == 4 and record.rows[slot][1]:
                    compressed[len(kept) > spec.raw_spec.UNIT] += 1
            elif record.codec == 2:
                check = check_plain if record.rows[slot][40] else check_png
                check(record.rows[slot], record.segments[slot], kept)
                compared += 1
            else:
                assert kinds[path] != "whole", path
    return compared, compressed


def make_many(source, kinds):
    """Makes enough nodes, items and names for several blocks of each section."""
    folder = source / "many"
    folder.mkdir()
    for i in range(1500):
        (folder / f"file-{i * 7919 % 1500:04d}-{'x' * (i % 100)}").write_text(f"{i}")
        if i % 10 == 0:
            (folder / f"link-{i:04d}").symlink_to("y" * (1 + i * 7 % 3825))
    kinds.update({b"many/" + os.fsencode(entry.name): "whole" for entry in folder.iterdir()})


def give_labels(source, kinds, folder):
    """Returns options: some files have labels of their own, and one folder is a split."""
    store, labels = f"{folder}/first", os.path.join(os.fsencode(folder), b"labels")
    subprocess.run([os.environ["LODFS"], "pack", source, store], check=True,
                   stdout=subprocess.DEVNULL)
    records = [spec.Record(path) for path in sorted(pathlib.Path(store, "records").iterdir())]
    paths = [path for record in records if record.codec in (1, 2)
             for path, *_ in record.entries if not set(path) & {9, 10}]
    with open(labels, "wb") as out:
        for i, path in enumerate(paths[::2]):
            out.write(path + b"\t%d\n" % ((-1, 0, 7, 2**31 - 1)[i % 4]))
    top = next(path.partition(b"/")[0] for path in paths if b"/" in path)
    assert len(paths) > 20 and kinds
    escaped = b"".join(b"\\%03o" % byte for byte in top)
    return [b"--labels=" + labels, b"--splits=" + escaped]


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-spec-") as folder:
        source, store = pathlib.Path(folder, "source"), pathlib.Path(folder, "store")
        source.mkdir()
        kinds = make_tree.make(os.fsencode(source), int(sys.argv[1]), 2)
        make_many(source, kinds)
        options = [] if sys.argv[1] == "1" else ["--order=path", "--seed=5",
                                                 *give_labels(source, kinds, folder)]
        subprocess.run([os.environ["LODFS"], "pack", *options, source, store], check=True,
                       stdout=subprocess.DEVNULL)
        records = [spec.Record(path) for path in sorted(store.joinpath("records").iterdir())]
        pack, scans, entries = spec.tree_list(records[0].segments[0][0])
        index, store_id, source_bytes = spec.make_index(records, entries, pack)
        assert index == store.joinpath("index").read_bytes()
        check_manifest(json.loads(store.joinpath("manifest.json").read_text()), records, index,
                       store_id, source_bytes, pack, scans)
        compared, compressed = check_files(records, source, kinds)
        assert compared and all(compressed)
        print(f"{len(records)} records, {len(index)} bytes of index made again, "
              f"{compared} files compared, compressed ones of a unit and of several: {compressed}")


main()

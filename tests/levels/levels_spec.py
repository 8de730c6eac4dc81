# SPDX-License-Identifier: Apache-2.0
"""
Reads stores with levels, written only from FORMAT.md, and compares the files that it makes with
those that lodfs unpacks at q1 .. q10 and full. Pillow decodes the JPEGs: with the same libjpeg, to
the same pixels.
"""
import io
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import zlib

try:
    import xxhash  # noqa: F401
    from PIL import Image
except ImportError as error:
    print(f"SKIP: {error} (Debian: python3-xxhash, python3-pil)")
    sys.exit(77)
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "..", "spec"), os.path.join(HERE, "..", "model")]
import level_images
import png_files
import store_spec as spec

WORD = b"\x0a\x23\xd7\xce"


def pixels_of(jpeg, width, height, colour):
    image = Image.open(io.BytesIO(jpeg))
    assert image.format == "JPEG" and image.info.get("progressive") == 1
    assert image.size == (width, height) and image.mode == ("RGB" if colour == 2 else "L")
    return image.tobytes()


def word_free(row):
    """Returns a row of samples after step 2 of Levels."""
    row = bytearray(row)
    for i, sample in enumerate(row):
        if sample == 0xce and (i == 0 or row[i - 1] == 0xd7):
            row[i] = 0xcf
    if row[-1] in (0x0a, 0x23, 0xd7):
        row[-1] += 1
    return bytes(row)


def samples_of(row, segments, level):
    """Returns the rows of an image at a level, in the container's order of samples."""
    colour, (width, height) = row[1], struct.unpack("<II", row[8:16])
    around, sizes = struct.unpack("<I", row[24:28])[0], spec.levels_of(row)
    assert segments[0][:around] == segments[8]
    assert [len(s) for s in segments[:7]] == [around + sizes[0], *sizes[1:]]
    jpeg = segments[0][around:] + b"".join(segments[1:level]) + b"\xff\xd9"
    data, step = pixels_of(jpeg, width, height, colour), width * (3 if colour == 2 else 1)
    rows = [bytearray(data[step * y:step * (y + 1)]) for y in range(height)]
    if row[40] == 2:
        for line in rows:
            line[0::3], line[2::3] = line[2::3], line[0::3]
    return [word_free(line) for line in rows]


def file_of(row, segments, level):
    """Returns the file of an item with levels at a level, 1 .. 7."""
    rows = samples_of(row, segments, level)
    if row[40]:
        return spec.plain_of(row, segments[8], b"".join(rows))
    while True:
        # The sums of a row are those of the exact image, so they are replaced.
        sums = struct.pack("<II", *sums_of(row, rows))
        made = spec.png_of(row[:28] + sums + row[36:], segments[8], rows)
        at = len(made) - 20
        if not any(made[i:i + 4] == WORD for i in range(at + -at % 4, at + 5, 4)):
            return made
        last = rows[-1][-1] + 1 & 255
        rows[-1] = rows[-1][:-1] + bytes([last + (last in (0x0a, 0x23, 0xd7))])


def sums_of(row, rows):
    """Returns the CRC of IDAT and the Adler-32, from bands of stored blocks."""
    side, data = 1 << (row[3] >> 4), b"IDAT\x78\x01"
    for first in range(0, len(rows), side):
        band = b"".join(b"\0" + line for line in rows[first:first + side])
        for at in range(0, len(band), 65535):
            block = band[at:at + 65535]
            last = first + side >= len(rows) and at + 65535 >= len(band)
            data += struct.pack("<BHH", last, len(block), len(block) ^ 0xffff) + block
    adler = zlib.adler32(b"".join(b"\0" + line for line in rows))
    return zlib.crc32(data + struct.pack(">I", adler)), adler


def shown(row, segments, fidelity):
    """Returns the number of the level that a fidelity shows; 0: it shows the exact image."""
    levels = spec.levels_of(row)
    return max((k for k in range(1, min(fidelity, 7) + 1) if levels[k - 1]), default=0) \
        if fidelity < 10 else 0


def exact(data, source):
    """Compares a file at full with its source: PNGs have other bytes of the same pixels."""
    if source[:8] == png_files.SIGNATURE and data != source:
        return png_files.look(data) == png_files.look(source)
    return data == source


def check(source, records, unpacked, named):
    """Compares all files at a fidelity; yields the paths of those with levels."""
    fidelity = int(unpacked.name[1:]) if unpacked.name[0] == "q" else 11
    for record in records:
        for slot, (path, *_) in enumerate(record.entries if record.codec == 2 else ()):
            name = os.fsdecode(path)
            row, segments = record.rows[slot], record.segments[slot]
            data, kept = (unpacked / name).read_bytes(), (source / name).read_bytes()
            level = shown(row, segments, fidelity)
            if any(spec.levels_of(row)):
                yield name
            if level:
                assert data == file_of(row, segments, level), (name, fidelity)
                assert len(data) == (unpacked.parent / "full" / name).stat().st_size, name
            else:
                assert exact(data, kept), (name, fidelity)
            assert fidelity >= 10 or bool(level) == (name in named), (name, fidelity)


def rebuilt(store, records):
    """The index equals the one that a writer makes from only the records."""
    pack, _, entries = spec.tree_list(records[0].segments[0][0])
    assert spec.make_index(records, entries, pack)[0] == (store / "index").read_bytes()


def check_records(records):
    """A record with levels has only files that --levels names, some of which may have got none."""
    for record in records[1:]:
        with_levels = [any(spec.levels_of(row)) for row in record.rows] if record.codec == 2 else []
        assert not any(with_levels) or all(
            os.fsdecode(path).startswith(("train/photos", "val/photos"))
            for path, *_ in record.entries)


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-spec-") as folder:
        source, store = pathlib.Path(folder, "source"), pathlib.Path(folder, "store")
        named, _ = level_images.make(source)
        subprocess.run([os.environ["LODFS"], "pack", "-q", "--record-size=300K",
                        "--levels=*/photos/*", source, store], check=True)
        records = [spec.Record(path) for path in sorted(store.joinpath("records").iterdir())]
        rebuilt(store, records)
        check_records(records)
        for fidelity in ("full", *(f"q{k}" for k in range(1, 11))):
            unpacked = pathlib.Path(folder, fidelity)
            subprocess.run([os.environ["LODFS"], "unpack", "-q", f"--fidelity={fidelity}", store,
                            unpacked], check=True)
            found = list(check(source, records, unpacked, set(named)))
            assert sorted(found) == sorted(named)
        print(f"{len(named)} images with levels in {len(records)} records, at 11 fidelities")


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""decoded/: files have the pixels that PIL decodes at the same fidelity, and unique names."""
import ast
import io
import json
import os
import struct
import sys
import threading

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import read, write

try:
    from PIL import Image
except ImportError:
    skip("PIL is not installed (Debian: python3-pil)")

FIDELITIES = ["q1", "q4", "q10", "full"]
KEPT = ["labels.csv", "taken.ppm", "notes", "broken.jpg", "clash.jpg.ppm"]


def picture(mode, width, height, noisy=.2):
    """Returns an image that is smooth and noisy at once, so that every scan has coefficients."""
    small = Image.frombytes("RGB", (8, 8), os.urandom(192)).resize((width, height))
    noise = Image.frombytes("RGB", (width, height), os.urandom(3 * width * height))
    return Image.blend(small, noise, noisy).convert(mode)


def jpeg(mode="RGB", size=(120, 90), **options):
    out = io.BytesIO()
    picture(mode, *size).save(out, "JPEG", **{"quality": 90, **options})
    return out.getvalue()


def png(mode, size=(200, 150), **options):
    """Returns a smooth PNG of low compression. Patches are smaller, so it is not stored whole."""
    out = io.BytesIO()
    few = mode in ("P", "1")
    image = picture("L" if mode in ("1", "I;16") else "RGB" if mode == "P" else mode, *size,
                    0 if few else .2)
    if mode == "P":
        image = image.quantize(60)
    elif mode == "1":
        image = image.convert("1", dither=Image.Dither.NONE)
    elif mode == "I;16":
        wide = b"".join(struct.pack("<H", 200 * value) for value in image.tobytes())
        image = Image.frombytes("I;16", size, wide)
    image.save(out, "PNG", **{"compress_level": 0, **options})
    return out.getvalue()


def make_source(folder):
    """Writes the files. Returns {name: its name in decoded/} of all pictures."""
    exif = Image.Exif()
    exif[0x0112] = 6
    pictures = {
        "colour.jpg": (jpeg(), "colour.ppm"),
        "gray.jpeg": (jpeg("L"), "gray.pgm"),
        "cmyk.jpg": (jpeg("CMYK"), "cmyk.npy"),
        "turned.jpg": (jpeg(exif=exif.tobytes()), "turned.ppm"),
        "progressive.JPG": (jpeg(progressive=True, subsampling=0), "progressive.ppm"),
        "narrow.jpg": (jpeg(size=(1, 77)), "narrow.ppm"),
        "large.jpg": (jpeg(size=(1500, 1100), subsampling=2), "large.ppm"),
        "no ending": (jpeg(), "no ending.ppm"),
        "odd.Jpg": (jpeg(), "odd.Jpg.ppm"),
        "taken.jpg": (jpeg(), "taken.jpg.ppm"),
        "two.jpg": (jpeg(), "two.jpg.ppm"),
        "two.jpeg": (jpeg("L"), "two.jpeg.pgm"),
        "deep/er/two.jpg": (jpeg(), "deep/er/two.ppm"),
        "n" * 252: (jpeg(), "n" * 252),
        "clash.jpg": (jpeg(), "clash.jpg"),
        "clash.png": (b"not a picture", "clash.png"),
    }
    pictures.update({
        "rgb.png": (png("RGB"), "rgb.ppm"),
        "eight.png": (png("L"), "eight.pgm"),
        "bits.png": (png("1", size=(1000, 800)), "bits.pgm"),
        "deep.png": (png("I;16"), "deep.npy"),
        "alpha.png": (png("RGBA"), "alpha.npy"),
        "gray alpha.png": (png("LA"), "gray alpha.npy"),
        "palette.png": (png("P"), "palette.ppm"),
        "clear.png": (png("P", transparency=3), "clear.npy"),
        "photo.png": (png("RGB"), "photo.png.ppm"),
        "photo.jpg": (jpeg(), "photo.jpg.ppm"),
    })
    same = pictures["colour.jpg"][0]
    pictures["same/a.jpg"] = (same, "same/a.jpg.ppm")  # equal files, other names
    pictures["same/a.jpe"] = (same, "same/a.jpe.ppm")
    for name, (data, _) in pictures.items():
        write(f"{folder}/{name}", data)
    write(f"{folder}/labels.csv", b"name,label\n")
    write(f"{folder}/taken.ppm", b"P6\n1 1\n255\nabc")
    write(f"{folder}/notes", b"")
    write(f"{folder}/broken.jpg", pictures["colour.jpg"][0][:900])
    write(f"{folder}/clash.jpg.ppm", b"in the way")
    os.symlink("colour.jpg", f"{folder}/link.jpg")
    return {name: shown for name, (data, shown) in pictures.items()}


def pixels_of(data):
    """Returns (width, height, channels, bytes) of a PGM, PPM or NPY file."""
    if data[:6] == b"\x93NUMPY":
        bytes_ = struct.unpack("<H", data[8:10])[0]
        head = ast.literal_eval(data[10:10 + bytes_].decode())
        height, width, channels = head["shape"]
        assert head["descr"] in ("|u1", "<u2") and not head["fortran_order"]
        return width, height, channels, data[10 + bytes_:]
    kind, sides, top, rest = data.split(b"\n", 3)
    assert top == b"255"
    width, height = map(int, sides.split())
    return width, height, {b"P5": 1, b"P6": 3}[kind], rest


def wanted_of(data):
    image = Image.open(io.BytesIO(data))
    if image.mode == "P":
        image = image.convert("RGBA" if "transparency" in image.info else "RGB")
    elif image.mode == "1":
        image = image.convert("L")
    elif image.mode == "I":  # 16 bits, in 32
        wide = image.tobytes()
        raw = b"".join(wide[at:at + 2] for at in range(0, len(wide), 4))
        return image.width, image.height, 1, raw
    raw = image.tobytes()
    if image.mode == "CMYK":  # PIL inverts the values, as Adobe's files have them
        raw = bytes(255 - value for value in raw)
    return image.width, image.height, len(image.getbands()), raw


def names(point, shown, trees):
    for tree in trees:
        found = {os.path.relpath(os.path.join(folder, name), tree)
                 for folder, _, files in os.walk(tree) for name in files}
        wanted = set(shown.values()) | set(KEPT) | {"link.jpg"}
        for name in sorted(found ^ wanted):
            yield f"{tree} {'lacks' if name in wanted else 'should not have'} {name}"
        if os.path.exists(f"{tree}/colour.jpg"):
            yield f"{tree} resolves the name of a decoded file in the source"
        if not os.path.islink(f"{tree}/link.jpg"):
            yield f"{tree}: a symbolic link is not one"
    if "original" in os.listdir(f"{point}/decoded"):
        yield "decoded/original exists"


def pixels(point, shown):
    for fidelity in FIDELITIES:
        for name, decoded in shown.items():
            path = f"{point}/decoded/{fidelity}/{decoded}"
            data, file = read(path), read(f"{point}/{fidelity}/{name}")
            if len(data) != os.stat(path).st_size:
                yield f"{path}: st_size {os.stat(path).st_size}, {len(data)} bytes read"
            if decoded == name:
                if data != file:
                    yield f"{path}: a file that is not decoded has other bytes"
            elif pixels_of(data) != wanted_of(file):
                yield f"{path}: the pixels differ from those that PIL decodes"
            elif decoded[-4:] != ".npy" and Image.open(path).tobytes() != pixels_of(data)[3]:
                yield f"{path}: PIL reads other pixels from it"
        for name in KEPT:
            if read(f"{point}/decoded/{fidelity}/{name}") != read(f"{point}/full/{name}"):
                yield f"{fidelity}/{name}: a file without pixels has other bytes"


def indices(source, point):
    """A mask with a palette has its numbers of classes at every fidelity, beside decoded/."""
    wanted = Image.open(f"{source}/palette.png")
    for fidelity in FIDELITIES:
        image = Image.open(f"{point}/{fidelity}/palette.png")
        if image.mode != "P" or image.tobytes() != wanted.tobytes():
            yield f"{fidelity}/palette.png: mode {image.mode}, or other numbers"


def made_once(store, point):
    """stat(2) decodes nothing, and a file that eight threads read in parts is decoded once."""
    with Mount(store, point):
        path = f"{point}/decoded/q4/large.ppm"
        size = os.stat(path).st_size
        if size != 1500 * 1100 * 3 + len(b"P6\n1500 1100\n255\n"):
            yield f"st_size is {size}"
        before = made(point)
        if before:
            yield "stat decodes the file"
        whole = read(f"{point}/q4/large.jpg")
        parts = {}

        def read_parts(turn):
            file = os.open(path, os.O_RDONLY)
            for at in range(turn * 5000, size, 400_003):
                parts[at] = os.pread(file, 70_000, at)
            os.close(file)

        readers = [threading.Thread(target=read_parts, args=(turn,)) for turn in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        if made(point) != 1:
            yield f"the file was decoded {made(point)} times"
        data = read(path)
        if pixels_of(data) != wanted_of(whole):
            yield "the pixels differ"
        for at, part in parts.items():
            if part != data[at:at + 70_000]:
                yield f"[{at}, +70000) differs"


def made(point):
    return json.loads(lodfs("stats", "--json", point).stdout)["made"]["units"]


def automatic(point, shown):
    for name in ("q1", "full", "q4"):
        lodfs("set", point, f"auto={name}")
        if os.readlink(f"{point}/decoded/auto") != name:
            yield f"decoded/auto leads to {os.readlink(f'{point}/decoded/auto')}, not {name}"
        path = shown["colour.jpg"]
        if read(f"{point}/decoded/auto/{path}") != read(f"{point}/decoded/{name}/{path}"):
            yield f"a file of decoded/auto is not of {name}"


def sound(store):
    if lodfs("verify", store, check=False).returncode != 0:
        yield "verify finds damage in a sound store"
    before = read(f"{store}/index")
    os.remove(f"{store}/index")
    if lodfs("repair", store, check=False).returncode != 0 or read(f"{store}/index") != before:
        yield "repair makes a different index"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        shown = make_source(source)
        lodfs("pack", "--scans=default", source, store)
        results.add("verify and repair know decoded names", sound(store))
        with Mount(store, point):
            trees = [f"{point}/decoded/{fidelity}" for fidelity in FIDELITIES]
            results.add("names are unique and end in the format", names(point, shown, trees))
            results.add("pixels are those that PIL decodes", pixels(point, shown))
            results.add("masks keep their numbers", indices(source, point))
            results.add("decoded/auto follows auto", automatic(point, shown))
        results.add("a file is decoded once", made_once(store, point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

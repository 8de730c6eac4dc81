# SPDX-License-Identifier: Apache-2.0
"""Random source trees from a seed, with every kind of name, file, link and JPEG.

make(root, seed, megabytes) returns {path as bytes: kind}; the kinds of files are
  jpeg    a JPEG that must be transcoded without loss
  whole   a file that has the source's bytes at every fidelity
  either  a damaged JPEG: `full` decodes as the source does, transcoded or not
  png     a PNG: the same pixels and chunks at every fidelity; in original its bytes, or no file
"""
import io
import os
import random
import subprocess
import tempfile

from PIL import Image, ImageFilter

import plain_files
import png_files

SIDES = [(1, 1), (7, 5), (8, 8), (16, 16), (17, 33), (33, 17), (64, 48), (95, 101), (200, 133)]
SAMPLINGS = ["1x1", "2x1,1x1,1x1", "1x2,1x1,1x1", "2x2,1x1,1x1", "4x1,1x1,1x1", "1x4,1x1,1x1",
             "4x2,1x1,1x1", "2x2,2x1,2x1", "2x2,1x2,1x2", "1x1,2x2,2x2", "3x1,1x1,1x1"]
NAMES = [b"plain", b"with space", b" leading", b"trailing ", b"new\nline", b"tab\tname", b"-dash",
         b"star*", b"quote'\"", b"back\\slash", b"\xff\xfe\x80 not utf-8", "h\u00e4user".encode(),
         "\u5199\u771f".encode(), b"\x1b[31mred", b"a" * 251, b"q5", b"full", b".hidden", b"...",
         b"#", b"%20", b"CON", b"\x01\x02", b"~", b"{}$(id)"]


def run(*command, data=None):
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=True).stdout


def picture(rng, width, height, mode="RGB"):
    """Returns an image with smooth areas, edges and some grain."""
    small = Image.frombytes("RGB", (6, 6), rng.randbytes(108))
    image = small.resize((width, height), Image.BICUBIC)
    grain = Image.frombytes("RGB", (width, height), rng.randbytes(width * height * 3))
    image = Image.blend(image, grain.filter(ImageFilter.SMOOTH), rng.uniform(0, .25))
    image.paste(tuple(rng.randbytes(3)), (width // 3, height // 3, width * 2 // 3, height // 2))
    return image.convert(mode)


def ppm(image):
    out = io.BytesIO()
    image.save(out, "PPM")
    return out.getvalue()


def one_component_a_scan(image, sampling):
    """Returns a baseline JPEG with a scan for each component. An interleaved scan allows at most 10
    blocks in an MCU."""
    with tempfile.NamedTemporaryFile("w", suffix=".scans") as script:
        script.write("0;\n1;\n2;\n")
        script.flush()
        return run("cjpeg", "-sample", sampling, "-scans", script.name, data=ppm(image))


def pil(image, **options):
    out = io.BytesIO()
    image.save(out, "JPEG", **options)
    return out.getvalue()


def segment(marker, payload):
    return b"\xff" + bytes([marker]) + (len(payload) + 2).to_bytes(2, "big") + payload


def after_soi(jpeg, *segments):
    return jpeg[:2] + b"".join(segments) + jpeg[2:]


def exif(orientation, order):
    big = order == "MM"
    half, word = ("big", "big") if big else ("little", "little")
    ifd = ((1).to_bytes(2, half) + (0x112).to_bytes(2, half) + (3).to_bytes(2, half)
           + (1).to_bytes(4, word) + orientation.to_bytes(2, half) + b"\0\0" + b"\0\0\0\0")
    return segment(0xe1, b"Exif\0\0" + order.encode() + (42).to_bytes(2, half)
                   + (8).to_bytes(4, word) + ifd)


def icc(rng, bytes_each):
    parts = len(bytes_each)
    return [segment(0xe2, b"ICC_PROFILE\0" + bytes([i + 1, parts]) + rng.randbytes(n))
            for i, n in enumerate(bytes_each)]


def jpegs(rng):
    """Yields (name, bytes, kind) of JPEGs with every feature, random in size and content."""
    def side():
        return rng.choice(SIDES[2:])

    def quality():
        return rng.choice([5, 40, 75, 85, 95, 100])

    base = pil(picture(rng, *side()), quality=quality())
    for width, height in SIDES:
        yield f"size-{width}x{height}", pil(picture(rng, width, height), quality=quality()), "jpeg"
    for sampling in SAMPLINGS:
        yield (f"sampling-{sampling}", run("cjpeg", "-quality", str(quality()), "-sample", sampling,
                                           data=ppm(picture(rng, *side()))), "jpeg")
    yield "wide-mcu", one_component_a_scan(picture(rng, 95, 101), "4x2,2x2,1x1"), "jpeg"
    gray = picture(rng, *side(), "L")
    yield "gray", pil(gray, quality=quality()), "jpeg"
    yield "gray-2x2", run("cjpeg", "-sample", "2x2", data=ppm(gray)), "jpeg"
    yield "gray-progressive", pil(gray, progressive=True), "jpeg"
    yield "cmyk", pil(picture(rng, *side(), "CMYK"), quality=quality()), "jpeg"
    yield "rgb", run("cjpeg", "-rgb", data=ppm(picture(rng, *side()))), "jpeg"
    yield "progressive", pil(picture(rng, *side()), progressive=True), "jpeg"
    yield "optimised", pil(picture(rng, *side()), optimize=True), "jpeg"
    yield "restart-1", run("cjpeg", "-restart", "1B", data=ppm(picture(rng, *side()))), "jpeg"
    yield "restart-rows", run("cjpeg", "-restart", "1", data=ppm(picture(rng, 200, 133))), "jpeg"
    for orientation in range(1, 9):
        order = rng.choice(["II", "MM"])
        yield f"exif-{orientation}-{order}", after_soi(base, exif(orientation, order)), "jpeg"
    yield "icc", after_soi(base, *icc(rng, [3000])), "jpeg"
    yield "icc-two", after_soi(base, *icc(rng, [65000, 1000])), "jpeg"
    yield "icc-exif", after_soi(base, exif(6, "II"), *icc(rng, [500])), "jpeg"
    yield "comment", after_soi(base, segment(0xfe, b"taken by hand"), segment(0xfe, b"")), "jpeg"
    yield "apps", after_soi(base, *[segment(0xe0 + n, rng.randbytes(rng.randrange(400)))
                                    for n in (3, 4, 9, 12, 13, 15)]), "jpeg"
    yield "trailing", base + rng.randbytes(5000), "jpeg"
    yield "trailing-jpeg", base + pil(picture(rng, 16, 16)), "jpeg"
    yield "trailing-zeros", base + bytes(4096), "jpeg"
    yield "fill-bytes", base[:2] + b"\xff\xff" + base[2:], "jpeg"
    yield "arithmetic", run("jpegtran", "-arithmetic", data=base), "whole"
    yield "truncated", base[:len(base) * 2 // 3], "whole"
    yield "no-eoi", base[:-2], "whole"
    yield "header-only", base[:300], "whole"
    yield "soi-only", b"\xff\xd8\xff", "whole"
    large = bytearray(pil(picture(rng, 200, 133), quality=90))
    for _ in range(3):
        large[rng.randrange(len(large) // 2, len(large) - 2)] ^= 1 << rng.randrange(8)
    yield "flipped", bytes(large), "either"


def pngs(rng):
    """Yields (name, bytes, kind) of PNGs. Patches are smaller than some, larger than others."""
    for colour, depth in png_files.KINDS:
        width, height = rng.choice(SIDES)
        interlaced = rng.randrange(2)
        yield (f"png-{colour}-{depth}-{interlaced}-{width}x{height}", png_files.make(
            rng, colour, depth, interlaced, width, height, rng.choice([0, 0, 6]),
            rng.choice([0, 30])), "png")
    for side in (127, 128, 129):
        yield f"png-{side}", png_files.make(rng, 2, 8, 0, side, 2 * side, 0), "png"
    grain = Image.frombytes("RGB", (700, 600), rng.randbytes(700 * 600 * 3))
    grain = Image.blend(picture(rng, 700, 600), grain, .05)
    for name, level in (("large", 6), ("large-stored", 0)):
        png = io.BytesIO()
        grain.save(png, "PNG", compress_level=level)
        yield f"png-{name}", png.getvalue(), "png"
    base = png_files.make(rng, 2, 8, 0, 60, 50, 0)
    at = base.index(b"IDAT") - 4
    yield "png-named.jpg", base, "png"
    yield "png-animated", base[:at] + png_files.chunk(b"acTL", bytes(8)) + base[at:], "whole"
    yield "png-unsafe", base[:at] + png_files.chunk(b"prIV", b"x") + base[at:], "whole"
    yield "png-trailing", base + b"more", "whole"
    yield "png-truncated", base[:-20], "whole"
    yield "png-wrong-crc", base[:at + 30] + bytes([base[at + 30] ^ 1]) + base[at + 31:], "whole"
    yield "png-header-only", base[:33], "whole"
    yield "png-signature", base[:8], "whole"


def plains(rng):
    """Yields (name, bytes) of PNM and BMP files. All keep their bytes, in patches or stored
    whole."""
    for number, (ending, kind) in enumerate(plain_files.KINDS):
        width, height = rng.choice(SIDES)
        yield f"plain-{number}-{width}x{height}{ending}", plain_files.make(
            rng, width, height, **kind, tail=rng.choice([b"", b"tail"]))
    for name, data, _ in plain_files.strange(rng):
        yield f"plain-{name}", data


def others(rng):
    """Yields (name, bytes) of files that are no images, with sizes around every boundary. Some are
    compressed, in one unit or in several, of which one cannot be."""
    yield "empty", b""
    yield "empty.jpg", b""
    yield "labels.csv", b"file,label\n" + b"a.jpg,1\n" * rng.randrange(1, 2000)
    for size in (1, 2, 4095, 4096, 4097, 65535, 65536, 65537, 131072 + 7):
        yield f"bytes-{size}", rng.randbytes(size)
    yield "zeros", bytes(300000)
    for size in (131072, 131073, 262144):
        yield f"text-{size}", (b"%d words " % size * size)[:size]
    yield "mixed.txt", b"text " * 200000 + rng.randbytes(200000) + b"text " * 1000


class Maker:
    def __init__(self, root, seed):
        self.root = os.fsencode(root)
        self.rng = random.Random(seed)
        self.kinds = {}
        self.folders = [b""]

    def path(self, relative):
        return os.path.join(self.root, relative)

    def name(self, stem, suffix=b""):
        """Returns an unused path in a random folder. Four names in ten are odd ones of NAMES."""
        folder = self.rng.choice(self.folders)
        if self.rng.random() < .4:
            stem = self.rng.choice(NAMES)
        while True:
            relative = os.path.join(folder, stem[:255 - len(suffix)] + suffix)
            if relative not in self.kinds:
                return relative
            stem = b"%d-" % self.rng.randrange(1000) + stem[:240]

    def folder(self, relative):
        os.mkdir(self.path(relative))
        self.kinds[relative] = "folder"
        self.folders.append(relative)

    def file(self, relative, data, kind):
        with open(self.path(relative), "wb") as file:
            file.write(data)
        self.kinds[relative] = kind

    def link(self, relative, target):
        os.symlink(target, self.path(relative))
        self.kinds[relative] = "link"

    def make_folders(self):
        for i in range(8):
            self.folder(self.name(b"folder-%d" % i))
        deep = b"deep"
        for i in range(self.rng.choice([40, 200])):
            self.folder(deep)
            deep = os.path.join(deep, b"d%d" % (i % 10))
        self.folders = [f for f in self.folders if f.count(b"/") < 20] + self.folders[-1:]
        for i in range(3):
            relative = self.name(b"empty-%d" % i)
            os.mkdir(self.path(relative))
            self.kinds[relative] = "folder"

    def make_files(self):
        for name, data, kind in jpegs(self.rng):
            suffix = self.rng.choice([b".jpg", b".jpeg", b".JPG", b""])
            self.file(self.name(name.encode(), suffix), data, kind)
        for name, data, kind in pngs(self.rng):
            self.file(self.name(name.encode(), self.rng.choice([b".png", b""])), data, kind)
        for name, data in plains(self.rng):
            self.file(self.name(name.encode()), data, "whole")
        for name, data in others(self.rng):
            self.file(self.name(name.encode()), data, "whole")
        self.file(b"n" * 255, b"a name as long as names can be", "whole")

    def make_large(self, megabytes):
        block = self.rng.randbytes(1 << 20)
        relative = self.name(b"large.bin")
        with open(self.path(relative), "wb") as file:
            for i in range(megabytes):
                file.write(block if i % 10 == 0 else i.to_bytes(4, "little") * (1 << 18))
        self.kinds[relative] = "whole"

    def make_equals(self):
        """Makes equal files and hard links. Each has the kind of its contents."""
        files = [p for p, k in self.kinds.items() if k in ("jpeg", "png", "whole")]
        for source in self.rng.sample(sorted(files), 8):
            copy = self.name(b"copy-of-" + os.path.basename(source)[:200])
            with open(self.path(source), "rb") as file:
                self.file(copy, file.read(), self.kinds[source])
        for source in self.rng.sample(sorted(files), 5):
            hard = self.name(b"hard-" + os.path.basename(source)[:200])
            os.link(self.path(source), self.path(hard))
            self.kinds[hard] = self.kinds[source]

    def make_links(self):
        inside = sorted(p for p, k in self.kinds.items() if k != "link" and p.count(b"/") < 5)
        for i, target in enumerate(self.rng.sample(inside, 5)):
            relative = self.name(b"link-%d" % i)
            start = os.path.dirname(relative) or b"."
            self.link(relative, os.path.relpath(target, start))
        self.link(self.name(b"dangling"), b"nothing-here")
        self.link(b"link-to-itself", b"link-to-itself")

    def set_times_and_modes(self):
        for relative in sorted(self.kinds, reverse=True):
            path = self.path(relative)
            if self.kinds[relative] != "link":
                folder = self.kinds[relative] == "folder"
                os.chmod(path, self.rng.choice([0o755, 0o700, 0o555] if folder
                                               else [0o644, 0o600, 0o444, 0o755]))
            stamp = self.rng.choice([0, 1, 10**9 + 1, 1700000000123456789, -5 * 10**9 + 7,
                                     4102444800 * 10**9 + 999999999])
            os.utime(path, ns=(stamp, stamp), follow_symlinks=False)


def make(root, seed, megabytes):
    maker = Maker(root, seed)
    maker.make_folders()
    maker.make_files()
    maker.make_large(megabytes)
    maker.make_equals()
    maker.make_links()
    maker.set_times_and_modes()
    return maker.kinds

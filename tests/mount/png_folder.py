# SPDX-License-Identifier: Apache-2.0
"""A folder of PNGs through a mount: Pillow, OpenCV and torchvision see the source's pixels.

A read of a range decodes only the patches it needs, damage costs one image, and hostile files are
stored whole.
"""
import json
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import zlib

import png_files
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from small import Foreground, flip, read, same, write

try:
    import numpy
    from PIL import Image
except ImportError:
    skip("PIL or NumPy is not installed (Debian: python3-pil, python3-numpy)")

SECONDS_MAX = 1.0
MEMORY_MAX = 64 << 10  # KiB


def make_source(folder):
    rng = random.Random(6)
    for colour, depth in png_files.KINDS:
        for interlaced in (0, 1):
            name = f"{folder}/kinds/{colour}-{depth}-{interlaced}.png"
            write(name, png_files.make(rng, colour, depth, interlaced, 97, 61, 0))
    y, x = numpy.mgrid[0:1200, 0:2000]
    smooth = numpy.stack([x // 9 + y // 7, x // 5, y // 3], -1) % 256
    grain = numpy.random.default_rng(1).integers(0, 6, smooth.shape)
    os.makedirs(f"{folder}/train/a")
    large = Image.fromarray((smooth + grain).clip(0, 255).astype("uint8"))
    large.save(f"{folder}/train/a/large.png")
    gray = ((smooth[..., 0] * 256 + grain[..., 0] * 40) % 65536).astype("<u2")
    Image.fromarray(gray[:300, :500]).save(f"{folder}/train/a/gray16.png", compress_level=0)
    write(f"{folder}/train/a/broken.png", read(f"{folder}/train/a/large.png")[:5000])


def pillow(source, point):
    for name in sorted(os.listdir(f"{source}/kinds")):
        one = Image.open(f"{source}/kinds/{name}")
        two = Image.open(f"{point}/q1/kinds/{name}")
        for image in (one, two):
            image.load()
            image.info.pop("interlace", None)
        if (one.mode, one.size, one.tobytes(), one.info) != (two.mode, two.size, two.tobytes(),
                                                             two.info):
            yield f"{name}: pixels or metadata differ"
    yield from ([] if read(f"{point}/full/train/a/broken.png") ==
                read(f"{source}/train/a/broken.png") else ["a broken file has other bytes"])


def opencv(source, point, cv2):
    for folder in ("kinds", "train/a"):
        for name in sorted(os.listdir(f"{source}/{folder}")):
            one, two = (cv2.imread(f"{top}/{folder}/{name}", cv2.IMREAD_UNCHANGED)
                        for top in (source, f"{point}/full"))
            if (one is None) != (two is None) or (one is not None and
                                                  not numpy.array_equal(one, two)):
                yield f"{folder}/{name} differs"


def vision(source, point, torchvision, torch):
    one, two = (torchvision.io.read_image(f"{top}/train/a/large.png")
                for top in (source, f"{point}/full"))
    if not torch.equal(one, two):
        yield "read_image: the pixels differ"
    os.unlink(f"{source}/train/a/broken.png")
    folder = torchvision.datasets.ImageFolder(f"{source}/train")
    again = torchvision.datasets.ImageFolder(
        f"{point}/q3/train", is_valid_file=lambda path: "broken" not in path)
    if len(folder) != len(again) or any(a[0].tobytes() != b[0].tobytes() or a[1] != b[1]
                                        for a, b in zip(folder, again)):
        yield "ImageFolder: the images or labels differ"


def decoded(source, point):
    """Compares decoded/, as NumPy and Pillow read it, with the source, as Pillow decodes it."""
    for name in sorted(os.listdir(f"{source}/kinds")):
        stem = f"{point}/decoded/q7/kinds/{name[:-4]}"
        ending = next(e for e in (".pgm", ".ppm", ".npy") if os.path.exists(stem + e))
        data = (numpy.load(stem + ".npy") if ending == ".npy"
                else numpy.asarray(Image.open(stem + ending)))
        colour, depth = map(int, name.split("-")[:2])
        image = Image.open(f"{source}/kinds/{name}")
        if (depth == 16 and colour != 0) or (colour, depth) in ((0, 2), (0, 4)):
            continue  # Pillow cannot hold such images
        mode = {(0, 16): None, 3: "RGBA" if data.ndim == 3 and data.shape[2] == 4 else "RGB"}
        mode = mode.get((colour, depth), mode.get(colour, {0: "L", 2: "RGB", 4: "LA",
                                                           6: "RGBA"}.get(colour)))
        want = numpy.asarray(image.convert(mode) if mode else image)
        if not numpy.array_equal(data.reshape(want.shape), want):
            yield f"{name} as {ending} differs"


def ranges(source, store, point):
    """Random ranges of a large PNG are right, and one of them reads a small part of the store."""
    whole = read(f"{point}/full/train/a/large.png")
    stored = sum(entry.stat().st_size for entry in os.scandir(f"{store}/records"))
    with open(f"{point}/q2/train/a/large.png", "rb") as file:
        for _ in range(300):
            at, count = random.randrange(len(whole)), random.choice([1, 100, 5000, 200_000])
            if os.pread(file.fileno(), count, at) != whole[at:at + count]:
                yield f"{count} bytes at {at} differ"
    lodfs("umount", point)
    # On a busy machine the store may be measured slow. Its whole record is then fetched, unless
    # that is too large for the cache.
    lodfs("mount", store, point, "-o", f"cache_size={stored * 2 // 3}")
    with open(f"{point}/full/train/a/large.png", "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        if os.pread(file.fileno(), 4096, 2_000_000) != whole[2_000_000:2_004_096]:
            yield "4096 bytes of a fresh mount differ"
    used = json.loads(read(f"{point}/.lodfs/stats"))["store"]["bytes"]
    if used > stored / 4:
        yield f"a range of 4096 bytes read {used} of {stored} bytes of the store"


def damage(store, point, log, good):
    """A flipped bit in each quarter of the L3 record: one image fails, with EIO and a log line."""
    record = next(f"{store}/records/{name}" for name in os.listdir(f"{store}/records")
                  if name.endswith(".l3"))
    for quarter in range(4):
        at = os.stat(record).st_size * (2 * quarter + 1) // 8
        flip(record, at)
        with Foreground(store, point, log):
            failed = [path for path, data in good.items() if not same(f"{point}/{path}", data)]
        flip(record, at)
        names = {path.split("/", 1)[1] for path in failed}
        if len(names) != 1:
            yield f"a bit at {at}: not one image failed, but {sorted(names)}"
        if b"error" not in read(log):
            yield f"a bit at {at}: the damage is not logged"


def zeros(width, height, chunks=()):
    """Returns a gray PNG of zeros at the highest compression."""
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range((width + 1) * height >> 20))
    data += packer.compress(bytes((width + 1) * height % (1 << 20))) + packer.flush()
    return png_files.SIGNATURE + b"".join([
        png_files.chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)), *chunks,
        png_files.chunk(b"IDAT", data), png_files.chunk(b"IEND", b"")])


def hostile_files():
    text = b"text\0\0" + zlib.compress(bytes(200 << 20), 9)
    small = png_files.make(random.Random(1), 2, 8, 0, 60, 60, 0, 1)
    yield "bomb", zeros(20000, 20000)
    texts = [png_files.chunk(b"zTXt", text), png_files.chunk(b"iCCP", text)]
    yield "text", zeros(9000, 9000, texts)
    yield "tiny-chunks", small
    yield "wrong-crc", small[:-30] + bytes([small[-30] ^ 1]) + small[-29:]
    yield "claims", png_files.SIGNATURE + png_files.chunk(b"IHDR", struct.pack(
        ">IIBBBBB", 0x7fffffff, 0x7fffffff, 16, 6, 0, 0, 1)) + small[33:]
    yield "lengths", small[:33] + b"\xff\xff\xff\xffIDAT" + small[41:]


def peak(pid):
    """Returns the peak resident memory of a process so far in KiB, or 0 if it has ended. rusage
    would be wrong: it includes the memory of this process before exec."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return max([int(line.split()[1]) for line in status if line.startswith("VmHWM:")] + [0])


def pack_alone(source, store):
    """Packs a folder with one thread. Returns (output, seconds of CPU, peak KiB)."""
    memory = 0
    with tempfile.TemporaryFile() as out:
        child = subprocess.Popen([os.environ["LODFS"], "pack", "-v", "-j1", source, store],
                                 stdout=out)
        while not (ended := os.wait4(child.pid, os.WNOHANG))[0]:
            memory = max(memory, peak(child.pid))
            time.sleep(.001)
        child.returncode = os.waitstatus_to_exitcode(ended[1])
        out.seek(0)
        text = out.read().decode()
    assert child.returncode == 0, text
    return text, ended[2].ru_utime + ended[2].ru_stime, memory


def hostile(work):
    """Case 12: each hostile PNG is stored whole and named. It takes at most a second and 64 MiB
    more than an empty file."""
    write(f"{work}/none/file", b"")
    _, base_seconds, base_memory = pack_alone(f"{work}/none", f"{work}/none.lodfs")
    for name, data in hostile_files():
        write(f"{work}/{name}/hostile.png", data)
        text, seconds, memory = pack_alone(f"{work}/{name}", f"{work}/{name}.lodfs")
        if "hostile.png: " not in text:
            yield f"{name}: pack does not name it: {text}"
        if memory - base_memory > MEMORY_MAX:
            yield f"{name}: pack takes {memory - base_memory} KiB more than for an empty file"
        if seconds - base_seconds > SECONDS_MAX:
            yield f"{name}: pack takes {seconds - base_seconds:.2f} s more than for an empty file"
        with Mount(f"{work}/{name}.lodfs", f"{work}/at"):
            for tree in ("q1", "full", "original"):
                if read(f"{work}/at/{tree}/hostile.png") != data:
                    yield f"{name}: the bytes at {tree} differ"


def optional(results, name, module, check):
    try:
        modules = [__import__(word) for word in module.split()]
    except ImportError as error:
        print(f"SKIP: {name}: {error}")
        return
    results.add(name, check(*modules))


def main():
    need_fuse()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    results, began = Results(), time.monotonic()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        make_source(source)
        said = lodfs("pack", source, store).stdout.decode()
        with Mount(store, point):
            results.add("pack says which files have no original",
                        [] if "no original: pixels and metadata are exact" in said else [said])
            results.add("original/ has the files that are stored whole", [] if os.listdir(
                f"{point}/original/train/a") == ["broken.png"] else ["it has other files"])
            results.add("Pillow reads the source's pixels and metadata", pillow(source, point))
            results.add("decoded/ has the source's pixels", decoded(source, point))
            optional(results, "OpenCV", "cv2", lambda cv2: opencv(source, point, cv2))
            optional(results, "torchvision", "torchvision torch",
                     lambda *modules: vision(source, point, *modules))
            results.add("a range reads only what it needs", ranges(source, store, point))
            good = {f"{tree}/kinds/{name}": read(f"{point}/{tree}/kinds/{name}")
                    for tree in ("q1", "full") for name in os.listdir(f"{point}/full/kinds")}
            good |= {f"full/train/a/{name}": read(f"{point}/full/train/a/{name}")
                     for name in os.listdir(f"{point}/full/train/a")}
        results.add("damage costs one image", damage(store, point, f"{work}/log", good))
        results.add("hostile PNGs are stored whole", hostile(work))
    print(f"{time.monotonic() - began:.0f} s")
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""lodfs.l3: the images of native/ as arrays, on the host and on devices, are those of decoded/."""
import os
import pickle
import random
import signal
import sys

import plain_files
import png_files
from mounted import HANG_S, Mount, Results, Work, need_fuse, skip
from mounted import lodfs as run_lodfs
from small import read, write

try:
    import numpy as np
except ImportError:
    skip("there is no NumPy")

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs



def make_source(folder):
    rng = random.Random(5)
    for number, (colour, depth) in enumerate(png_files.KINDS):
        write(f"{folder}/{number}.png", png_files.make(rng, colour, depth, 0, 140 + number, 150))
    for number, (ending, kind) in enumerate(plain_files.KINDS):
        write(f"{folder}/plain{number}{ending}", plain_files.make(rng, 140 + number, 150, **kind))


def pixels_of(path):
    """The array of a .pgm, .ppm or .npy file."""
    if path.endswith(".npy"):
        return np.load(path)
    kind, sides, _, rest = read(path).split(b"\n", 3)
    width, height = map(int, sides.split())
    return np.frombuffer(rest, np.uint8).reshape(height, width, {b"P5": 1, b"P6": 3}[kind])


def images(point, device):
    pictures = [name for name in os.listdir(f"{point}/native/full") if name.endswith(".l3")]
    if len(pictures) < len(png_files.KINDS) // 2:
        yield f"only {pictures} are in L3"
    decoded = {name.split(".")[0]: f"{point}/decoded/full/{name}"
               for name in os.listdir(f"{point}/decoded/full")}
    for name in pictures:
        path, wanted = f"{point}/native/full/{name}", pixels_of(decoded[name.split(".")[0]])
        for source in path, read(path):
            found = lodfs.l3.decode(source, device=device)
            if found.dtype != wanted.dtype or not np.array_equal(found, wanted):
                yield f"{name}: {found.shape} {found.dtype}, not {wanted.shape} {wanted.dtype}"


def refusals(point):
    name = next(name for name in os.listdir(f"{point}/native/full") if name.endswith(".l3"))
    data = read(f"{point}/native/full/{name}")
    for what, wrong in ("nothing", b""), ("cut", data[:-1]), ("longer", data + b"x"), \
            ("no magic", b"x" + data[1:]), ("another width", data[:16] + b"\xff" + data[17:]):
        try:
            lodfs.l3.decode(wrong)
            yield f"{what}: taken"
        except lodfs.LodfsError:
            pass
    try:
        lodfs.l3.decode(data, device="abacus")
        yield "a device that is none: taken"
    except lodfs.LodfsError as error:
        if "abacus" not in str(error):
            yield str(error)


def in_child(device, data, wanted):
    """Says what a forked child finds wrong, whose parent has decoded on the device."""
    if device.kind != "host":
        return f"the device that it inherited is {device.kind}"
    try:
        lodfs.l3.decode(data, device="opencl")
        return "a driver was opened again"
    except lodfs.LodfsError as error:
        if "forked" not in str(error):
            return str(error)
    for name in None, "host":
        if not np.array_equal(lodfs.l3.decode(data, device=name), wanted):
            return f"other pixels with device={name}"
    return ""


def forks(point):
    """A driver does not survive fork: children decode on the host, and none of them hangs."""
    name = next(name for name in os.listdir(f"{point}/native/full") if name.endswith(".l3"))
    data = read(f"{point}/native/full/{name}")
    device, wanted = lodfs.l3.open_device("opencl"), lodfs.l3.decode(data, device="opencl")
    for _ in range(5):
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            signal.alarm(HANG_S)
            said = in_child(device, data, wanted)
            del device
            os.write(writing, said.encode())
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as pipe:
            said = pipe.read().decode()
        if said or os.waitpid(pid, 0)[1]:
            yield said or "a child did not end"
            return
    again = lodfs.l3.decode(data, device="opencl")
    if device.kind != "opencl" or not np.array_equal(again, wanted):
        yield f"the parent's device has become {device.kind}"
    if pickle.loads(pickle.dumps(device)) is not device or "opencl" not in repr(device):
        yield f"a pickle of {device!r} is another"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store, point = (f"{work}/{name}" for name in ("source", "store", "mount"))
        os.mkdir(source)
        make_source(source)
        run_lodfs("pack", "-q", source, store)
        with Mount(store, point, "-o", "gpu=off"):
            results.add("host", images(point, None))
            try:
                lodfs.l3.open_device("opencl")
                results.add("opencl", images(point, "opencl"))
                results.add("forks with opencl", forks(point))
            except lodfs.LodfsError as error:
                print(f"SKIP: opencl: {error}")
            results.add("refusals", refusals(point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

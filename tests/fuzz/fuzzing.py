# SPDX-License-Identifier: Apache-2.0
"""
fuzzing.py replay|fuzz WHAT PROGRAM REPLAY: runs made-up inputs through a fuzz target as a test, or
runs the fuzzer itself for 3 s (60 s by `./check --long`).

A run of the fuzzer begins with small inputs, with seeds of realistic size (fuzz_seeds.py), and with
inputs that earlier runs in this build folder found. Each input that reaches new code is kept in the
folder `corpus` beside the program. A long run then removes inputs that add no coverage. Targets
that read a store use a small one and one of realistic size in turn.

The test fails if an input crashes the target, hangs it, or breaks its property. It also fails if
the seeds of images, shards and streams cover no more code than their first 4 KiB do.
"""
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import zlib

from long import counted, is_long, span
import fuzz_seeds
import level_images
import plain_files
import png_files
from mounted import Work, lodfs
from tiny import FULL, jpeg, make_photos, npy, write

REPLAYS, REPLAYS_LONG = 1_500, 100_000
FUZZ_S, FUZZ_LONG_S = 3, 60
KEPT_SHORT = 150   # inputs of earlier runs that a short run begins with
KEPT_MAX = 20_000  # of one target
LITTLE_MAX = 4096  # bytes; seeds of realistic size must reach more code than their beginning
DEEPER = ("jpeg", "png", "plain", "shard", "patch")
STORES = ("index", "l3", "pcr", "raw", "samples", "toc", "tree", "manifest")


def corpus(work, what, replay):
    folder = f"{work}/corpus"
    os.mkdir(folder)
    if what == "jpeg":
        make_photos(work, random.Random(1))
        os.rename(f"{work}/photos", f"{folder}/photos")
        for number in range(3):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(jpeg(random.Random(number), width=24, height=16))
    elif what == "png":
        for number, (colour, depth) in enumerate(png_files.KINDS):
            write(f"{folder}/{number}", png_files.make(random.Random(number), colour, depth,
                                                       number % 2, 20, 14, 0))
    elif what == "plain":
        for number, (_, kind) in enumerate(plain_files.KINDS):
            write(f"{folder}/{number}", plain_files.make(random.Random(number), 32, 24, **kind))
    else:
        subprocess.run([replay, "corpus", folder], check=True)
    return folder


def make_little(folder):
    """Makes a source with one small file of each kind, as the whole store is read for each
    input."""
    chance = random.Random(5)
    write(f"{folder}/d/photo.jpg", jpeg(chance, width=24, height=16))
    write(f"{folder}/d/photo.txt", b"a caption")  # a member of the photograph's sample
    write(f"{folder}/e/other.jpg", jpeg(chance, width=16, height=24))  # a class of its own
    write(f"{folder}/gray.jpg", jpeg(chance, "-grayscale", width=16, height=16))
    write(f"{folder}/whole.jpg", b"\xff\xd8\xff\xe0 is no photograph")
    write(f"{folder}/picture.png", png_files.make(chance, 2, 8, 0, 24, 70, 0))
    write(f"{folder}/palette.png", png_files.make(chance, 3, 4, 1, 30, 20, 0, 30))
    write(f"{folder}/whole.png", png_files.SIGNATURE)
    write(f"{folder}/scaled.pgm", plain_files.make(chance, 40, 60, 1, 99, b""))
    write(f"{folder}/upward.bmp", plain_files.make(chance, 30, 70, 3, header=40, upward=True))
    write(f"{folder}/palette.bmp", plain_files.make(chance, 50, 90, 1, header=40,
                                                    palette="colour"))
    write(f"{folder}/levels.png",
          level_images.png(level_images.photo(1, 100, 80, 1), 100, 0))
    write(f"{folder}/rows.npy", npy("<f8", 40, 3, struct.pack("<3d", 1, 0, 2.5) * 40))
    write(f"{folder}/words.npy", npy("|u1", 9, 3, chance.randbytes(27)))
    write(f"{folder}/text.csv", b"a,b\n" + b"1,red\n2,\n" * 12)
    write(f"{folder}/text", b"text")
    write(f"{folder}/words.txt", bytes(chance.choices(b"abc \n", k=700)))  # compressed
    write(f"{folder}/zeros", bytes(150_000))  # of two units
    write(f"{folder}/copy", b"text")
    write(f"{folder}/empty", b"")
    os.link(f"{folder}/d/photo.jpg", f"{folder}/hard.jpg")
    os.symlink("d/photo.jpg", f"{folder}/link")


# ------------------------------------------------------------------------------------ fuzzing

def seeds_of(what, work):
    """Returns the folder of seeds. They are made once in a build folder, and again if fuzz_seeds.py
    changes."""
    with open(fuzz_seeds.__file__, "rb") as maker:
        name = f"{what}-{zlib.crc32(maker.read()):08x}"
    folder = f"{os.environ['KEEP']}/seeds/{name}"
    if not os.path.exists(folder):
        made = f"{work}/seeds"
        fuzz_seeds.make(made, what, work)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        shutil.copytree(made, f"{folder}.{os.getpid()}")
        os.rename(f"{folder}.{os.getpid()}", folder)
    return folder


def kept_of(what):
    folder = f"{os.environ['KEEP']}/corpus/{what}"
    os.makedirs(folder, exist_ok=True)
    return folder


def take_kept(what, into):
    """Copies the kept inputs into a folder: all, or in a short run a sample."""
    names = sorted(os.listdir(kept_of(what)))
    if not is_long() and len(names) > KEPT_SHORT:
        names = random.Random(len(names)).sample(names, KEPT_SHORT)
    os.mkdir(into)
    for name in names:
        shutil.copy(f"{kept_of(what)}/{name}", into)


def keep(what, found):
    names = os.listdir(found)
    for name in names[:max(0, KEPT_MAX - len(os.listdir(kept_of(what))))]:
        shutil.copy(f"{found}/{name}", kept_of(what))
    large = sum(os.path.getsize(f"{found}/{name}") > LITTLE_MAX for name in names)
    print(f"{what}: {len(names)} inputs reached new code, {large} of them above 4 KiB; "
          f"{len(os.listdir(kept_of(what)))} are kept")


def merge(what, program):
    """Removes the kept inputs that add no coverage."""
    folder, least = kept_of(what), f"{kept_of(what)}.least"
    shutil.rmtree(least, ignore_errors=True)
    os.mkdir(least)
    done = subprocess.run([program, "-merge=1", f"-max_len={fuzz_seeds.BYTES_MAX}", "-timeout=10",
                           "-rss_limit_mb=2048", "-close_fd_mask=2", least, folder], check=False,
                          capture_output=True)
    if done.returncode == 0 and os.listdir(least):
        shutil.rmtree(folder)
        os.rename(least, folder)


def features(program, bytes_max, *folders):
    """Returns the edges and features that these inputs reach, each input cut to `bytes_max`."""
    done = subprocess.run([program, "-runs=0", f"-max_len={bytes_max}", "-timeout=60",
                           "-rss_limit_mb=2048", "-close_fd_mask=2", *folders], check=False,
                          capture_output=True)
    found = re.findall(rb"INITED cov: (\d+) ft: (\d+)", done.stderr)
    return tuple(map(int, found[-1])) if found else (0, 0)


def deeper(what, program, folder):
    """Returns a list of errors: one if the seeds cover no more code than their first 4 KiB."""
    if not os.listdir(folder):
        return []
    little, large = (features(program, most, folder) for most in (LITTLE_MAX,
                                                                  fuzz_seeds.BYTES_MAX))
    print(f"{what}: {len(os.listdir(folder))} seeds reach {large[0]} edges, {large[1]} features; "
          f"their first 4 KiB {little[0]} and {little[1]}")
    if what in DEEPER and large[1] <= little[1]:
        return [f"FAILED: the seeds cover no more code than their first {LITTLE_MAX} bytes"]
    return []


def fuzz(what, program, stores, work):
    seeds, found = seeds_of(what, work), f"{work}/found"
    os.mkdir(found)
    take_kept(what, f"{work}/kept")
    seconds = max(1, counted(FUZZ_S, FUZZ_LONG_S) // len(stores))
    for store in stores:
        command = [program, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                   "-print_final_stats=1", f"-max_len={fuzz_seeds.BYTES_MAX}", "-close_fd_mask=2",
                   f"-artifact_prefix={os.environ['KEEP']}/{what}-", found, f"{work}/corpus", seeds,
                   f"{work}/kept"]
        done = subprocess.run(command, env=dict(os.environ, LODFS_FUZZ_STORE=store), check=False)
        if done.returncode:
            return done.returncode
    keep(what, found)
    if is_long():
        merge(what, program)
    wrong = deeper(what, program, seeds)
    print("\n".join(wrong))
    return 1 if wrong else 0


def make_store(work, name, make, full=FULL[0]):
    make(f"{work}/{name}.source")
    lodfs("pack", "-q", "--scans=default", f"--full={full}", "--tables=*", "--one-hot",
          "--levels=levels*", "--batch-rows=10", "--shard-rows=200", f"{work}/{name}.source",
          f"{work}/{name}")
    return f"{work}/{name}"


def replayed(program, store, stores):
    """Each way of storing JPEGs gets its share of the count."""
    first, count = span(REPLAYS, REPLAYS_LONG)
    command = [program, str(max(1, count // stores)), str(first)]
    return abs(subprocess.run(command, env=dict(os.environ, LODFS_FUZZ_STORE=store),
                              check=False).returncode)


def main():
    how, what, program, replay = sys.argv[1:]
    with Work() as work:
        stores = [make_store(work, f"store-{full}", make_little, full) for full in FULL]
        os.environ["LODFS_FUZZ_STORE"] = stores[0]
        if how == "replay":
            return max(replayed(program, store, len(stores)) for store in stores)
        if what in STORES:
            stores.append(make_store(work, "large", fuzz_seeds.make_large_source))
        corpus(work, what, replay)
        return fuzz(what, program, stores, work)


if __name__ == "__main__":
    sys.exit(main())

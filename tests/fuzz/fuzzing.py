# SPDX-License-Identifier: Apache-2.0
"""
fuzzing.py replay|fuzz WHAT PROGRAM REPLAY: inputs of a fuzz target as a test, or the fuzzer itself
for 5 s (60 s by `./check --long`) from a corpus made on the spot.
"""
import os
import random
import struct
import subprocess
import sys

from long import counted
import plain_files
import png_files
from mounted import Work, lodfs
from tiny import jpeg, make_photos, npy, write

REPLAYS, REPLAYS_LONG = 1_500, 100_000
FUZZ_S, FUZZ_LONG_S = 5, 60


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
    """One of each kind, as small as can be: what is read for every input."""
    chance = random.Random(5)
    write(f"{folder}/d/photo.jpg", jpeg(chance, width=24, height=16))
    write(f"{folder}/gray.jpg", jpeg(chance, "-grayscale", width=16, height=16))
    write(f"{folder}/whole.jpg", b"\xff\xd8\xff\xe0 is no photograph")
    write(f"{folder}/picture.png", png_files.make(chance, 2, 8, 0, 24, 70, 0))
    write(f"{folder}/palette.png", png_files.make(chance, 3, 4, 1, 30, 20, 0, 30))
    write(f"{folder}/whole.png", png_files.SIGNATURE)
    write(f"{folder}/scaled.pgm", plain_files.make(chance, 40, 60, 1, 99, b""))
    write(f"{folder}/upward.bmp", plain_files.make(chance, 30, 70, 3, header=40, upward=True))
    write(f"{folder}/palette.bmp", plain_files.make(chance, 50, 90, 1, header=40,
                                                    palette="colour"))
    write(f"{folder}/rows.npy", npy("<f8", 40, 3, struct.pack("<3d", 1, 0, 2.5) * 40))
    write(f"{folder}/words.npy", npy("|u1", 9, 3, chance.randbytes(27)))
    write(f"{folder}/text.csv", b"a,b\n" + b"1,red\n2,\n" * 12)
    write(f"{folder}/text", b"text")
    write(f"{folder}/copy", b"text")
    write(f"{folder}/empty", b"")
    os.link(f"{folder}/d/photo.jpg", f"{folder}/hard.jpg")
    os.symlink("d/photo.jpg", f"{folder}/link")


def main():
    how, what, program, replay = sys.argv[1:]
    with Work() as work:
        make_little(f"{work}/source")
        lodfs("pack", "-q", "--scans=default", "--tables=*", "--one-hot", "--batch-rows=10",
              f"{work}/source", f"{work}/store")
        env = dict(os.environ, LODFS_FUZZ_STORE=f"{work}/store")
        if how == "replay":
            command = [program, str(counted(REPLAYS, REPLAYS_LONG))]
        else:
            command = [program, f"-max_total_time={counted(FUZZ_S, FUZZ_LONG_S)}",
                       "-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1",
                       "-max_len=4096", "-close_fd_mask=2",
                       f"-artifact_prefix={os.environ['KEEP']}/{what}-",
                       corpus(work, what, replay)]
        return subprocess.run(command, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())

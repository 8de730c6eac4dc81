#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Our resize beside Pillow's bilinear one, on noise of many shapes: at most one level apart.

RESIZE_OF names the program.
"""
import os
import random
import subprocess
import sys

try:
    from PIL import Image
except ImportError as error:
    print(f"SKIP: {error} (python3-pil)")
    sys.exit(77)

CASES = 60
MODES = {1: "L", 3: "RGB", 4: "CMYK"}


def ours(samples, width, height, channels, to_width, to_height):
    command = [os.environ["RESIZE_OF"], *map(str, (width, height, channels, to_width, to_height))]
    return subprocess.run(command, input=samples, stdout=subprocess.PIPE, check=True).stdout


def main():
    dice, furthest = random.Random(5), 0
    for case in range(CASES):
        channels = dice.choice(list(MODES))
        width, height, to_width, to_height = (int(2 ** dice.uniform(0, 9)) for _ in range(4))
        samples = dice.randbytes(width * height * channels)
        if case % 2:  # the hardest case for rounding: samples are 0 or 255
            samples = bytes(255 * (sample > 127) for sample in samples)
        image = Image.frombytes(MODES[channels], (width, height), samples)
        wanted = image.resize((to_width, to_height), Image.BILINEAR).tobytes()
        given = ours(samples, width, height, channels, to_width, to_height)
        assert len(given) == len(wanted)
        apart = max(abs(a - b) for a, b in zip(given, wanted))
        shape = f"{width} x {height} x {channels} to {to_width} x {to_height}"
        assert apart <= 1, f"{shape}: {apart} levels apart"
        furthest = max(furthest, apart)
    print(f"{CASES} images: at most {furthest} level apart")


main()

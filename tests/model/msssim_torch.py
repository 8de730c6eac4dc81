#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares our MS-SSIM with that of pytorch-msssim, on images of many shapes and kinds of damage.

MSSIM_OF names the program. All sides have 176 pixels or more. On smaller images ours uses fewer
scales than the published function, which tests/unit/codecs/likeness/msssim_golden.py covers.
"""
import os
import random
import subprocess
import sys
import tempfile

try:
    import torch
    from pytorch_msssim import ms_ssim
except ImportError as error:
    print(f"SKIP: {error} (python3-torch; pip install --no-deps pytorch-msssim)")
    sys.exit(77)

ERROR_MAX = 2e-6
CASES = 40


def damage(image, kind, dice):
    """Returns the image with noise, blur, changed contrast, blocks, or inverted."""
    if kind == "noise":
        return image + torch.randn(image.shape) * dice.uniform(1, 80)
    if kind == "blur":
        size = dice.choice([3, 5, 9])
        return torch.nn.functional.avg_pool2d(image[None], size, 1, size // 2)[0]
    if kind == "contrast":
        return image * dice.uniform(0.2, 1.4) + dice.uniform(-40, 40)
    if kind == "blocks":
        small = torch.nn.functional.avg_pool2d(image[None], 8, ceil_mode=True)
        big = torch.nn.functional.interpolate(small, scale_factor=8)
        return big[0][:, : image.shape[1], : image.shape[2]]
    return 255 - image


def picture(channels, height, width, dice):
    """Returns an image of smooth shapes of several sizes."""
    image = torch.zeros(channels, height, width)
    for grain in (4, 16, 64):
        coarse = torch.rand(1, channels, height // grain + 2, width // grain + 2)
        fine = torch.nn.functional.interpolate(coarse, (height, width), mode="bilinear")[0]
        image += fine * dice.uniform(20, 100)
    return image


def samples(image):
    return image.round().clamp(0, 255).to(torch.uint8)


def ours(a, b, folder):
    channels, height, width = a.shape
    paths = []
    for name, image in (("a", a), ("b", b)):
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "wb") as file:
            file.write(bytes(image.permute(1, 2, 0).contiguous().flatten().tolist()))
    shape = [str(n) for n in (width, height, channels)]
    done = subprocess.run([os.environ["MSSIM_OF"], *shape, *paths], check=True,
                          capture_output=True, text=True)
    return float(done.stdout)


def main():
    dice, worst, failed = random.Random(5), 0.0, 0
    torch.manual_seed(5)
    with tempfile.TemporaryDirectory() as folder:
        for case in range(CASES):
            kind = ["noise", "blur", "contrast", "blocks", "negative"][case % 5]
            channels = dice.choice([1, 3, 4])
            height, width = dice.randint(176, 420), dice.randint(176, 420)
            image = picture(channels, height, width, dice)
            a, b = samples(image), samples(damage(image, kind, dice))
            theirs = ms_ssim(a[None].double(), b[None].double(), data_range=255).item()
            error = abs(ours(a, b, folder) - theirs)
            worst = max(worst, error)
            if error > ERROR_MAX:
                failed += 1
                print(f"{kind} {width} x {height} x {channels}: off by {error:.2e} of {theirs:.6f}")
    print(f"{CASES} pairs, {failed} off by more than {ERROR_MAX:g}; largest error {worst:.2e}")
    return failed > 0


sys.exit(main())

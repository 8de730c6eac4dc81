#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the golden values of test_msssim.c with pytorch-msssim 1.0.0 in double precision.

Needs torch and pytorch-msssim. The images follow the formula of test_msssim.c. The published
function refuses sides under 176. For those its parts (the window, one scale's SSIM and contrast, 2
x 2 means) are combined for fewer scales with renormalised weights.
"""
import torch
from pytorch_msssim import ms_ssim
from pytorch_msssim.ssim import _fspecial_gauss_1d, _ssim

WEIGHTS = [0.0448, 0.2856, 0.3001, 0.2363, 0.1333]
SHAPES = [(176, 176, 1), (200, 177, 3), (353, 191, 4), (175, 300, 3), (64, 45, 3), (12, 11, 1)]


def images(width, height, channels):
    """Returns the reference and the distorted image, as (1, channels, height, width)."""
    y = torch.arange(height).view(height, 1, 1)
    x = torch.arange(width).view(1, width, 1)
    c = torch.arange(channels).view(1, 1, channels)
    reference = ((x * x + 3 * y * y) // 37 + x * y // (5 + c) + 40 * c) % 256
    noise = ((x * 2654435761 + y * 2246822519 + c * 3266489917) % 4294967296) >> 24
    distorted = torch.clamp(reference * 3 // 4 + noise // 2 - 30, 0, 255)
    return [t.permute(2, 0, 1)[None].double() for t in (reference, distorted)]


def fewer_scales(a, b, scales):
    window = _fspecial_gauss_1d(11, 1.5).double().repeat([a.shape[1], 1, 1, 1])
    share = sum(WEIGHTS[:scales])
    product = torch.ones(a.shape[1], dtype=torch.double)
    for i in range(scales):
        ssim, contrast = _ssim(a, b, data_range=255, win=window)
        term = ssim if i + 1 == scales else contrast
        product *= torch.relu(term[0]) ** (WEIGHTS[i] / share)
        padding = [side % 2 for side in a.shape[2:]]
        a, b = (torch.nn.functional.avg_pool2d(t, 2, padding=padding) for t in (a, b))
    return product.mean().item()


for width, height, channels in SHAPES:
    a, b = images(width, height, channels)
    side = min(width, height)
    if side >= 176:
        value = ms_ssim(a, b, data_range=255).item()
    else:
        value = fewer_scales(a, b, max(n for n in range(1, 6) if side >> (n - 1) >= 11))
    print(f"    {{{width}, {height}, {channels}, {value:.9f}}},")

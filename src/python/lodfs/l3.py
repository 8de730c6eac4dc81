# SPDX-License-Identifier: Apache-2.0
"""Lossless images out of .l3 files, which native/ of a mount shows, as arrays of H x W x C."""
from __future__ import annotations

import os
from ctypes import byref, c_uint64, c_void_p

import numpy as np

from ._library import DEVICE, RawImage, call


class Device:
    """Where images are decoded: "host", "opencl" or "cuda". A pickle opens the same kind."""

    def __init__(self, name: str) -> None:
        self._handle, self._name = DEVICE(), name
        call("device_open", name.encode(), byref(self._handle))

    def __reduce__(self):
        return open_device, (self._name,)

    def __repr__(self):
        return f"<lodfs.l3.Device {self._name!r}, {self.kind}: {self.label}>"

    @property
    def kind(self) -> str:
        """The kind of the device; "host" once the device has failed, and in a forked child."""
        return call("device_kind", self._handle).decode()

    @property
    def label(self) -> str:
        """The name that the device reports."""
        return call("device_label", self._handle).decode()

    def __del__(self):
        handle, self._handle = self._handle, DEVICE()
        call("device_close", handle)


_devices = {}  # of this process
os.register_at_fork(after_in_child=_devices.clear)


def open_device(name: str) -> Device:
    """Returns the device of this kind, which is opened once in a process. A driver that was opened
    before a fork cannot be opened in the child."""
    if name not in _devices:
        _devices[name] = Device(name)
    return _devices[name]


class DeviceArray:
    """Pixels in the memory of CUDA's device 0. PyTorch, CuPy and others take it as it is
    (torch.as_tensor(array, device="cuda"), cupy.asarray(array)); it lives as long as they do. Copy
    it to the host to pickle it."""

    def __init__(self, address, shape, dtype, owner):
        self._address, self._owner = address, owner
        self.shape, self.dtype = shape, dtype

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": self.dtype.str, "version": 3, "strides": None,
                "data": (self._address, False), "stream": None}

    def __reduce__(self):
        raise TypeError("the memory of a device cannot be pickled or copied: make an array or a "
                        "tensor of it first")

    def __del__(self):
        call("l3_release", self._owner._handle, self._address)


def _look(data):
    info = RawImage()
    call("l3_info", data, len(data), byref(info))
    dtype = np.dtype("|u1" if info.sample_bytes == 1 else "<u2")
    return (info.height, info.width, info.channels), dtype


def decode(source: str | os.PathLike | bytes,
           device: str | None = None) -> np.ndarray | DeviceArray:
    """The pixels of a .l3 file, a path or its bytes.

    device None, "host" or "opencl": a NumPy array. "cuda": a DeviceArray, whose pixels were never
    anywhere else; images with a palette or less than 8 bits are decoded on the host only.
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            source = file.read()
    source = bytes(source)
    shape, dtype = _look(source)
    there = open_device(device) if device not in (None, "host") else None
    if there and there.kind == "cuda":
        address = c_uint64()
        call("l3_decode_there", source, len(source), there._handle, byref(address))
        return DeviceArray(address.value, shape, dtype, there)
    pixels = np.empty(shape, dtype)
    call("l3_decode", source, len(source), there._handle if there else DEVICE(),
         pixels.ctypes.data_as(c_void_p), pixels.nbytes)
    return pixels


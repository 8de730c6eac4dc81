# SPDX-License-Identifier: Apache-2.0
"""liblodfs through ctypes, which releases the GIL during each call; see fs/api/lodfs.h."""
import ctypes
import errno
import os
import pathlib
from ctypes import (POINTER, byref, c_char, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t,
                    c_uint32, c_uint64, c_void_p)
from typing import TypeVar


class LodfsError(OSError):
    """An error of liblodfs, with its errno and its message."""


# Errors for which Python has a class; all others are LodfsError. A class that is no OSError has no
# errno.
ERRORS = {errno.ENOENT: FileNotFoundError, errno.ENOTDIR: NotADirectoryError,
          errno.EISDIR: IsADirectoryError, errno.EACCES: PermissionError,
          errno.ETIMEDOUT: TimeoutError, errno.ENOMEM: MemoryError, errno.EINVAL: ValueError}


class Unsigned(c_uint64):
    """An argument of 64 bits. Plain ctypes would wrap a number that does not fit."""

    @staticmethod
    def check(value):
        if not 0 <= value < 1 << 64:
            raise OverflowError(f"a number from 0 to 2^64 - 1 is expected, not {value}")


class Number(c_uint32):
    """The same with 32 bits."""

    @staticmethod
    def check(value):
        if not 0 <= value < 1 << 32:
            raise OverflowError(f"a number from 0 to 2^32 - 1 is expected, not {value}")


class Text(c_char_p):
    """A text argument. C ends it at the first NUL, so a NUL inside is refused."""

    @staticmethod
    def check(value):
        if b"\0" in value:
            raise ValueError("embedded null byte")


class Message(ctypes.Structure):
    _fields_ = [("message", c_char * 512)]


class RawEntry(ctypes.Structure):
    _fields_ = [("name", c_char * 256), ("kind", c_uint32), ("mode", c_uint32),
                ("bytes", c_uint64), ("mtime_seconds", c_int64), ("mtime_nanoseconds", c_uint32),
                ("reserved", c_uint32)]


class RawImage(ctypes.Structure):
    _fields_ = [("width", c_uint32), ("height", c_uint32), ("channels", c_uint32),
                ("sample_bytes", c_uint32), ("bytes", c_uint64)]


class RawOptions(ctypes.Structure):
    _fields_ = [("size", c_uint32), ("sample", c_uint32), ("crop", c_double), ("target", c_double)]


class RawLevel(ctypes.Structure):
    _fields_ = [("first", c_int32), ("last", c_int32), ("bytes", c_double), ("mssim", c_double),
                ("within", c_double), ("worst_tenth", c_double)]


class RawLikeness(ctypes.Structure):
    _fields_ = [("photographs", c_uint64), ("compared", c_uint32), ("unreadable", c_uint32),
                ("small", c_uint32), ("fidelity", c_int32), ("decided", c_uint32),
                ("count", c_uint32), ("levels", RawLevel * 11), ("large", c_uint64)]


class RawStep(ctypes.Structure):
    _fields_ = [("epoch", c_double), ("rf", c_uint32), ("reserved", c_uint32)]


class RawMet(ctypes.Structure):
    _fields_ = [("policy", c_char * 16), ("shape", c_char * 16), ("epochs", c_double),
                ("band_width", c_double), ("band_scores", c_uint32), ("rf_min", c_uint32),
                ("rf_max", c_uint32), ("patience", c_uint32), ("wait", c_uint32),
                ("steps_count", c_uint32), ("steps", RawStep * 16)]


STORE, FILE, TABLE, DEVICE, ORDER, PASS, MET = (c_void_p,) * 7
ERROR = POINTER(Message)

# Name: result, arguments. A result of c_int is 0 or a negative errno, and the last argument then
# receives the message.
FUNCTIONS = {
    "lodfs_version": (c_char_p, []),
    "lodfs_fidelity": (c_uint32, [Text]),
    "lodfs_store_open": (c_int, [Text, Unsigned, POINTER(STORE), ERROR]),
    "lodfs_store_close": (None, [STORE]),
    "lodfs_stat": (c_int, [STORE, Text, c_int, POINTER(RawEntry), ERROR]),
    "lodfs_list": (c_int, [STORE, Text, c_int, POINTER(c_uint64), POINTER(RawEntry), Unsigned,
                           POINTER(c_size_t), ERROR]),
    "lodfs_read": (c_int, [STORE, Text, c_int, Unsigned, c_void_p, Unsigned,
                           POINTER(c_size_t), ERROR]),
    "lodfs_file_open": (c_int, [STORE, Text, c_int, POINTER(FILE), ERROR]),
    "lodfs_file_bytes": (c_uint64, [FILE]),
    "lodfs_file_read": (c_int, [FILE, Unsigned, c_void_p, Unsigned, POINTER(c_size_t), ERROR]),
    "lodfs_file_close": (None, [FILE]),
    "lodfs_view_stat": (c_int, [STORE, Text, POINTER(RawEntry), ERROR]),
    "lodfs_view_list": (c_int, [STORE, Text, POINTER(c_uint64), POINTER(RawEntry), Unsigned,
                                POINTER(c_size_t), ERROR]),
    "lodfs_view_open": (c_int, [STORE, Text, POINTER(FILE), ERROR]),
    "lodfs_link": (c_int, [STORE, Text, c_char_p, Unsigned, ERROR]),
    "lodfs_likeness": (c_int, [STORE, POINTER(RawOptions), POINTER(RawLikeness), ERROR]),
    "lodfs_table_open": (c_int, [Text, POINTER(TABLE), ERROR]),
    "lodfs_table_open_store": (c_int, [STORE, Text, POINTER(TABLE), ERROR]),
    "lodfs_table_open_bytes": (c_int, [c_char_p, Unsigned, POINTER(TABLE), ERROR]),
    "lodfs_table_close": (None, [TABLE]),
    "lodfs_table_rows": (c_uint64, [TABLE]),
    "lodfs_table_columns": (c_uint64, [TABLE]),
    "lodfs_table_shards": (c_uint32, [TABLE]),
    "lodfs_table_dtype": (c_char_p, [TABLE]),
    "lodfs_table_memory_bytes": (c_uint64, [TABLE]),
    "lodfs_table_stored_bytes": (c_uint64, [TABLE]),
    "lodfs_table_batches": (c_uint64, [TABLE]),
    "lodfs_table_batch_rows": (c_uint64, [TABLE, Unsigned, Unsigned]),
    "lodfs_table_batch_start": (c_uint64, [TABLE, Unsigned]),
    "lodfs_table_elements": (c_int, [TABLE, Unsigned, Unsigned, c_void_p, ERROR]),
    "lodfs_table_dense_f8": (c_int, [TABLE, Unsigned, Unsigned, c_void_p, ERROR]),
    "lodfs_table_dense_f4": (c_int, [TABLE, Unsigned, Unsigned, c_void_p, ERROR]),
    "lodfs_table_scale": (c_int, [TABLE, c_double, POINTER(TABLE), ERROR]),
}
FUNCTIONS |= {
    "lodfs_l3_info": (c_int, [c_char_p, Unsigned, POINTER(RawImage), ERROR]),
    "lodfs_l3_decode": (c_int, [c_char_p, Unsigned, DEVICE, c_void_p, Unsigned, ERROR]),
    "lodfs_l3_decode_there": (c_int, [c_char_p, Unsigned, DEVICE, POINTER(c_uint64), ERROR]),
    "lodfs_l3_release": (None, [DEVICE, Unsigned]),
    "lodfs_device_open": (c_int, [Text, POINTER(DEVICE), ERROR]),
    "lodfs_device_close": (None, [DEVICE]),
    "lodfs_device_kind": (c_char_p, [DEVICE]),
    "lodfs_device_label": (c_char_p, [DEVICE]),
}
FUNCTIONS |= {
    "lodfs_items_of": (c_int, [STORE, c_char_p, Unsigned, c_void_p, ERROR]),
    "lodfs_view_items_of": (c_int, [STORE, c_char_p, Unsigned, c_void_p, ERROR]),
    "lodfs_item_label": (c_int, [STORE, Number, POINTER(c_int32), ERROR]),
    "lodfs_item_path": (c_int, [STORE, Number, c_char_p, Unsigned, ERROR]),
    "lodfs_item_bytes": (c_int, [STORE, Number, c_int, POINTER(c_uint64), ERROR]),
    "lodfs_item_read": (c_int, [STORE, Number, c_int, Unsigned, c_void_p, Unsigned,
                                POINTER(c_size_t), ERROR]),
    "lodfs_order_open": (c_int, [STORE, Text, Unsigned, POINTER(ORDER), ERROR]),
    "lodfs_order_open_items": (c_int, [STORE, c_void_p, Unsigned, Unsigned, POINTER(ORDER), ERROR]),
    "lodfs_order_close": (None, [ORDER]),
    "lodfs_order_items": (c_uint64, [ORDER]),
    "lodfs_order_store": (c_char_p, [ORDER]),
    "lodfs_pass_open": (c_int, [ORDER, Number, Number, Number, POINTER(PASS), ERROR]),
    "lodfs_pass_close": (None, [PASS]),
    "lodfs_pass_items": (c_uint64, [PASS]),
    "lodfs_pass_items_min": (c_uint64, [PASS]),
    "lodfs_pass_items_max": (c_uint64, [PASS]),
    "lodfs_pass_run": (c_uint32, [PASS, c_uint32, c_int, Unsigned]),
    "lodfs_pass_run_count": (c_uint64, [PASS, c_uint32, c_uint32]),
    "lodfs_pass_run_records": (None, [PASS, c_uint32, c_uint32, c_void_p, Unsigned,
                                      POINTER(c_size_t)]),
    "lodfs_pass_run_items": (c_int, [PASS, c_uint32, c_uint32, c_uint32, c_void_p, Unsigned,
                                     POINTER(c_size_t), ERROR]),
}
FUNCTIONS |= {
    "lodfs_met_options": (c_int, [POINTER(RawMet), Text, ERROR]),
    "lodfs_met_open": (c_int, [ORDER, Number, Number, POINTER(RawMet), c_int, Unsigned,
                               POINTER(MET), ERROR]),
    "lodfs_met_state": (c_int, [MET, Unsigned, c_char_p, Unsigned, ERROR]),
    "lodfs_met_load": (c_int, [ORDER, c_char_p, Unsigned, POINTER(MET), ERROR]),
    "lodfs_met_close": (None, [MET]),
    "lodfs_met_epoch": (c_double, [MET, Unsigned]),
    "lodfs_met_count": (c_uint64, [MET]),
    "lodfs_met_items": (c_int, [MET, c_void_p, Unsigned, POINTER(c_size_t), ERROR]),
    "lodfs_met_records": (None, [MET, c_void_p, Unsigned, POINTER(c_size_t), POINTER(c_size_t)]),
    "lodfs_met_report": (c_int, [MET, c_double, ERROR]),
    "lodfs_met_next": (c_int, [MET, c_int, Unsigned, Number, Number, POINTER(c_int32), ERROR]),
}
for _suffix in ("f8", "f4"):
    for _name in ("times_vector", "vector_times"):
        FUNCTIONS[f"lodfs_table_{_name}_{_suffix}"] = (
            c_int, [TABLE, Unsigned, Unsigned, c_void_p, c_void_p, c_void_p, ERROR])
    for _name in ("times_matrix", "matrix_times"):
        FUNCTIONS[f"lodfs_table_{_name}_{_suffix}"] = (
            c_int, [TABLE, Unsigned, Unsigned, c_void_p, c_uint32, c_void_p, c_void_p, ERROR])


def _load():
    """Loads liblodfs: from this package, from the path in LODFS_LIBRARY, or from the system."""
    beside = pathlib.Path(__file__).with_name("liblodfs.so")
    path = os.environ.get("LODFS_LIBRARY") or (str(beside) if beside.exists() else "liblodfs.so.0")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_LIBRARY = _load()


def call(name, *arguments):
    """Calls lodfs_NAME. A function that fails raises LodfsError with its message."""
    function = getattr(_LIBRARY, "lodfs_" + name)
    kind, kinds = FUNCTIONS["lodfs_" + name]
    for expected, value in zip(kinds, arguments):
        if expected in (Unsigned, Number, Text):
            expected.check(value)
    if kind is not c_int:
        return function(*arguments)
    error = Message()
    result = function(*arguments, byref(error))
    if result:
        text = error.message.decode(errors="backslashreplace")
        kind = ERRORS.get(-result, LodfsError)
        raise kind(-result, text) if issubclass(kind, OSError) else kind(text)
    return 0


def version():
    return call("version").decode()


_O = TypeVar("_O", bound="Owner")


class Owner:
    """An object of liblodfs, which `with` closes. `_handle` is set before anything else."""

    _noun: str  # as in lodfs_NOUN_close

    def close(self) -> None:
        """Closes it. No other thread may use it any more. Files and tables of a store stay open."""
        handle, self._handle = self._handle, c_void_p()
        call(f"{self._noun}_close", handle)

    def __enter__(self: _O) -> _O:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def __del__(self):
        if getattr(self, "_handle", None):
            self.close()

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def _opened(self):
        if not self._handle:
            raise ValueError(f"the {self._noun} is closed")
        return self._handle

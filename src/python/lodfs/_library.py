# SPDX-License-Identifier: Apache-2.0
"""liblodfs through ctypes, which lets go of the GIL while it runs; see fs/lodfs.h."""
import ctypes
import os
import pathlib
from ctypes import (POINTER, byref, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_uint32,
                    c_uint64, c_void_p)


class LodfsError(OSError):
    """What went wrong, with the errno of liblodfs and its sentence."""


class Message(ctypes.Structure):
    _fields_ = [("message", c_char * 512)]


class RawEntry(ctypes.Structure):
    _fields_ = [("name", c_char * 256), ("kind", c_uint32), ("mode", c_uint32),
                ("bytes", c_uint64), ("mtime_seconds", c_int64), ("mtime_nanoseconds", c_uint32),
                ("reserved", c_uint32)]


class RawImage(ctypes.Structure):
    _fields_ = [("width", c_uint32), ("height", c_uint32), ("channels", c_uint32),
                ("sample_bytes", c_uint32), ("bytes", c_uint64)]


STORE, TABLE, DEVICE, ERROR = c_void_p, c_void_p, c_void_p, POINTER(Message)

# Name: result, arguments. A result of c_int is 0 or a negative errno, and the last argument then
# takes its sentence.
FUNCTIONS = {
    "lodfs_version": (c_char_p, []),
    "lodfs_fidelity": (c_uint32, [c_char_p]),
    "lodfs_store_open": (c_int, [c_char_p, c_uint64, POINTER(STORE), ERROR]),
    "lodfs_store_close": (None, [STORE]),
    "lodfs_stat": (c_int, [STORE, c_char_p, c_int, POINTER(RawEntry), ERROR]),
    "lodfs_list": (c_int, [STORE, c_char_p, c_int, POINTER(c_uint64), POINTER(RawEntry), c_size_t,
                           POINTER(c_size_t), ERROR]),
    "lodfs_read": (c_int, [STORE, c_char_p, c_int, c_uint64, c_void_p, c_size_t,
                           POINTER(c_size_t), ERROR]),
    "lodfs_link": (c_int, [STORE, c_char_p, c_char_p, c_size_t, ERROR]),
    "lodfs_table_open": (c_int, [c_char_p, POINTER(TABLE), ERROR]),
    "lodfs_table_open_store": (c_int, [STORE, c_char_p, POINTER(TABLE), ERROR]),
    "lodfs_table_open_bytes": (c_int, [c_char_p, c_size_t, POINTER(TABLE), ERROR]),
    "lodfs_table_close": (None, [TABLE]),
    "lodfs_table_rows": (c_uint64, [TABLE]),
    "lodfs_table_columns": (c_uint64, [TABLE]),
    "lodfs_table_shards": (c_uint32, [TABLE]),
    "lodfs_table_dtype": (c_char_p, [TABLE]),
    "lodfs_table_memory_bytes": (c_uint64, [TABLE]),
    "lodfs_table_stored_bytes": (c_uint64, [TABLE]),
    "lodfs_table_batches": (c_uint64, [TABLE]),
    "lodfs_table_batch_rows": (c_uint64, [TABLE, c_uint64, c_uint64]),
    "lodfs_table_batch_start": (c_uint64, [TABLE, c_uint64]),
    "lodfs_table_elements": (c_int, [TABLE, c_uint64, c_uint64, c_void_p, ERROR]),
    "lodfs_table_dense_f8": (c_int, [TABLE, c_uint64, c_uint64, c_void_p, ERROR]),
    "lodfs_table_dense_f4": (c_int, [TABLE, c_uint64, c_uint64, c_void_p, ERROR]),
    "lodfs_table_scale": (c_int, [TABLE, c_double, POINTER(TABLE), ERROR]),
}
FUNCTIONS |= {
    "lodfs_l3_info": (c_int, [c_char_p, c_size_t, POINTER(RawImage), ERROR]),
    "lodfs_l3_decode": (c_int, [c_char_p, c_size_t, DEVICE, c_void_p, c_size_t, ERROR]),
    "lodfs_l3_decode_there": (c_int, [c_char_p, c_size_t, DEVICE, POINTER(c_uint64), ERROR]),
    "lodfs_l3_release": (None, [DEVICE, c_uint64]),
    "lodfs_device_open": (c_int, [c_char_p, POINTER(DEVICE), ERROR]),
    "lodfs_device_close": (None, [DEVICE]),
    "lodfs_device_kind": (c_char_p, [DEVICE]),
    "lodfs_device_label": (c_char_p, [DEVICE]),
}
for _suffix in ("f8", "f4"):
    for _name in ("times_vector", "vector_times"):
        FUNCTIONS[f"lodfs_table_{_name}_{_suffix}"] = (
            c_int, [TABLE, c_uint64, c_uint64, c_void_p, c_void_p, c_void_p, ERROR])
    for _name in ("times_matrix", "matrix_times"):
        FUNCTIONS[f"lodfs_table_{_name}_{_suffix}"] = (
            c_int, [TABLE, c_uint64, c_uint64, c_void_p, c_uint32, c_void_p, c_void_p, ERROR])


def _load():
    """The library of this package, the one that LODFS_LIBRARY names, or the system's."""
    beside = pathlib.Path(__file__).with_name("liblodfs.so")
    path = os.environ.get("LODFS_LIBRARY") or (str(beside) if beside.exists() else "liblodfs.so.0")
    library = ctypes.CDLL(path)
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


_LIBRARY = _load()


def call(name, *arguments):
    """Calls lodfs_NAME. One that can fail raises LodfsError with its sentence."""
    function = getattr(_LIBRARY, "lodfs_" + name)
    if FUNCTIONS["lodfs_" + name][0] is not c_int:
        return function(*arguments)
    error = Message()
    result = function(*arguments, byref(error))
    if result:
        kinds = {-2: FileNotFoundError, -12: MemoryError, -22: ValueError}
        text = error.message.decode(errors="backslashreplace")
        kind = kinds.get(result, LodfsError)
        raise kind(text) if kind in (MemoryError, ValueError) else kind(-result, text)
    return 0


def version():
    return call("version").decode()

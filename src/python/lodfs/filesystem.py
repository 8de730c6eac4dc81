# SPDX-License-Identifier: Apache-2.0
"""A store as a file system of fsspec, which pandas, Dask, Ray, Lightning and others open files by.

    fsspec.open("lodfs://photos.lodfs!q5/cats/1.jpg")            # STORE!PATH, as below a mount
    fsspec.filesystem("lodfs", store="photos.lodfs").ls("q5")    # the same, by paths

STORE is a folder or a URL such as s3://bucket/photos, and ends at the first `!`. Only this module
imports fsspec, which finds it by the entry point of the package.
"""
import datetime
import errno
import os
import posixpath

from fsspec import AbstractFileSystem
from fsspec.utils import stringify_path

from .store import Store

_PREFIX = "lodfs://"
_TYPES = {"file": "file", "folder": "directory", "symlink": "link"}
_LINKS_MAX = 40  # as in the kernel


def _read_only(self, *_args, **_options):
    raise OSError(errno.EROFS, os.strerror(errno.EROFS), self.store.path)


class LodfsFileSystem(AbstractFileSystem):
    """The views of a store, read-only. Files are not buffered: see lodfs.File."""

    protocol = "lodfs"
    root_marker = ""

    def __init__(self, store, cache_bytes=0, **options):
        super().__init__(**options)
        self.store = store if isinstance(store, Store) else Store(store, cache_bytes)

    @classmethod
    def _strip_protocol(cls, path):
        if isinstance(path, list):
            return [cls._strip_protocol(one) for one in path]
        path = stringify_path(path)
        if path.startswith(_PREFIX):
            path = path[len(_PREFIX):].partition("!")[2]
        return path.strip("/")

    @staticmethod
    def _get_kwargs_from_urls(path):
        path = stringify_path(path)
        if not path.startswith(_PREFIX):
            return {}
        return {"store": path[len(_PREFIX):].partition("!")[0]}

    def unstrip_protocol(self, name):
        return f"{_PREFIX}{self.store.path}!{self._strip_protocol(name)}"

    def _describe(self, path, place, entry):
        described = {"name": path, "size": entry.bytes, "type": _TYPES[entry.kind],
                     "mode": entry.mode, "mtime": entry.mtime, "islink": entry.kind == "symlink"}
        if described["islink"]:
            described["destination"] = self._target(place)
        return described

    def _below(self, path):
        """Returns the path in the source, without the folders of the view."""
        names = path.split("/")
        if self.store._place(path, None)[1] is not None:
            return path
        names = names[3:] if names[0] == "parts" else names
        return "/".join(names[2:] if names[0] in ("decoded", "native") else names[1:])

    def _target(self, path):
        """Returns the path that a link points to, which need not exist. No folder above the link
        is a link."""
        text = self.store.link(self._below(path))
        return posixpath.normpath(posixpath.join(posixpath.dirname(path), text))

    def _followed(self, path):
        """Returns the path without links, as realpath does."""
        done, names, links = "", path.split("/"), 0
        while names:
            place = posixpath.join(done, names.pop(0))
            if self.store.stat(place, None).kind != "symlink":
                done = place
                continue
            links += 1
            if links > _LINKS_MAX:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
            done, names = "", self._target(place).split("/") + names
        return done

    def _entry(self, path, follow=True):
        """Returns the entry of a path, and the path without links. follow: the last name may be a
        link too."""
        try:
            entry = self.store.stat(path, None)
        except NotADirectoryError:  # a folder above it is a link
            folder, _, name = path.rpartition("/")
            path = posixpath.join(self._followed(folder), name)
            entry = self.store.stat(path, None)
        if follow and entry.kind == "symlink":
            path = self._followed(path)
            entry = self.store.stat(path, None)
        return entry, path

    def _is(self, path, *kinds):
        try:
            return self._entry(self._strip_protocol(path))[0].kind in kinds
        except OSError:
            return False

    def info(self, path, **_options):
        path = self._strip_protocol(path)
        entry, place = self._entry(path, follow=False)
        return self._describe(path, place, entry)

    def exists(self, path, **_options):
        return self._is(path, "file", "folder")

    def isdir(self, path):
        return self._is(path, "folder")

    def isfile(self, path):
        return self._is(path, "file")

    def ls(self, path, detail=True, **_options):
        path = self._strip_protocol(path)
        entry, place = self._entry(path)
        if entry.kind != "folder":
            found = [self._describe(path, place, entry)]
        else:
            found = [self._describe(posixpath.join(path, one.name),
                                    posixpath.join(place, one.name), one)
                     for one in self.store.list(place, None)]
        return found if detail else [one["name"] for one in found]

    def _open(self, path, mode="rb", **_options):
        if mode != "rb":
            _read_only(self)
        return self.store.open(self._entry(self._strip_protocol(path))[1])

    def cat_file(self, path, start=None, end=None, **_options):
        with self._open(path) as file:
            begin, stop, _ = slice(start, end).indices(file.size)
            file.seek(begin)
            return file.read(max(stop - begin, 0))

    def modified(self, path):
        return datetime.datetime.fromtimestamp(self.info(path)["mtime"], datetime.timezone.utc)

    created = modified  # a file has only one time

    def ukey(self, path):
        """Returns the URL of a path. It identifies the contents, since a store never changes."""
        return self.unstrip_protocol(path)

    mkdir = makedirs = rmdir = rm = rm_file = _rm = mv = copy = cp_file = _read_only
    put = put_file = pipe = pipe_file = touch = _read_only

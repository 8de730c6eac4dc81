# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of stores behind URLs: the files of a store, and those that were read."""
import os
import time

from mounted import Mount, lodfs
from small import files_below, make_source, read

TREES = ("q1", "q5", "full", "original")


def make(work):
    """Returns (source, store) below `work`, which any user may enter."""
    os.chmod(work, 0o755)
    source, store = f"{work}/source", f"{work}/store"
    os.mkdir(source)
    make_source(source)
    lodfs("pack", "--scans=default", source, store)
    return source, store


def timed(point, trees=TREES):
    """{path: bytes, or the number of the error} of every file of a mount, and the longest wait."""
    found, longest = {}, 0.
    for tree in trees:
        for below in files_below(f"{point}/{tree}"):
            name = os.path.join(os.fsencode(tree), below)
            start = time.monotonic()
            try:
                found[name] = read(os.path.join(os.fsencode(point), name))
            except OSError as error:
                found[name] = error.errno
            longest = max(longest, time.monotonic() - start)
    return found, longest


def shown(point, trees=TREES):
    """{path: bytes, or the number of the error} of every file of a mount."""
    return timed(point, trees)[0]


def prepared(work, trees=TREES):
    """Returns a new store, a mount point, and what a mount of the store shows there."""
    _, store = make(work)
    point = f"{work}/mount"
    with Mount(store, point):
        return store, point, shown(point, trees)


def differing(truth, found):
    """Yields what is wrong where everything should be right."""
    if truth.keys() != found.keys():
        yield f"other files: {sorted(truth.keys() ^ found.keys())[:3]}"
    for name in truth.keys() & found.keys():
        if truth[name] != found[name]:
            yield f"{name!r}: {found[name] if isinstance(found[name], int) else 'other bytes'}"


def wrong_bytes(truth, found):
    """Yields what is wrong where a file may fail, but never lie."""
    return (f"{name!r} has other bytes" for name in truth.keys() & found.keys()
            if not isinstance(found[name], int) and truth[name] != found[name])


def fails(words, code, text, env=None):
    """Yields what is wrong with a command that should fail with this code and words."""
    before = dict(os.environ)
    os.environ.update(env or {})
    done = lodfs(*words, check=False)
    os.environ.clear()
    os.environ.update(before)
    output = (done.stdout + done.stderr).decode(errors="replace")
    if done.returncode != code:
        yield f"exit {done.returncode}, not {code}: {output[:300]}"
    if text not in output:
        yield f"'{text}' is not said: {output[:300]}"
    if len(done.stderr.splitlines()) > 1:
        yield f"more than one line: {output[:600]}"

# SPDX-License-Identifier: Apache-2.0
"""A mount that is not possible is refused with one line and an exit code; nothing is mounted."""
import os
import shutil
import sys

from mounted import Results, Work, lodfs, need_fuse
from small import make_store, read, write


def refused(arguments, code, *words):
    """Yields an error unless `lodfs ARGUMENTS` exits with `code` and prints a line with `words`."""
    done = lodfs(*arguments, check=False)
    text = done.stderr.decode(errors="replace")
    if done.returncode != code:
        yield f"exit {done.returncode} instead of {code}: {text}"
    for word in words:
        if word not in text:
            yield f"the message does not contain '{word}': {text}"
    if text.count("\n") != 1:
        yield f"the message is not one line: {text}"


def places(work, store, point):
    cases = [
        ((store, f"{work}/nowhere"), 1, "nowhere", "must be an existing folder"),
        ((store, f"{store}/manifest.json"), 1, "not a folder"),
        ((store, f"{store}/records"), 1, "neither be inside the store"),
        ((store, store), 1, "neither be inside the store"),
        ((store, work), 1, "neither be inside the store"),
        ((store, "/proc"), 1, "a folder of the kernel"),
        ((store, "/sys"), 1, "a folder of the kernel"),
        ((store,), 2, "a STORE and a MOUNTPOINT"),
        ((store, point, point), 2, "a STORE and a MOUNTPOINT"),
    ]
    for places_given, code, *words in cases:
        yield from refused(["mount", *places_given], code, *words)
    odd = os.fsencode(work) + b"/odd\n\x1b"
    yield from refused(["mount", store, odd], 1, "odd\\x0a\\x1b")


def options(store, point):
    for words, *said in (("rw", "rw", "always read-only"), ("what", "what", "unknown"),
                         ("fidelity=q11", "q1 .. q10 or full"), ("cache=x", "kernel or none"),
                         ("gpu=x", "auto, off, opencl or cuda"), ("remount", "mount it again"),
                         ("ro,no-such_word=3", "no-such_word=3", "unknown"),
                         ("nofail", "nofail", "unknown"), ("cache_size=", "cache_size="),
                         ("cache_size=12X", "12X"), ("cache_size", "cache_size"),
                         ("cache_size=99999999999G", "99999999999G"), ("threads=0", "threads=0"),
                         ("threads=65", "threads=65"), ("uid=-1", "uid=-1"), ("uid=root", "root"),
                         ("umask=8", "umask=8"), ("umask=01777", "01777"), ("ro=1", "ro=1"),
                         ("max_read=100", "max_read=100"), ("max_read=2M", "max_read=2M"),
                         ("fsname=", "fsname", "1 to 4,000"), ("subtype=", "1 to 4,000"),
                         ("fsname=" + 4001 * "n", "1 to 4,000")):
        yield from refused(["mount", "-o", words, store, point], 2, *said)


def for_servers(store, point):
    """A bucket without its s3:// looks like a folder."""
    for words in "endpoint=https://host", "region=eu-west-3", "profile=train", "virtual_host":
        yield from refused(["mount", "-o", words, "bucket/key", point], 2, "s3://BUCKET/KEY only")
        yield from refused(["info", "-o", words, "bucket/key"], 2, "s3://BUCKET/KEY only")
        if lodfs("info", "-o", words, store, check=False).returncode:
            yield f"a folder is refused with -o {words}, which the environment may have"


def copy_of(store, name):
    copy = os.path.join(os.path.dirname(store), name)
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    return copy


def stores(work, store, point):
    os.mkdir(f"{work}/empty")
    yield from refused(["mount", f"{work}/none", point], 10, "none")
    yield from refused(["mount", f"{work}/empty", point], 10, "empty")
    yield from refused(["mount", f"{store}/index", point], 10)
    bad = copy_of(store, "not-committed")
    os.remove(f"{bad}/manifest.json")
    yield from refused(["mount", bad, point], 10, "not-committed")
    bad = copy_of(store, "newer")
    text = read(f"{bad}/manifest.json").replace(b'"major"', b'"major_"', 1)
    write(f"{bad}/manifest.json", text)
    yield from refused(["mount", bad, point], 1, "newer")
    bad = copy_of(store, "cut-manifest")
    os.truncate(f"{bad}/manifest.json", 40)
    yield from refused(["mount", bad, point], 1, "cut-manifest")
    bad = copy_of(store, "cut-index")
    os.truncate(f"{bad}/index", os.stat(f"{bad}/index").st_size - 1)
    yield from refused(["mount", bad, point], 1, "cut-index")
    bad = copy_of(store, "flipped-index")
    data = bytearray(read(f"{bad}/index"))
    data[50] ^= 1
    write(f"{bad}/index", bytes(data))
    yield from refused(["mount", bad, point], 1, "flipped-index")


def unmounting(work, point):
    yield from refused(["umount", point], 1, "no lodfs is mounted there")
    yield from refused(["umount", "/proc"], 1, "no lodfs is mounted there")
    yield from refused(["umount", f"{work}/nowhere"], 1, "nowhere")
    yield from refused(["umount"], 2, "one MOUNTPOINT")


def left_over(point):
    return ["something is mounted"] if os.path.ismount(point) else []


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, store, point = make_store(work)
        for name, wrong in (("unusable mount points are refused", places(work, store, point)),
                            ("wrong options are refused", options(store, point)),
                            ("options for S3 with a folder are refused", for_servers(store, point)),
                            ("missing and damaged stores are refused", stores(work, store, point)),
                            ("umount of other folders is refused", unmounting(work, point))):
            results.add(name, [*wrong, *left_over(point)])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

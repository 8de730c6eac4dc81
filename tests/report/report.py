# SPDX-License-Identifier: Apache-2.0
"""lodfs report: the page is whole, valid and loads nothing; names are escaped; bad arguments are
refused.
"""
import json
import os
import resource
import signal
import subprocess
import sys

import page_reader
import stored
import stores
from mounted import Results, Work, lodfs

PAGE_BYTES_MAX = 2000000


def report(store, path, *options):
    return lodfs("report", "-o", path, "--no-progress", *options, store, check=False)


def faults(path, limit=PAGE_BYTES_MAX):
    """Yields what is wrong with any page."""
    read = page_reader.read(path)
    yield from read.wrong
    if os.path.getsize(path) > limit:
        yield f"{os.path.getsize(path)} bytes"
    for image in read.images:
        if not image.startswith(b"\xff\xd8") or not image.endswith(b"\xff\xd9"):
            yield "a picture is no JPEG"


def check_photographs(work, store):
    done = report(store, f"{work}/a.html")
    if done.returncode or not done.stdout.startswith(f"{work}/a.html: ".encode()):
        yield f"exit {done.returncode}, {done.stdout}, {done.stderr}"
        return
    yield from faults(f"{work}/a.html")
    read = page_reader.read(f"{work}/a.html")
    said = json.loads(lodfs("fidelity", "--json", "--size=224", store).stdout)
    name = said["fidelity"]
    if name not in read.answer or "To train at 224 pixels" not in read.answer:
        yield f"the answer is '{read.answer}', lodfs fidelity says {name}"
    for level in said["levels"]:
        if f"{level['mssim']:.4f}" not in read.text:
            yield f"{level} is not in the table"
    levels = [level["fidelity"] for level in said["levels"]]
    shown = len(read.images) // 2
    if len(read.images) % 2 or shown % 4 or not 3 <= shown // 4 <= min(8, len(levels)):
        yield f"{len(read.images)} pictures of 4 photographs at {levels}"
    for words in "112 pixels", "384 pixels", "Own size", "Contents of the store", "Scan scripts":
        if words not in read.text:
            yield f"no '{words}'"


def check_sizes(work, store):
    report(store, f"{work}/s.html", "--size=64", "--size=96", "--size=64", "--no-pictures")
    read = page_reader.read(f"{work}/s.html")
    yield from faults(f"{work}/s.html", 60000)
    if "To train at 64 pixels" not in read.answer or "96 pixels" not in read.text:
        yield f"--size: {read.answer}"
    if "112 pixels" in read.text or read.images:
        yield "sizes or pictures that were not asked for"
    small = report(store, f"{work}/small.html", "--size=16")
    yield from faults(f"{work}/small.html")
    if small.returncode:
        yield f"--size=16: {small.stderr}"
    one, other = report(store, f"{work}/1.html", "-j1"), report(store, f"{work}/3.html", "-j3")
    with open(f"{work}/1.html", "rb") as a, open(f"{work}/3.html", "rb") as b:
        if one.returncode or other.returncode or a.read() != b.read():
            yield "other threads, another page"


def check_hostile(work):
    store = stored.hostile(work)
    done = report(store, f"{work}/h.html")
    if done.returncode:
        yield f"exit {done.returncode}: {done.stderr}"
        return
    yield from faults(f"{work}/h.html")
    read = page_reader.read(f"{work}/h.html")
    for name in "<td>.npy", "<h2>&store'", '"><script>alert(1)<':
        if name not in read.text:
            yield f"{name} is not shown as text"
    if "script>" in open(f"{work}/h.html", encoding="utf-8").read():
        yield "a tag of a stranger's is in the page"
    if any(ord(sign) < 32 and sign != "\n" for sign in read.text):
        yield "a control character is in the page"
    if "\u202e" in read.text:
        yield "a name turns its text around"


def check_others(work):
    for store, answer in ((stored.one(work), "To train at 224 pixels"),
                          (stored.pngs(work), "there is nothing to choose"),
                          (stored.mixed_pngs(work), "To train at 224 pixels"),
                          (stored.tables(work), "there is nothing to choose"),
                          (stored.empty(work), "There are no files")):
        done = report(store, store + ".html")
        if done.returncode:
            yield f"{store}: exit {done.returncode}, {done.stderr}"
            continue
        yield from (f"{store}: {fault}" for fault in faults(store + ".html"))
        read = page_reader.read(store + ".html")
        if answer not in read.answer:
            yield f"{store}: {read.answer}"
        if ("<svg" in open(store + ".html", encoding="utf-8").read()) != ("To train" in answer):
            yield f"{store}: a curve of nothing, or none"
        told = subprocess.run([os.environ["LODFS"], "fidelity", "--size=224", store], text=True,
                              capture_output=True, check=False)
        for text in read.text, told.stdout + told.stderr:
            if ("--levels=" in text) != ("pngs" in store):
                yield f"{store}: --levels is named for photographs among lossless images alone"


def check_levels(work):
    """The page says what lower fidelities of lossless images add, in the words of info."""
    store = stored.levels(work)
    done = report(store, f"{work}/levels.html")
    if done.returncode:
        yield f"exit {done.returncode}: {done.stderr}"
        return
    yield from faults(f"{work}/levels.html")
    said = [line for line in lodfs("info", store).stdout.decode().splitlines()
            if "which add" in line]
    if len(said) != 1 or said[0] not in page_reader.read(f"{work}/levels.html").text:
        yield f"info says {said}, the page does not"


def left(folder):
    return sorted(name for name in os.listdir(folder))


def small_files():
    """A disk on which a file cannot pass 100 KB."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))


def check_output(work, store):
    out = f"{work}/out"
    os.makedirs(out)
    with open(f"{out}/there", "w", encoding="ascii") as file:
        file.write("kept")
    os.mkfifo(f"{out}/pipe")
    before = left(out)
    cases = ((1, ["-o", f"{out}/there"], b"exists already; --force replaces it"),
             (1, ["-o", f"{out}/pipe", "--force"], b"is not a regular file"),
             (1, ["-o", f"{out}/none/a.html"], b"No such file"),
             (2, ["--size=10"], b"takes 11 to 4096"), (2, ["--size=x"], b"takes 11 to 4096"),
             (2, ["--size=-224"], b"takes 11 to 4096"), (2, ["--size="], b"takes 11 to 4096"),
             (2, [f"--size={size}" for size in (32, 64, 96, 128, 160)], b"at most 4 sizes"))
    for code, options, words in cases:
        done = lodfs("report", *options, store, check=False)
        if done.returncode != code or words not in done.stderr or done.stderr.count(b"\n") != 1:
            yield f"{options}: exit {done.returncode}, {done.stderr}"
    words = [os.environ["LODFS"], "report", "--no-progress"]
    done = subprocess.run([*words, "-o", f"{out}/full.html", store], preexec_fn=small_files,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode != 1 or b"cannot write" not in done.stderr:
        yield f"full disk: exit {done.returncode}, {done.stderr}"
    if left(out) != before or open(f"{out}/there", encoding="ascii").read() != "kept":
        yield f"files are left: {left(out)}"
    if os.path.exists("/dev/full"):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([*words, "-o", "-", store], stdout=full, stderr=subprocess.PIPE,
                                  check=False)
        if done.returncode != 1:
            yield f"a full standard output: exit {done.returncode}"
    os.umask(0o027)
    if report(store, f"{out}/there", "--force").returncode or left(out) != before:
        yield "--force does not replace"
    if os.stat(f"{out}/there").st_mode & 0o777 != 0o640:
        yield "the page has another mode than the umask leaves"
    yield from faults(f"{out}/there")
    with open(f"{out}/there", "rb") as file:
        if lodfs("report", "-o-", store).stdout != file.read():
            yield "-o - is another page"


def check_damage(work, store):
    records = sorted(name for name in os.listdir(f"{store}/records") if name.endswith(".pcr"))
    path = f"{store}/records/{records[0]}"
    size = os.path.getsize(path)
    with open(path, "r+b") as file:
        for part in range(3, 9):
            file.seek(size * part // 11)
            byte = file.read(1)[0]
            file.seek(size * part // 11)
            file.write(bytes([byte ^ 255]))
    done = report(store, f"{work}/damaged.html")
    if done.returncode != 3 or b"too few photographs" not in done.stderr:
        yield f"exit {done.returncode}: {done.stderr}"
    yield from faults(f"{work}/damaged.html")
    read = page_reader.read(f"{work}/damaged.html")
    if "No fidelity can be chosen" not in read.answer:
        yield "no answer"
    if "Too few photographs can be compared: of " not in read.text:
        yield f"no sentence says why: {read.text[:300]}"


def main():
    results = Results()
    with Work() as work:
        stored.make_photographs(f"{work}/photos")
        store = stores.pack(f"{work}/photos", f"{work}/store")
        results.add("the answer is that of lodfs fidelity", check_photographs(work, store))
        results.add("sizes and threads", check_sizes(work, store))
        results.add("strangers' names", check_hostile(work))
        results.add("PNGs, tables, one photograph, nothing", check_others(work))
        results.add("levels of lossless images", check_levels(work))
        results.add("the output appears whole or not at all", check_output(work, store))
        results.add("a damaged store", check_damage(work, store))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Tests reports made only from JSON, and the record files of the comparison; part of ./check."""
import html.parser
import json
import os
import re
import subprocess
import sys
import tarfile

import page
import text_report
from mounted import Results, Work
from results import Part, cell

VOID = {"meta", "br"}
SIZES = (0, 1, 511, 512, 513, 40_000, 3_000_000)


def example():
    """Returns a part with every kind of result."""
    part = Part("example", "An <example> & more", "What it is.")
    part.sample("a", {"v": 2.0})
    part.sample("a", {"v": 4.0})
    values = cell(part.samples("a", "v"), "{:.1f}")
    rows = [("lodfs", "ours", [values, None]), ("<peer>", "peer", [values, cell([1e7])])]
    part.table("a table", ["one", "two"], rows)
    part.bars("bars", "files/s", ["one", "two"], rows)
    part.bars("logarithmic", "files/s", ["one", "two"], rows, log=True, mark=(3, "goal"))
    part.bars("nothing", "files/s", ["one"], [("none", "peer", [None])])
    part.lines("lines", "x", "y", ["a", "b"], rows)
    part.goal("reached", [1, 2, 3], at_least=2)
    part.goal("missed", [1, 2, 3], at_most=1)
    part.goal("unknown", [], at_most=1)
    part.skip("something", "it is not there")
    part.note("A note.")
    report = {"facts": {"machine": "2 cores"}, "parts": [part.data]}
    return json.loads(json.dumps(report))


class Balanced(html.parser.HTMLParser):
    """Notes tags that are closed without being opened, and the reverse."""

    def __init__(self):
        super().__init__()
        self.open, self.wrong = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        pass

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> at {self.getpos()}")


def page_is_whole(report):
    text = page.report(report)
    parser = Balanced()
    parser.feed(text)
    yield from parser.wrong + [f"<{tag}> stays open" for tag in parser.open]
    if re.search(r'(src|href)="(?!#)|url\(|@import|<script', text):
        yield "it loads something"
    for words in ("An &lt;example&gt; &amp; more", "Goals: 1 of 3 reached", "not measured",
                  "prefers-color-scheme", "2.0 .. 4.0", "&lt;peer&gt;"):
        if words not in text:
            yield f"'{words}' is missing"
    if text.count("<svg") != 4:
        yield f"{text.count('<svg')} charts"


def text_is_whole(report):
    text = text_report.report(report)
    for words in ("| lodfs | 3.0 (2.0 .. 4.0) | - |", "SKIP: something: it is not there",
                  "| missed | at most 1.00 | 2.00 (1.00 .. 3.00) | no |"):
        if words not in text:
            yield f"'{words}' is missing"


def records(work, kind):
    """Checks that every file comes out of the shards, and that a flipped bit is found."""
    names = []
    for number, size in enumerate(SIZES):
        names.append(f"file{number}")
        with open(f"{work}/{names[-1]}", "wb") as file:
            file.write(os.urandom(size))
    with open(f"{work}/list", "w", encoding="ascii") as file:
        file.writelines(f"{name}\n" for name in names)
    subprocess.run([os.environ["MAKE_RECORDS"], kind, f"{work}/{kind}", "2", work, f"{work}/list"],
                   check=True)
    shards = [f"{work}/{kind}-{number:02}.{kind}" for number in range(2)]
    if kind == "tar":
        found = []
        for shard in shards:
            with tarfile.open(shard) as tar:
                found += [tar.extractfile(member).read() for member in tar]
        wanted = [open(f"{work}/{name}", "rb").read() for name in names[::2] + names[1::2]]
        if found != wanted:
            yield "Python's tarfile finds other files"
    command = [os.environ["READ_RECORDS"], "2", "3", "1"]
    done = subprocess.run(command + shards, check=True, stdout=subprocess.PIPE, text=True)
    items, size = done.stdout.split()[:2]
    if (int(items), int(size)) != (3 * len(SIZES), 3 * sum(SIZES)):
        yield f"read_records: {done.stdout}"
    with open(shards[0], "r+b") as file:
        file.seek(5)
        byte = file.read(1)[0]
        file.seek(5)
        file.write(bytes([byte ^ 4]))
    if subprocess.run(command + shards, check=False, capture_output=True).returncode == 0:
        yield "a damaged shard is read"


def known_sum(work):
    """Checks that the CRC-32C of 32 zero bytes is aa36918a (RFC 3720, B.4), masked for TFRecord."""
    with open(f"{work}/zeros", "wb") as file:
        file.write(bytes(32))
    with open(f"{work}/list", "w", encoding="ascii") as file:
        file.write("zeros\n")
    subprocess.run([os.environ["MAKE_RECORDS"], "tfrecord", f"{work}/sum", "1", work,
                    f"{work}/list"], check=True)
    with open(f"{work}/sum-00.tfrecord", "rb") as file:
        data = file.read()
    # RFC 3720 prints the bytes of the sum in the order in which they are sent.
    crc = int.from_bytes(bytes.fromhex("aa36918a"), "little")
    wanted = ((crc >> 15 | crc << 17) + 0xa282ead8) % 2**32
    if int.from_bytes(data[-4:], "little") != wanted:
        yield f"{data[-4:].hex()} is not the sum"


def main():
    results = Results()
    report = example()
    results.add("page", page_is_whole(report))
    results.add("text", text_is_whole(report))
    for kind in ("tar", "tfrecord"):
        with Work() as work:
            results.add(kind, records(work, kind))
    with Work() as work:
        results.add("CRC-32C", known_sum(work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

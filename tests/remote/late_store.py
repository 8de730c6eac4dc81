# SPDX-License-Identifier: Apache-2.0
"""A store behind a server that is sometimes late, slow, or hangs: readers get the right bytes, and
do not wait for the worst answer. Also a server behind TLS: which certificates the program trusts.
"""
import json
import os
import re
import subprocess
import sys
import time

from faults import ALWAYS, Faults
from mounted import HANG_S, Mount, Results, Work, lodfs, need_fuse
from remote_files import differing, fails, prepared, shown
from small import read, write

TREES = ("q1", "q3", "q5", "q7", "q9", "full")
LATE_S = 1.5  # of faults.py
TRIES = 5     # a busy machine makes the server late too
GIVEN_UP_S = HANG_S * .8  # without 64 KiB more a request is given up after 5


def counted(point, name):
    text = read(f"{point}/.lodfs/metrics").decode()
    return float(re.search(rf"^lodfs_{name} +(\S+)$", text, re.M).group(1))


def late(server, point, truth):
    """A twentieth of the requests is late. Many of these are sent twice and then answered soon."""
    hedges = []
    while not hedges or hedges[-1] and len(hedges) < TRIES:
        server.set("none")
        with Mount(server.url, point, "-o", "cache_size=0"):
            yield from differing(truth, shown(point, TREES))
            hedges.append(counted(point, "backend_hedges_total"))
    if hedges[-1]:
        yield f"{hedges} requests were sent twice to a server that is in time"
    for _ in range(TRIES):
        server.set("none")
        with Mount(server.url, point, "-o", "cache_size=0"):
            shown(point, ("q1",))
            server.set("late", ALWAYS, rate=.05, most=4)
            yield from differing(truth, shown(point, TREES))
            stats = json.loads(lodfs("stats", "--json", point).stdout)["server"]
            if stats["hedges"] != counted(point, "backend_hedges_total"):
                yield "stats and metrics differ"
        if stats["hedges"] and stats["connects"] and 0 < stats["first_byte_seconds"] < LATE_S:
            break
    else:
        yield f"{server.made} late answers, and no second request: {stats}"


def given_up(kind, server, point, truth, longest):
    """A request that brings nothing, or a byte a second, is cancelled and sent again."""
    server.set(kind, most=1)
    start = time.monotonic()
    with Mount(server.url, point):
        yield from differing(truth, shown(point, TREES))
        if not counted(point, "backend_retries_total"):
            yield "nothing was sent again"
    if server.made != 1:
        yield f"{server.made} faults"
    if time.monotonic() - start > longest:
        yield f"{time.monotonic() - start:.1f} s"


def waits(point):
    """Each load took .2 s or more, and the reader waited for some."""
    loads = json.loads(read(f"{point}/.lodfs/stats"))["loads"]
    if loads["window_bytes"] != 4 * 5 << 20 or loads["in_flight"] or not loads["waits"] or \
            not .2 <= loads["wait_seconds"] < .5 * loads["waits"] + 10:
        yield f"loads are counted as {loads}"
    count, short = (counted(point, rf"load_wait_seconds_{name}")
                    for name in ("count", r'bucket\{le="0.1"\}'))
    if count != loads["waits"] or not 0 < count - short:
        yield f"{count} waits, {short} of them short, and {loads}"


def first_record(work):
    """The first record is loaded by several parallel requests, each byte once."""
    source, store = f"{work}/few", f"{work}/few_store"
    for i in range(12):
        write(f"{source}/{i:02}.bin", os.urandom(1_000_000))
    lodfs("pack", source, store)
    with Faults(store) as server:
        server.set("slowly", ALWAYS)
        with Mount(server.url, f"{work}/few_mount", "-o", "cache_size=64M") as point:
            for i in range(12):
                if read(f"{point}/full/{i:02}.bin") != read(f"{source}/{i:02}.bin"):
                    yield f"{i:02}.bin differs"
            asked = json.loads(read(f"{point}/.lodfs/stats"))["store"]["bytes"]
            yield from waits(point)
        records = {name: most for name, most in server.most_beside.items() if "records/" in name}
        if max(records.values()) < 3:
            yield f"requests of a record side by side: {records}"
        if asked > 12_000_000 * 1.02:
            yield f"{asked} bytes were asked for"


def retry_after(server):
    server.set("after", most=1)
    start = time.monotonic()
    lodfs("info", server.url)
    took = time.monotonic() - start
    if not 2 <= took < 30:
        yield f"Retry-After: 2 is answered after {took:.2f} s"


def codes(server, point):
    """Answers of the server are counted by result."""
    server.set("status503", most=2)
    with Mount(server.url, point, "-o", "cache_size=0"):
        shown(point, ("q1",))
        busy = counted(point, r'backend_requests_total\{code="ebusy"\}')
        if busy != 2:
            yield f"2 answers of 503 are counted as {busy}"


def certificate(work, name):
    """Returns the files (certificate, key) of a server of this name, signed by itself."""
    files = f"{work}/{name}.crt", f"{work}/{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", f"subjectAltName={name}",
                    "-out", files[0], "-keyout", files[1]], check=True,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return files


def trusted(results, work, store):
    ours = certificate(work, "IP:127.0.0.1")
    with Faults(store, tls=ours) as server:
        words = ("-o", f"ca_file={ours[0]}")
        results.add("TLS: a certificate that is not known",
                    fails(("info", server.url), 1, "ca_file="))
        results.add("TLS: a certificate that ca_file names", fails(("info", *words, server.url), 0,
                                                                   ""))
        server.set("downgrade", ALWAYS)
        results.add("TLS: a redirect to http is refused",
                    fails(("info", *words, server.url), 1, "http"))
    other = certificate(work, "DNS:elsewhere.example")
    with Faults(store, tls=other) as server:
        results.add("TLS: a certificate of another host",
                    fails(("info", "-o", f"ca_file={other[0]}", server.url), 1, "127.0.0.1"))


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store, point, truth = prepared(work, TREES)
        with Faults(store) as server:
            results.add("some late answers", late(server, point, truth))
            results.add("one without a first byte",
                        given_up("hang", server, point, truth, GIVEN_UP_S))
            results.add("one of a byte a second",
                        given_up("trickle", server, point, truth, GIVEN_UP_S))
            results.add("the first record", first_record(work))
            results.add("Retry-After", retry_after(server))
            results.add("requests by result", codes(server, point))
        trusted(results, work, store)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

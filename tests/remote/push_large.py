# SPDX-License-Identifier: Apache-2.0
"""
lodfs push of records that are sent in parts, to a real S3 server: killed and run again, with parts
that fail, and beside other stores and other uploads.
"""
import contextlib
import os
import random
import re
import signal
import subprocess
import sys
import time
import urllib.parse

import push_store
import s3_engine
from mounted import Results, SECONDS_MAX, Work, lodfs
from remote_files import fails
from s3_parts import Parts
from small import read

BYTES, PART = 26 << 20, 5 << 20  # parts of the least size that S3 takes
PARTS = -(-BYTES // PART)        # of the record; what it has beside the file fits the last one
UPLOADS = 130  # a listing names 100
KILLS = 8  # the server keeps in memory what was sent
WORDS = ["push", f"--request-size={PART}", "-j2"]


def make(work, name, seed):
    """A store with one large record, and the name of that."""
    source, store = f"{work}/{name}-source", f"{work}/{name}"
    os.mkdir(source)
    with open(f"{source}/large.bin", "wb") as file:
        file.write(random.Random(seed).randbytes(BYTES))
    lodfs("pack", source, store)
    records = os.listdir(f"{store}/records")
    return store, "records/" + max(records, key=lambda n: os.path.getsize(f"{store}/records/{n}"))


class Bucket(push_store.Bucket):
    """The bucket with its unfinished uploads."""

    def uploads(self):
        """[(key, ID)] of all unfinished uploads."""
        text = self.client.request("GET", "bucket", query="uploads=")[1].decode()
        return re.findall("<Upload><Key>(.*?)</Key><UploadId>(.*?)</UploadId>", text)

    def begin(self, name):
        text = self.client.request("POST", f"bucket/{name}", query="uploads=")[1].decode()
        return re.search("<UploadId>(.*?)</UploadId>", text)[1]

    def end(self, key, upload):
        self.client.request("DELETE", f"bucket/{key}",
                            query=f"uploadId={urllib.parse.quote(upload, safe='')}")

    def whole(self, key, store):
        """Yields each difference from the folder, and each unfinished upload."""
        yield from super().whole(key, store)
        for name, _ in self.uploads():
            if name.startswith(f"{key}/"):
                yield f"an upload of {name} is unfinished"


def push(parts, store, key, *more):
    """Starts a push through `parts`."""
    return subprocess.Popen([os.environ["LODFS"], *WORDS, "-o", f"endpoint={parts.url}", *more,
                             store, f"s3://bucket/{key}"],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def end_of(one, code, text=""):
    """Yields what is wrong with how a push ends."""
    out = b"".join(one.communicate(timeout=SECONDS_MAX)).decode(errors="replace")
    if one.returncode != code:
        yield f"exit {one.returncode}, not {code}: {out[:300]}"
    if text not in out or len(out.splitlines()) > 1:
        yield f"'{text}' is not said, or more: {out[:600]}"
    if s3_engine.KEY in out or s3_engine.SECRET in out or "Signature=" in out:
        yield f"keys are said: {out[:300]}"


@contextlib.contextmanager
def held(parts, store, key, number=3, line="PUT.*partNumber={}", kind="hold"):
    """A push whose third part, or another request, gets no answer."""
    parts.set(kind, line.format(number))
    one = push(parts, store, key)
    if not parts.reached.wait(SECONDS_MAX):
        raise RuntimeError(f"{line} {number} is not sent")
    try:
        yield one
    finally:
        parts.set()
        if one.poll() is None:
            one.kill()
        one.communicate()


def pushed(bucket, parts, store, record):
    """In parts of the size that was asked for; the same store again needs none of them."""
    yield from end_of(push(parts, store, "a key/it&+", "--verify"), 0, "sent")
    yield from bucket.whole("a key/it&+", store)
    sent = [size for line, size in parts.seen if f"{record}?partNumber" in line]
    if len(sent) != PARTS or sent[:-1] != [PART] * (PARTS - 1):
        yield f"parts of {sent}"
    if max(size for _, size in parts.seen) > 4 * PART:
        yield "a request is too large"
    parts.set()
    yield from end_of(push(parts, store, "a key/it&+"), 0, "sent 0 objects")
    if any(line[:3] not in ("HEA", "GET") for line, _ in parts.seen):
        yield f"a store that is there: {parts.seen}"


def killed(bucket, parts, store, record):
    """The upload of a killed push ends with the next one; those of other names do not."""
    beside = [(name, bucket.begin(name)) for name in (f"killed/{record}-x", "killed2/x", "kill")]
    for number, code in ((signal.SIGKILL, -9), (signal.SIGINT, 130)):
        with held(parts, store, "killed") as one:
            one.send_signal(number)
            yield from end_of(one, code)
        if bucket.get("killed/manifest.json")[0] != 404 or bucket.get(f"killed/{record}")[1]:
            yield "a killed push leaves a store, or half a record"
        left = [name for name, _ in bucket.uploads() if name == f"killed/{record}"]
        if len(left) != 1:
            yield f"{left} are unfinished after signal {number}"
    yield from fails((*WORDS, "-n", store, "s3://bucket/killed"), 0, "would send")
    yield from end_of(push(parts, store, "killed"), 0, "sent")
    if sorted(bucket.uploads()) != sorted(beside):
        yield f"unfinished: {bucket.uploads()}, not {beside}"
    for name, upload in beside:
        bucket.end(name, upload)
    yield from bucket.whole("killed", store)


def killed_often(bucket, parts, store, record):
    """Killed at any moment it leaves no store or a whole one, and no half of a record."""
    chance, start, early = random.Random(3), time.monotonic(), 0
    yield from end_of(push(parts, store, "timed"), 0)
    took = time.monotonic() - start
    for number in range(KILLS):
        key = f"often{number // 4}"
        one = push(parts, store, key)
        try:
            one.wait(took * chance.random())
        except subprocess.TimeoutExpired:
            one.kill()
            early += 1
        one.communicate()
        if bucket.get(f"{key}/manifest.json")[0] == 200:
            yield from bucket.whole(key, store)
            continue
        status, there = bucket.get(f"{key}/{record}")
        if status != 404 and there not in (b"", read(f"{store}/{record}")):
            yield f"{key} has half a record"
    if not early:
        yield "no push was killed in time"
    for number in range((KILLS + 3) // 4):
        yield from end_of(push(parts, store, f"often{number}"), 0)
        yield from bucket.whole(f"often{number}", store)


def resized(bucket, parts, store, record):
    """A push with other sizes, which needs no parts, continues."""
    with held(parts, store, "sizes") as one:
        one.kill()
    yield from fails(("push", store, "s3://bucket/sizes"), 0, "sent")
    yield from bucket.whole("sizes", store)


def failing(bucket, parts, store, record):
    """A request that fails once is sent again; one that always fails ends push and upload."""
    kinds = (("503", "PUT.*partNumber=2"), ("lost", "PUT.*partNumber=2"),
             ("lost", "POST.*uploads="), ("lost", "POST.*uploadId="), ("late", "POST.*uploadId="),
             ("503", "DELETE"))
    for number, (kind, line) in enumerate(kinds):
        stale = bucket.begin(f"once{number}/{record}")
        parts.set(kind, line)
        yield from end_of(push(parts, store, f"once{number}"), 0, "sent")
        yield from bucket.whole(f"once{number}", store)
        if not parts.made:
            yield f"{kind} of {line} was not made, beside {stale}"
    for kind, line, text in (("400", "PUT.*partNumber=2", "HTTP 400"),
                             ("blank", "POST.*uploads=", "gives no ID"),
                             ("blank", "PUT.*partNumber=1", "gives no ETag"),
                             ("late", "POST.*uploadId=", "run the same command again"),
                             ("403", "POST.*uploads=", "HTTP 403")):
        parts.set(kind, line, times=1000)
        yield from end_of(push(parts, store, "never"), 1, text)
        if bucket.get(f"never/{record}")[1] or bucket.get("never/manifest.json")[0] != 404:
            yield f"{kind}: an object is there"
        parts.set()
        if bucket.uploads():
            yield f"{kind} of {line}: {bucket.uploads()} are unfinished"
    for kind in ("403", "501"):  # such users, or servers, end none
        parts.set(kind, "GET.*uploads=", times=1000)
        yield from end_of(push(parts, store, f"unlisted{kind}"), 0, "sent")
        yield from bucket.whole(f"unlisted{kind}", store)


def listings(other):
    """Texts in the place of a listing of unfinished uploads; `other` is one of another object."""
    one = "<Upload><UploadId>%s</UploadId></Upload>"
    yield b""
    yield b"<html>not found</html>"
    yield b"\0" + (one % other).encode()
    yield (one % other).encode()
    yield ("<UploadId>" * 1000 + other).encode()     # nests, and ends nowhere
    yield (one % "" + one % ("x" * 5000) + one % other).encode()
    yield (one % "../%2f?uploads=&amp;\x01").encode()
    yield (one % other).encode() * (2 << 20 >> 6)    # more than a listing may have


def listed(bucket, parts, store, record):
    """More uploads than one listing names are ended; a listing that lies ends none of others."""
    parts.set()
    for _ in range(UPLOADS):
        bucket.begin(f"many/{record}")
    yield from end_of(push(parts, store, "many"), 0, "sent")
    yield from bucket.whole("many", store)
    other = bucket.begin(f"other/{record}")
    for number, text in enumerate(listings(other)):
        key = f"listing{number}"
        parts.set("text", "GET.*uploads=", times=1000, text=text)
        yield from end_of(push(parts, store, key), 0, "sent")
        yield from bucket.whole(key, store)
        if not parts.made or not any(name == f"other/{record}" for name, _ in bucket.uploads()):
            yield f"listing {number}: {parts.made} made, {bucket.uploads()} unfinished"
    bucket.end(f"other/{record}", other)


def ended(bucket, parts, store, record):
    """Another program ends the upload while parts are sent."""
    with held(parts, store, "ended") as one:
        for name, upload in bucket.uploads():
            bucket.end(name, upload)
        parts.set()
        yield from end_of(one, 1, "the upload was ended")
    yield from end_of(push(parts, store, "ended"), 0, "sent")
    yield from bucket.whole("ended", store)


def others(bucket, parts, store, second, record):
    """A claim of another push is left alone, with its upload."""
    with held(parts, store, "taken") as one:
        before = bucket.uploads()
        yield from end_of(push(parts, second, "taken"), 1, "another object")
        if bucket.uploads() != before:
            yield f"unfinished: {bucket.uploads()}, not {before}"
        parts.set()
        yield from end_of(one, 0, "sent")
    yield from bucket.whole("taken", store)
    yield from end_of(push(parts, second, "taken"), 1, "another store is there")
    yield from bucket.whole("taken", store)
    bucket.client.put(f"bucket/foreign/{record}")  # empty, but no claim
    yield from end_of(push(parts, store, "foreign"), 1, "another object")
    if bucket.uploads() or bucket.get(f"foreign/{record}") != (200, b""):
        yield "an object of another program was touched"
    for number, body in enumerate((b"", b"foreign")):  # created after the look, before the claim
        name = f"late{number}/{record}"
        with held(parts, store, f"late{number}", line=f"HEAD.*{record}", kind="after") as one:
            bucket.client.put(f"bucket/{name}", body)
            parts.set()
            yield from end_of(one, 1, "another object")
        if bucket.uploads() or bucket.get(name) != (200, body):
            yield f"{name} was touched"


def race(bucket, parts, store, second):
    """Two stores at once: one of them is there whole, or none."""
    both = [push(parts, one, "race") for one in (store, second)]
    codes = [one.communicate() and one.returncode for one in both]
    if codes.count(0) > 1 or not set(codes) <= {0, 1}:
        yield f"they exit with {codes}"
    if 0 in codes:
        yield from bucket.whole("race", (store, second)[codes.index(0)])
    elif bucket.get("race/manifest.json")[0] != 404:
        yield "there is a manifest without a store"
    both = [push(parts, store, "twice") for _ in range(2)]
    codes = [one.communicate() and one.returncode for one in both]
    if not set(codes) <= {0, 1}:
        yield f"two pushes of one store exit with {codes}"
    yield from end_of(push(parts, store, "twice"), 0)
    yield from bucket.whole("twice", store)


def most_memory(parts, store, number):
    """The most bytes that a push has used before part `number` of its record is answered."""
    with held(parts, store, f"memory{number}", number) as one:
        with open(f"/proc/{one.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmHWM:\s*(\d+)", status.read())[1]) << 10


def memory(parts, store):
    """Parts that were sent are not kept in memory, but for some that sanitizers keep."""
    first, last = (most_memory(parts, store, number) for number in (1, PARTS))
    if last - first > BYTES // 2:
        yield f"{last - first} bytes more for {PARTS - 1} parts of {PART}"


def usual(parts, work):
    """Without --request-size, an object above 256 MiB has parts of 64 MiB."""
    os.mkdir(f"{work}/usual-source")
    with open(f"{work}/usual-source/large.bin", "wb") as file:
        file.truncate((256 << 20) + 1)
    lodfs("pack", "--raw=plain", f"{work}/usual-source", f"{work}/usual")
    parts.set("400", "PUT.*partNumber=1")
    words = ("push", "-o", f"endpoint={parts.url}", f"{work}/usual", "s3://bucket/usual")
    yield from fails(words, 1, "HTTP 400")
    if [size for line, size in parts.seen if "partNumber" in line] != [64 << 20]:
        yield f"parts: {parts.seen}"


def main():
    s3_engine.need()
    results = Results()
    with Work() as work:
        store, record = make(work, "store", 1)
        second, _ = make(work, "second", 2)
        with s3_engine.started(f"{work}/ceph") as engine, Parts(engine.http) as parts:
            os.environ.update(engine.environment())
            bucket = Bucket(engine)
            every = (bucket, parts, store, record)
            results.add("a record is pushed in parts", pushed(*every))
            results.add("a push is killed", killed(*every))
            results.add("killed at any moment", killed_often(*every))
            results.add("a push continues with other sizes", resized(*every))
            results.add("requests fail", failing(*every))
            results.add("listings of uploads", listed(*every))
            results.add("the upload is ended", ended(*every))
            results.add("other stores", others(bucket, parts, store, second, record))
            results.add("two stores at once", race(bucket, parts, store, second))
            results.add("memory", memory(parts, store))
            results.add("the usual sizes", usual(parts, work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

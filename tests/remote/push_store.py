# SPDX-License-Identifier: Apache-2.0
"""
lodfs push to a real S3 server: whole or not at all, also when it is killed, continued where it
stopped, and nothing of anyone else is replaced. A server that loses answers is one of ours.
"""
import os
import signal
import subprocess
import sys
import time

import s3_engine
from faults import ALWAYS, Faults
from line import Line
from long import counted
from mounted import Mount, Results, Work, lodfs, need_fuse
from remote_files import differing, fails, make, shown
from s3_client import Client
from small import read, write

KILLS = counted(8, 200)
OTHER = ("OTHERKEY", "other/secret")


def sent(done):
    """The number of objects that a push says it sent."""
    return int(done.stdout.split(b"sent ")[1].split()[0])


def objects(store):
    return sum(len(names) for _, _, names in os.walk(store))


class Bucket:
    """The bucket, as its owner sees it without lodfs."""

    def __init__(self, engine):
        self.client = Client(engine.endpoint, s3_engine.KEY, s3_engine.SECRET)
        self.client.put("bucket")

    def get(self, name):
        """Returns status and body."""
        return self.client.request("GET", f"bucket/{name}")

    def has(self, name):
        return self.get(name)[0] == 200

    def text(self, name):
        return self.get(name)[1]

    def whole(self, key, store):
        """Yields what differs from the folder."""
        for path, _, names in os.walk(store):
            for name in names:
                below = os.path.relpath(os.path.join(path, name), store)
                if self.get(f"{key}/{below}") != (200, read(os.path.join(path, name))):
                    yield f"{below} differs"


def pushed(bucket, store, work, truth):
    url = "s3://bucket/a key/photos+1"
    done = lodfs("push", "-n", store, url)
    if b"would send" not in done.stdout or bucket.has("a key/photos+1/index"):
        yield f"-n: {done.stdout!r}"
    done = lodfs("push", "--verify", store, url)
    if sent(done) != objects(store):
        yield f"{done.stdout!r}, but the store has {objects(store)} files"
    yield from bucket.whole("a key/photos+1", store)
    done = lodfs("push", store, url)
    if sent(done) != 0:
        yield f"again: {done.stdout!r}"
    with Mount(url, f"{work}/mount"):
        yield from differing(truth, shown(f"{work}/mount"))


def in_parts(store, work):
    """Parts send each object once, at the same time, and no manifest; one is missing. The last push
    sends what is missing, and the manifest."""
    program = os.environ["LODFS"]
    os.makedirs(f"{work}/parted/b")
    with Faults(f"{work}/parted") as server:
        words = ["-o", f"endpoint={server.url}", store, "s3://b/key"]
        yield from fails(("push", "--part=1/2", "--verify", *words), 2, "--verify")
        for part in ("0/3", "4/3", "1/0", "x"):
            yield from fails(("push", f"--part={part}", *words), 2, "--part")
        parts = [subprocess.Popen([program, "push", "-j2", f"--part={k}/5", *words],
                                  stdout=subprocess.PIPE) for k in (1, 4, 3, 5)]
        done = [(part.communicate()[0], part.returncode) for part in parts]
        if any(code for _, code in done):
            yield f"parts exit with {done}"
        if os.path.exists(f"{work}/parted/b/key/manifest.json"):
            yield "a part sends the manifest"
        count = sum(int(out.split(b"sent ")[1].split()[0]) for out, _ in done)
        there = objects(f"{work}/parted/b/key")
        if not 0 < count == there < objects(store) - 1:
            yield f"parts send {count} objects, {there} are there"
        last = sent(lodfs("push", *words))
        if last + count != objects(store):
            yield f"the last push sends {last}"
        if sent(lodfs("push", "--part=2/5", *words)) != 0:
            yield "a part sends to a store that is whole"
        done = subprocess.run(["diff", "-r", store, f"{work}/parted/b/key"], check=False,
                              stdout=subprocess.PIPE)
        if done.returncode:
            yield f"{done.stdout[:300]!r}"


def others(bucket, store, second):
    """Another store, half of one, and a foreign object stay as they are."""
    lodfs("push", store, "s3://bucket/taken")
    yield from fails(("push", second, "s3://bucket/taken"), 1, "another store is there")
    yield from bucket.whole("taken", store)
    bucket.client.put("bucket/half/records/000001.raw", b"foreign")
    bucket.client.put("bucket/half/index", read(f"{store}/index"))
    yield from fails(("push", store, "s3://bucket/half"), 1, "another object")
    if bucket.text("half/records/000001.raw") != b"foreign" or bucket.has("half/manifest.json"):
        yield "half a store of others was touched"


def race(bucket, store, second):
    """Two stores are pushed to one key at once: one of them is there whole, or none."""
    program = os.environ["LODFS"]
    both = [subprocess.Popen([program, "push", "-q", "-j2", one, "s3://bucket/race"],
                             stderr=subprocess.PIPE) for one in (store, second)]
    codes = [one.wait() for one in both]
    for one in both:
        one.stderr.close()
    if codes.count(0) > 1 or not set(codes) <= {0, 1}:
        yield f"they exit with {codes}"
    if bucket.has("race/manifest.json") != (0 in codes):
        yield f"exit {codes}, and the manifest says something else"
    if 0 in codes:
        yield from bucket.whole("race", (store, second)[codes.index(0)])


def killed(bucket, store, engine):
    """Killed at any moment it leaves no store or a whole one; the last push completes it."""
    program = os.environ["LODFS"]
    with Line(engine.http, bytes_per_second=20_000_000, round_trip=.01) as line:
        words = ["-o", f"endpoint=http://127.0.0.1:{line.port}", store]
        start = time.monotonic()
        lodfs("push", "-j2", *words, "s3://bucket/timed")
        took = time.monotonic() - start
        early = 0
        for number in range(KILLS):
            key = f"killed/{number // 4}"
            number_signal = signal.SIGKILL if number % 2 else signal.SIGINT
            push = subprocess.Popen([program, "push", "-q", "-j2", *words, f"s3://bucket/{key}"],
                                    stderr=subprocess.DEVNULL)
            try:
                code = push.wait(took * (number % 4 + 1) / 5)
            except subprocess.TimeoutExpired:
                push.send_signal(number_signal)
                code = push.wait()
            early += code != 0
            if code not in (0, -9, -2, 130):  # -2: it came before push catches signals
                yield f"exit {code}"
            if bucket.has(f"{key}/manifest.json"):
                yield from bucket.whole(key, store)
            elif code == 0:
                yield "exit 0 without a manifest"
        if not early:
            yield "no push was killed in time"
        for number in range((KILLS + 3) // 4):
            lodfs("push", "-q", store, f"s3://bucket/killed/{number}")
            yield from bucket.whole(f"killed/{number}", store)


def refusals(results, store, work, engine):
    engine.run("radosgw-admin", "user", "create", "--uid=other", "--display-name=other",
               f"--access-key={OTHER[0]}", f"--secret-key={OTHER[1]}")
    url = "s3://bucket/new"
    rows = (
        ("a wrong secret", store, url, {"AWS_SECRET_ACCESS_KEY": "x"}, 1, "SignatureDoesNotMatch"),
        ("no permission", store, url, {"AWS_ACCESS_KEY_ID": OTHER[0],
                                       "AWS_SECRET_ACCESS_KEY": OTHER[1]}, 1, "AccessDenied"),
        ("no bucket", store, "s3://nobody-has-this/x", {}, 1, "NoSuchBucket"),
        ("no S3", store, "http://127.0.0.1/x", {}, 2, "s3://"),
        ("a folder", store, f"{work}/x", {}, 2, "s3://"),
        ("no store", work, url, {}, 10, "manifest.json"),
        ("a store behind a URL", url, url, {}, 2, "folder"),
    )
    for name, place, where, env, code, text in rows:
        results.add(f"refused: {name}", fails(("push", place, where), code, text, env))
    results.add("refused: no bucket, -n", fails(
        ("push", "-n", store, "s3://nobody-has-this/x"), 1, "NoSuchBucket"))
    damaged = f"{work}/damaged"
    subprocess.run(["cp", "-r", store, damaged], check=True)
    record = next(name for name in sorted(os.listdir(f"{damaged}/records")))
    with open(f"{damaged}/records/{record}", "r+b") as file:
        file.seek(100)
        file.write(b"damage")
    results.add("refused: a damaged store", fails(("push", damaged, url), 1, "damaged"))


def lossy(store, work):
    """Answers of PUT are lost, late or errors, or the bucket is in a region that only headers name;
    each object is created once all the same."""
    os.makedirs(f"{work}/served/b")
    with Faults(f"{work}/served") as server:
        for kind in ("status500", "status503", "lost", "reset", "region"):
            server.set(kind, ALWAYS if kind == "region" else 1)
            lodfs("push", "-q", "-o", f"endpoint={server.url}", store, f"s3://b/{kind}")
            if not server.made and kind != "region":
                yield f"{kind}: no fault was made"
            done = subprocess.run(["diff", "-r", store, f"{work}/served/b/{kind}"], check=False,
                                  stdout=subprocess.PIPE)
            if done.returncode:
                yield f"{kind}: {done.stdout[:300]!r}"


def unseen(store, work):
    """A key that may not read sees no object. A foreign one stays all the same."""
    index = f"{work}/unseen/b/key/index"
    os.makedirs(os.path.dirname(index))
    write(index, b"foreign")
    with Faults(f"{work}/unseen") as server:
        server.set("unseen", ALWAYS)
        words = ("push", "-o", f"endpoint={server.url}", store)
        yield from fails((*words, "s3://b/key"), 1, "index: HTTP 403")
        if read(index) != b"foreign" or os.path.exists(f"{os.path.dirname(index)}/manifest.json"):
            yield "the foreign object was touched"
        if sent(lodfs(*words, "s3://b/other")) != objects(store):
            yield "not all is sent beside it"


def main():
    need_fuse()
    s3_engine.need()
    results = Results()
    with Work() as work:
        source, store = make(work)
        second = f"{work}/second"
        os.remove(f"{source}/large.bin")
        lodfs("pack", "--scans=default", source, second)
        with Mount(store, f"{work}/mount"):
            truth = shown(f"{work}/mount")
        with s3_engine.started(f"{work}/ceph") as engine:
            os.environ.update(engine.environment())
            bucket = Bucket(engine)
            results.add("a store is pushed", pushed(bucket, store, work, truth))
            results.add("a store is pushed in parts", in_parts(store, work))
            results.add("nothing of others is replaced", others(bucket, store, second))
            results.add("two stores at once", race(bucket, store, second))
            results.add("killed at any moment", killed(bucket, store, engine))
            refusals(results, store, work, engine)
            results.add("answers that are lost", lossy(store, work))
            results.add("objects that cannot be seen", unseen(store, work))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

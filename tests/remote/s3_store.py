# SPDX-License-Identifier: Apache-2.0
"""
A store in a bucket of a real S3 server, which checks signatures: keys by environment and profile,
and the messages where they are wrong. No secret may be seen anywhere.
"""
import os
import subprocess
import sys

import s3_engine
from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from remote_files import differing, fails, make, shown
from s3_client import Client
from small import Foreground, read



def by_profile(work, engine, url, truth):
    """The keys, the endpoint and the region are in ~/.aws alone."""
    os.makedirs(f"{work}/user/.aws")
    with open(f"{work}/user/.aws/credentials", "w", encoding="ascii") as file:
        file.write("[other]\naws_access_key_id = NO\naws_secret_access_key = no\n"
                   f"[train]\naws_access_key_id={s3_engine.KEY}\n"
                   f"aws_secret_access_key = {s3_engine.SECRET}\n")
    with open(f"{work}/user/.aws/config", "w", encoding="ascii") as file:
        file.write(f"# by hand\n[profile train]\nregion = eu-west-3\ns3 =\n  max_queue = 1\n"
                   f"endpoint_url = {engine.endpoint}\n")
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("AWS_")}
    home, os.environ["HOME"] = os.environ.get("HOME", "/"), f"{work}/user"
    with Mount(url, f"{work}/mount", "-o", "profile=train"):
        yield from differing(truth, shown(f"{work}/mount"))
    yield from fails(("info", "-o",
                      f"profile=other,endpoint={engine.endpoint}", url), 1, "InvalidAccessKeyId")
    yield from fails(("info", "-o", "profile=none", url), 2, "there is no profile")
    yield from fails(("info", url), 1, "there are no keys")
    os.environ.update(kept, HOME=home)


def refusals(results, url, endpoint):
    rows = (
        ("a wrong secret", url, (), {"AWS_SECRET_ACCESS_KEY": "wrong"}, 1, "SignatureDoesNotMatch"),
        ("an unknown key", url, (), {"AWS_ACCESS_KEY_ID": "wrong"}, 1, "InvalidAccessKeyId"),
        ("half a key", url, (), {"AWS_SECRET_ACCESS_KEY": ""}, 2, "incomplete"),
        ("no key", url, ("-o", "anonymous"), {}, 1, "AccessDenied"),
        ("no bucket", "s3://no-such-bucket/x", (), {}, 10, "NoSuchBucket"),
        ("no object", f"{url}/none", (), {}, 10, "no manifest.json"),
        ("a bucket without a name", "s3:///x", (), {}, 2, "no bucket"),
        ("a bad name", "s3://a%2Fb/x", (), {}, 2, "name of a bucket"),
        ("keys in the URL", "s3://ID:secret@bucket/x", (), {}, 2, "holds no keys"),
        ("an endpoint without a scheme", url, ("-o", "endpoint=127.0.0.1:80"), {}, 2, "https://"),
        ("an endpoint with a path", url, ("-o", f"endpoint={endpoint}/x"), {}, 2, "endpoint"),
        ("a bad region", url, ("-o", "region=a b"), {}, 2, "region"),
    )
    for name, place, words, env, code, text in rows:
        results.add(f"refused: {name}", fails(("info", *words, place), code, text, env))


def seen(daemon, log):
    """Everything that others may see of a mount."""
    pid = daemon.process.pid
    for name in ("config", "stats", "metrics"):
        yield f".lodfs/{name}", read(f"{daemon.point}/.lodfs/{name}")
    for name in ("cmdline", "mountinfo"):
        yield name, read(f"/proc/{pid}/{name}")
    yield "mounts", read("/proc/mounts")
    yield "log", read(log)
    yield "stats", lodfs("stats", daemon.point).stdout


def secrets(url, work, truth):
    """The daemon gets the keys by its environment; a process of another user sees nothing."""
    log = f"{work}/log"
    with Foreground(url, f"{work}/mount", log, "-d") as daemon:
        shown(daemon.point, ("q1",))
        for place, text in seen(daemon, log):
            if s3_engine.SECRET.encode() in text:
                yield f"the secret is in {place}"
        with open(f"/proc/{daemon.process.pid}/status", encoding="ascii") as status:
            if os.stat(f"/proc/{daemon.process.pid}/environ").st_uid != 0:
                yield f"it leaves cores: {status.read(80)}"
    if not truth:
        yield "nothing was read"


def main():
    need_fuse()
    reason = s3_engine.missing()
    if reason:
        skip(reason)
    results = Results()
    with Work() as work:
        os.chmod(work, 0o755)
        _, store = make(work)
        with Mount(store, f"{work}/mount"):
            truth = shown(f"{work}/mount")
        os.mkdir(f"{work}/ceph")
        try:
            engine = s3_engine.Engine(f"{work}/ceph").__enter__()
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            skip(f"the S3 server does not start: {error}")
        try:
            client = Client(engine.endpoint, s3_engine.KEY, s3_engine.SECRET)
            client.put("bucket")
            client.put_folder(store, "bucket/sets/a name/photos+1")
            url = "s3://bucket/sets/a name/photos+1"
            os.environ.update(engine.environment())
            with Mount(url, f"{work}/mount"):
                results.add("a mount of a bucket", differing(truth, shown(f"{work}/mount")))
            results.add("lodfs verify of a bucket",
                        [] if b"sound" in lodfs("verify", url).stdout else ["not sound"])
            results.add("keys of a profile", by_profile(work, engine, url, truth))
            results.add("no secret is seen", secrets(url, work, truth))
            refusals(results, url, engine.endpoint)
        finally:
            engine.__exit__()
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

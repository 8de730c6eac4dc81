# SPDX-License-Identifier: Apache-2.0
"""
A store in a bucket of a real S3 server, which checks signatures: keys by environment and profile,
and the messages where they are wrong. No secret may be seen anywhere.
"""
import json
import os
import resource
import subprocess
import sys

import s3_engine
from fake_roles import Roles
from mounted import Mount, Results, Work, lodfs, need_fuse
from remote_files import differing, fails, prepared, shown
from s3_client import Client
from small import Foreground, read

OTHER = ("OTHERKEY", "other/secret")


def by_profile(work, engine, url, truth):
    """The keys, the endpoint and the region are only in ~/.aws."""
    os.makedirs(f"{work}/user/.aws")
    with open(f"{work}/user/.aws/credentials", "w", encoding="ascii") as file:
        file.write("[other]\naws_access_key_id = NO\naws_secret_access_key = no\n"
                   f"[train]\naws_access_key_id={s3_engine.KEY}\n"
                   f"aws_secret_access_key = {s3_engine.SECRET}\n")
    with open(f"{work}/user/.aws/config", "w", encoding="ascii") as file:
        file.write(f"# by hand\n[profile train]\nregion = eu-west-3\ns3 =\n  max_queue = 1\n"
                   f"endpoint_url = {engine.endpoint}\n")
    kept = {name: os.environ.pop(name) for name in engine.environment()}
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
        ("a bucket of another user", url, (), {"AWS_ACCESS_KEY_ID": OTHER[0],
                                               "AWS_SECRET_ACCESS_KEY": OTHER[1]}, 1,
         "AccessDenied"),
        ("an empty bucket", "s3://empty", (), {}, 10, "no manifest.json"),
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


def by_container(work, engine, url, truth):
    """The keys of a container's role, which the server checks."""
    with Roles() as roles:
        roles.garbage = json.dumps({"AccessKeyId": s3_engine.KEY,
                                    "SecretAccessKey": s3_engine.SECRET})
        kept = {name: os.environ.pop(name) for name in engine.environment()}
        os.environ.update(roles.container(), AWS_ENDPOINT_URL_S3=engine.endpoint)
        with Mount(url, f"{work}/mount"):
            yield from differing(truth, shown(f"{work}/mount"))
        for name in roles.container():
            del os.environ[name]
        os.environ.update(kept)


def seen(daemon, work, log):
    """Everything that others may see of a mount."""
    for name in os.listdir(f"{daemon.point}/.lodfs"):
        if os.path.isfile(f"{daemon.point}/.lodfs/{name}"):
            yield f".lodfs/{name}", read(f"{daemon.point}/.lodfs/{name}")
    for pid in (name for name in os.listdir("/proc") if name.isdigit()):
        try:
            yield f"the command line of {pid}", read(f"/proc/{pid}/cmdline")
        except OSError:
            pass  # it has ended
    yield "mountinfo", read(f"/proc/{daemon.process.pid}/mountinfo")
    yield "mounts", read("/proc/mounts")
    for words in (("stats",), ("stats", "--json"), ("info", "--json")):
        done = lodfs(*words, daemon.point, check=False)
        yield " ".join(words), done.stdout + done.stderr
    for path, _, names in os.walk(os.path.dirname(log)):
        for name in names:
            yield f"{path}/{name}", read(f"{path}/{name}")
    for name in os.listdir(f"{work}/store"):
        if os.path.isfile(f"{work}/store/{name}"):
            yield f"store/{name}", read(f"{work}/store/{name}")


def secrets(url, work, truth):
    """The daemon gets the keys by its environment, fails, and is killed where cores are kept."""
    folder = f"{work}/seen"
    os.mkdir(folder)
    here, limit = os.getcwd(), resource.getrlimit(resource.RLIMIT_CORE)
    os.chdir(folder)
    resource.setrlimit(resource.RLIMIT_CORE, (limit[1], limit[1]))
    found = 0
    try:
        with Foreground(url, f"{work}/mount", f"{folder}/log", "-d") as daemon:
            shown(daemon.point, ("q1",))
            for place, text in seen(daemon, work, f"{folder}/log"):
                found += 1
                if s3_engine.SECRET.encode() in text:
                    yield f"the secret is in {place}"
            daemon.end(11)
            subprocess.run(["umount", "-l", daemon.point], check=False)
    finally:
        os.chdir(here)
        resource.setrlimit(resource.RLIMIT_CORE, limit)
    if [name for name in os.listdir(folder) if name != "log"]:
        yield f"it leaves {os.listdir(folder)}"
    if not truth or found < 20:
        yield f"{found} places were searched"


def main():
    need_fuse()
    s3_engine.need()
    results = Results()
    with Work() as work:
        store, _, truth = prepared(work)
        with s3_engine.started(f"{work}/ceph") as engine:
            client = Client(engine.endpoint, s3_engine.KEY, s3_engine.SECRET)
            client.put("bucket")
            client.put("empty")
            engine.run("radosgw-admin", "user", "create", "--uid=other", "--display-name=other",
                       f"--access-key={OTHER[0]}", f"--secret-key={OTHER[1]}")
            client.put_folder(store, "bucket/sets/a name/photos+1")
            url = "s3://bucket/sets/a name/photos+1"
            os.environ.update(engine.environment(), AWS_EC2_METADATA_DISABLED="true")
            with Mount(url, f"{work}/mount"):
                results.add("a mount of a bucket", differing(truth, shown(f"{work}/mount")))
            results.add("lodfs verify of a bucket",
                        [] if b"sound" in lodfs("verify", url).stdout else ["not sound"])
            results.add("keys of a profile", by_profile(work, engine, url, truth))
            results.add("keys of a container", by_container(work, engine, url, truth))
            results.add("no secret is seen", secrets(url, work, truth))
            refusals(results, url, engine.endpoint)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

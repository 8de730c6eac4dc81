# SPDX-License-Identifier: Apache-2.0
"""
Keys that programs and role services give: their order, their renewal, and the messages where they
are late, wrong or expired. The server of faults.py serves the store and notes which key was used.
"""
import contextlib
import itertools
import os
import shutil
import subprocess
import sys
import time

from fake_roles import Roles
from faults import ALWAYS, Faults
from mounted import Mount, Results, Work, lodfs, need_fuse
from remote_files import differing, fails, prepared, shown
from small import Foreground, read, until

SECRET = "process/SECRET"
SLOW_S = 240  # of an answer for which no program waits
KEYS = ('{"Version": 1, "AccessKeyId": "PROCESSKEY", "SecretAccessKey": "%s", '
        '"SessionToken": "process-token"}' % SECRET)


@contextlib.contextmanager
def environment(**variables):
    """These variables, and no other of AWS."""
    before = dict(os.environ)
    for name in list(os.environ):
        if name.startswith("AWS_"):
            del os.environ[name]
    os.environ.update({"AWS_EC2_METADATA_DISABLED": "true", **variables})
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def profile(work, text):
    """HOME with this ~/.aws/config."""
    os.makedirs(f"{work}/user/.aws", exist_ok=True)
    with open(f"{work}/user/.aws/config", "w", encoding="ascii") as file:
        file.write(text)
    return {"HOME": f"{work}/user"}


class Place:
    """The store as an S3 server has it, and the words that name it."""

    def __init__(self, work, server):
        self.work, self.server = work, server
        self.url, self.words = "s3://store", ("-o", f"endpoint={server.url}")

    def used(self, key):
        """Yields what is wrong if an `info` is not signed by the key."""
        done = lodfs("info", *self.words, self.url, check=False)
        if done.returncode:
            yield done.stderr.decode()
        last = self.server.keys[-1] if self.server.keys else None
        if last != key:
            yield f"the key was {last}"

    def refused(self, text, code=1):
        start = time.monotonic()
        yield from fails(("info", *self.words, self.url), code, text)
        if time.monotonic() - start > SLOW_S - 5:
            yield "it took too long"


def by_process(place, results):
    rows = (
        ("prints keys", f"echo '{KEYS}'", None),
        ("forks and leaves a child with its output", f"sleep 600 & echo '{KEYS}'", None),
        ("prints garbage", "echo '<html>'", "JSON"),
        ("prints nothing", "true", "JSON"),
        ("prints without end", "yes", "more than keys"),
        ("fails", "exit 7", "status 7"),
        ("is not there", "/no/such/program", "status 127"),
    )
    for name, command, text in rows:
        home = profile(place.work, f"[default]\ncredential_process = {command}\n")
        with environment(**home):
            wrong = place.refused(text) if text else place.used(("PROCESSKEY", "process-token"))
            results.add(f"a credential_process that {name}", wrong)


def unreadable(place):
    """For root no file is unreadable, so another user asks, with a program that it may run."""
    program = f"{place.work}/lodfs"
    shutil.copy(os.environ["LODFS"], program)
    os.chmod(program, 0o755)
    user = 65534 if os.geteuid() == 0 else None
    done = subprocess.run([program, "info", *place.words, place.url], user=user, group=user,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    if done.returncode != 1 or done.stderr.count(b"\n") != 1 or \
            b".aws/config: Permission denied" not in done.stderr:
        yield f"exit {done.returncode}: {done.stderr}"


def words_first(results):
    """An invalid option is refused before keys are searched."""
    with environment():
        for word in ("endpoint=localhost:9000", "endpoint=", "endpoint=https://localhost:99999",
                     "region=foo/bar", "region="):
            name = word.partition("=")[0]
            results.add(f"refused: {word}", fails(("info", "-o", word, "s3://bucket/key"), 2,
                                                  f"{name} is not "))
    results.add("one slash", fails(("info", "s3:/bucket/key"), 10, "s3://BUCKET/KEY"))


def over_http(place):
    """Requests that are signed, and may be read by others, get one warning."""
    near = place.server.url
    far = near.replace("127.0.0.1", "0.0.0.0")  # this machine too, but not known as such
    with environment(AWS_ACCESS_KEY_ID="ENV", AWS_SECRET_ACCESS_KEY="x"):
        for url, words, warnings in ((near, (), 0), (far, (), 1), (far, ("-o", "anonymous"), 0)):
            for command in ("info", "verify"):
                done = lodfs(command, "-o", f"endpoint={url}", *words, place.url, check=False)
                if done.stderr.count(b"use https://") != warnings or done.returncode:
                    yield f"{url} {words}: exit {done.returncode}, {done.stderr}"
        with Foreground(place.url, f"{place.work}/mount", f"{place.work}/log", "-o",
                        f"endpoint={far}"):
            pass
        if read(f"{place.work}/log").count(b"use https://") != 1:
            yield f"the log of a mount: {read(f'{place.work}/log')}"


def by_profile(place, results):
    rows = (
        ("asks for itself", "[default]\nrole_arn = a\nsource_profile = default\n", "a role"),
        ("asks in a circle", "[default]\nsource_profile = b\n[profile b]\nsource_profile=default\n",
         "a role"),
        ("needs a single sign-on", "[default]\nsso_session = a\n", "single sign-on"),
        ("has a key with a line end", "[default]\naws_access_key_id = a b\n"
         "aws_secret_access_key = c\n", "cannot have"),
    )
    for name, text, says in rows:
        with environment(**profile(place.work, text)):
            results.add(f"a profile that {name}",
                        place.refused(says, 2 if says == "cannot have" else 1))
    home = profile(place.work, "[default]\naws_access_key_id = a\naws_secret_access_key = b\n")
    os.chmod(f"{place.work}/user/.aws/config", 0)
    with environment(**home):
        results.add("a profile that may not be read", unreadable(place))
    os.chmod(f"{place.work}/user/.aws/config", 0o600)
    os.mkdir(f"{place.work}/folder")
    with environment(AWS_CONFIG_FILE=f"{place.work}/folder"):
        results.add("a profile's file that is none", place.refused("not a file", 2))


def by_role(place, roles, results):
    for name, variables in (("instance", roles.instance()), ("container", roles.container())):
        roles.set()
        with environment(**variables):
            results.add(f"the role of the {name}", place.used(("ROLEKEY1", "token-1")))
            roles.set(garbage="<html>")
            results.add(f"the {name} gives garbage", place.refused("JSON"))
            roles.set(delay_s=SLOW_S)
            results.add(f"the {name} is slow", place.refused("in time"))
    roles.set(has_role=False)
    with environment(**roles.instance()):
        results.add("an instance without a role", place.refused("no role"))
    with environment(**roles.instance(), AWS_ACCESS_KEY_ID="ENV", AWS_SECRET_ACCESS_KEY="x"):
        results.add("the environment comes first", place.used(("ENV", None)))
    with environment(**roles.container(), **profile(
            place.work, f"[default]\ncredential_process = echo '{KEYS}'\n")):
        results.add("a profile comes before a role", place.used(("PROCESSKEY", "process-token")))
    with environment(**{**roles.container(), "AWS_CONTAINER_AUTHORIZATION_TOKEN": "wrong"}):
        results.add("a container that is not known", place.refused("HTTP 401"))
    with environment(AWS_CONTAINER_CREDENTIALS_FULL_URI="http://192.0.2.1/x"):
        results.add("a container's URL far away without TLS", place.refused("https", 2))
    with environment(AWS_EC2_METADATA_SERVICE_ENDPOINT="http://127.0.0.1:1",
                     AWS_EC2_METADATA_DISABLED="no"):
        results.add("nothing gives keys", place.refused("there are no keys"))


def renewed(place, roles, truth):
    """Keys are read again before they expire, and once when the server calls them expired."""
    point = f"{place.work}/mount"
    roles.set(lives_s=4)
    with environment(**roles.instance()):
        with Mount(place.url, point, *place.words, "-o", "cache_size=0"):
            names = itertools.cycle(sorted(truth))
            if not until(lambda: read(os.path.join(os.fsencode(point), next(names)))
                         is not None and roles.asked > 1 or time.sleep(.5)):
                yield f"keys of 4 s are not read again: {place.server.keys[-1]}"
            if place.server.keys[-1] == ("ROLEKEY1", "token-1"):
                yield "the new keys are not used"
        roles.set()
        with Mount(place.url, point, *place.words, "-o", "cache_size=0"):
            place.server.set("expired", most=1)
            yield from differing(truth, shown(point, ("full",)))
            if roles.asked != 2:
                yield f"{roles.asked} keys were read for keys that expired once"
    place.server.set("none")


def expired(place, roles):
    """Keys that stay expired, or seem to be: the server decides about them, and does not get many
    requests.
    """
    roles.set(lives_s=-3600)
    with environment(**roles.instance()):
        yield from place.used(("ROLEKEY1", "token-1"))
        place.server.set("expired", ALWAYS)
        before = place.server.requests
        yield from place.refused("the keys have expired")
        if roles.asked > 3 or place.server.requests > before + 3:
            yield f"{roles.asked} keys, {place.server.requests - before} requests"
    place.server.set("none")


def told(place, results):
    with environment(AWS_ACCESS_KEY_ID="ENV", AWS_SECRET_ACCESS_KEY="x"):
        place.server.set("skewed", ALWAYS)
        results.add("a clock that is wrong", place.refused("clock"))
        place.server.set("region", ALWAYS)
        results.add("the bucket's own region is taken", place.used(("ENV", None)))
        place.server.set("elsewhere", ALWAYS)
        results.add("a region that changes for ever", place.refused("region is"))
        for kind in "redirect", "moved":
            place.server.set(kind, ALWAYS)
            results.add(f"S3 that redirects: {kind}", place.refused("in another region"))
        place.server.set("none")


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        _, _, truth = prepared(work, ("full",))
        with Faults(work) as server, Roles() as roles:
            place = Place(work, server)
            by_process(place, results)
            by_profile(place, results)
            by_role(place, roles, results)
            results.add("keys are renewed", renewed(place, roles, truth))
            results.add("keys that are expired", expired(place, roles))
            told(place, results)
            words_first(results)
            results.add("keys over http", over_http(place))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

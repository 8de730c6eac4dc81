# SPDX-License-Identifier: Apache-2.0
"""
A real S3 server for tests: the RADOS gateway of Ceph with one monitor and one object store in
memory, all of this process's user and on 127.0.0.1. It checks signatures, hashes of bodies and
conditions. A context: started inside, gone after.
"""
import contextlib
import fcntl
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from mounted import skip

PROGRAMS = ("ceph-mon", "ceph-osd", "radosgw", "radosgw-admin", "ceph-authtool", "monmaptool",
            "ceph")
KEY, SECRET = "LODFSTESTKEY", "lodfs/test+secret=1"
PATIENCE_S = 120

# Without tcp_nodelay each small answer takes 40 ms more; the other lines save the time and the
# memory of a cluster of many machines.
CONFIG = """[global]
fsid = 00000000-0000-4000-8000-000000000001
mon host = 127.0.0.1:{mon}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
ms cluster mode = crc
ms service mode = crc
ms client mode = crc
ms bind msgr2 = false
public addr = 127.0.0.1
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
mon warn on pool no redundancy = false
paxos propose interval = .02
osd objectstore = memstore
memstore device bytes = 1073741824
osd fast shutdown = false
mon data avail crit = 1
run dir = {work}
admin socket =
keyring = {work}/keyring
log file = {work}/$name.log
[mon.a]
mon data = {work}/mon
[osd.0]
osd data = {work}/osd
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:{http} tcp_nodelay=1
rgw data = {work}/rgw
rgw thread pool size = 64
"""


def missing():
    """Returns what keeps the server from starting here; None if nothing does."""
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    return f"no S3 server: {', '.join(absent)} not installed" if absent else None


def need():
    """Skips the test where the server cannot start."""
    reason = missing()
    if reason:
        skip(reason)


@contextlib.contextmanager
def started(folder):
    """A server in a new folder; one that does not start skips the test."""
    os.mkdir(folder)
    engine = Engine(folder)
    try:
        engine.__enter__()
    except (RuntimeError, OSError, subprocess.SubprocessError) as error:
        skip(f"the S3 server does not start: {error}")
    try:
        yield engine
    finally:
        engine.__exit__()


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Engine:
    """with Engine(folder) as engine: engine.endpoint is its URL."""

    def __init__(self, folder):
        self.work, self.daemons = folder, []
        self.http, self.mon = free_port(), free_port()
        self.endpoint = f"http://127.0.0.1:{self.http}"
        self.config = f"{folder}/ceph.conf"

    def run(self, *words):
        done = subprocess.run([words[0], "-c", self.config, *words[1:]], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=PATIENCE_S)
        if done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout.decode(errors='replace')}")

    def start(self, *words):
        with open(f"{self.work}/{words[0]}.out", "wb") as out:
            self.daemons.append(subprocess.Popen(
                [words[0], "-f", "-c", self.config, *words[1:]], stdin=subprocess.DEVNULL,
                stdout=out, stderr=out))

    def start_osd(self):
        """Starts it again where it ends with 'wrong fsid', because the monitor was busy."""
        for _ in range(20):
            self.start("ceph-osd", "-i", "0")
            end = time.monotonic() + PATIENCE_S
            while self.daemons[-1].poll() is None and time.monotonic() < end:
                with open(f"{self.work}/osd.0.log", "rb") as log:
                    if b"done with init" in log.read():
                        return
                time.sleep(.05)
            if self.daemons[-1].poll() is None:
                break
            self.daemons.pop()
        raise RuntimeError("the object store of the S3 server does not start")

    def await_http(self):
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            gone = [one for one in self.daemons if one.poll() is not None]
            if gone:
                raise RuntimeError(f"{gone[0].args[0]} ended with {gone[0].returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.http), 1).close()
                return
            except OSError:
                time.sleep(.05)
        raise RuntimeError("the S3 server does not answer")

    def __enter__(self):
        """One cluster at a time: two that start together find each other, and neither comes up."""
        self.turn = open(f"{tempfile.gettempdir()}/lodfs-ceph-{os.getuid()}.lock", "w",
                         encoding="ascii")
        fcntl.flock(self.turn, fcntl.LOCK_EX)
        try:
            return self._enter()
        except BaseException:
            self.__exit__()
            raise

    def _enter(self):
        for name in ("mon", "osd", "rgw"):
            os.makedirs(f"{self.work}/{name}")
        with open(self.config, "w", encoding="ascii") as file:
            file.write(CONFIG.format(work=self.work, mon=self.mon, http=self.http))
        keyring, monmap = f"{self.work}/keyring", f"{self.work}/monmap"
        self.run("ceph-authtool", "--create-keyring", keyring, "--gen-key", "-n", "mon.",
                 "--cap", "mon", "allow *")
        self.run("ceph-authtool", keyring, "--gen-key", "-n", "client.admin", "--cap", "mon",
                 "allow *", "--cap", "osd", "allow *")
        self.run("monmaptool", "--create", "--clobber", "--addv", "a",
                 f"[v1:127.0.0.1:{self.mon}]", "--fsid", "00000000-0000-4000-8000-000000000001",
                 monmap)
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", monmap, "--keyring", keyring)
        self.start("ceph-mon", "-i", "a")
        self.run("ceph", "osd", "new", "00000000-0000-4000-8000-000000000002")
        self.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid",
                 "00000000-0000-4000-8000-000000000002")
        self.start_osd()
        self.start("radosgw", "-n", "client.rgw")
        self.run("radosgw-admin", "user", "create", "--uid=lodfs", "--display-name=lodfs",
                 f"--access-key={KEY}", f"--secret-key={SECRET}")
        self.await_http()
        return self

    def __exit__(self, *_):
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGKILL)
            daemon.wait()
        self.turn.close()

    def environment(self):
        """The variables by which a program finds and opens its buckets."""
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET,
                "AWS_ENDPOINT_URL_S3": self.endpoint}

# SPDX-License-Identifier: Apache-2.0
"""A web server of a store whose records are slow, and one of which is held back: its readers wait
until it is released.
"""
import contextlib
import os
import re
import threading
import time
from typing import NamedTuple

from faults import Handler, Server
from mounted import HANG_S, Mount, lodfs
from small import read, write

HELD = "held/0.bin"  # the file in the record that is held back
LOAD_S = .1


class Load(NamedTuple):
    """An answered request for bytes of a record."""
    begun: float
    ended: float
    bytes: int


class Held(Handler):
    """Answers ranges of records after LOAD_S, and those of one record not before `released`."""

    def do_GET(self):
        web = self.server
        with open(web.folder + self.path, "rb") as file:
            data = file.read()
        first, last = (int(number) for number in
                       re.match(r"bytes=(\d+)-(\d+)", self.headers["Range"]).groups())
        last = min(last, len(data) - 1)
        begun = time.monotonic()
        if self.path.endswith(web.held_record):
            web.waiting.set()
            web.released.wait(HANG_S)
        elif "/records/" in self.path:
            time.sleep(LOAD_S)
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(data[first:last + 1])
        if "/records/" in self.path:
            web.loads.append(Load(begun, time.monotonic(), last + 1 - first))


class Web(Server):
    def __init__(self, folder, held_record):
        super().__init__(("127.0.0.1", 0), Held)
        self.folder, self.held_record, self.loads = folder, held_record, []
        self.waiting, self.released = threading.Event(), threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()


def make_store(work, size, names):
    """Files of `size` bytes in records of their own, in the order of names; HELD is the first."""
    for name in (HELD, *names):
        write(f"{work}/source/{name}", os.urandom(size))
    lodfs("pack", "--order=path", "--record-size=1M", f"{work}/source", f"{work}/store")


@contextlib.contextmanager
def mounted(work, options):
    """Mounts that store from the server: (server, mountpoint, a thread that reads HELD)."""
    with Web(f"{work}/store", "records/000001.raw") as web, \
            Mount(f"http://127.0.0.1:{web.server_address[1]}", f"{work}/mount", "-o",
                  options) as point:
        yield web, point, threading.Thread(target=read, args=(f"{point}/full/{HELD}",),
                                           daemon=True)

# SPDX-License-Identifier: Apache-2.0
"""
A web server of a store's files that makes one kind of fault. Each byte of each file is answered
wrongly `times` times, and rightly afterwards; a `rate` below 1 leaves some requests unchanged, by a
seed.
"""
import hashlib
import os
import random
import re
import socket
import ssl
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from mounted import HANG_S

ALWAYS = 1 << 30
XML = b"<?xml version='1.0'?><Error><Code>%s</Code><Message>no</Message></Error>"


class Handler(BaseHTTPRequestHandler):
    """Answers at once, logs nothing, and lets clients go away."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except OSError:
            pass  # the client went away


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


class _Faulty(Handler):
    def do_GET(self):
        faults = self.server.faults
        self.close_connection = False
        name = self.path.lstrip("/")
        path = os.path.join(faults.folder, name)
        if not os.path.isfile(path):
            self.plain(404, XML % b"NoSuchKey")
            return
        with open(path, "rb") as file:
            data = file.read()
        asked = self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")
        first = int(asked[0])
        last = min(int(asked[1]) if asked[1] else len(data) - 1, len(data) - 1)
        etag = '"%s"' % hashlib.sha256(data).hexdigest()[:16]
        match = self.headers.get("If-Match")
        kind = faults.take(name, first, last)
        faults.note_key(self.headers)
        if match and match != etag and kind != "etag":
            self.plain(412, XML % b"PreconditionFailed")
            return
        answer = Answer(data[first:last + 1], first, last, len(data), etag,
                        206 if "Range" in self.headers else 200)
        getattr(self, "make_" + kind)(answer)

    def is_home(self):
        return "/eu-west-3/" in self.headers.get("Authorization", "")

    def do_HEAD(self):
        """The mark that the object was created with. Faulty for a region, and for keys that may
        write and not read."""
        kind = self.server.faults.kind
        if kind == "region" and not self.is_home():
            self.plain(400, x_amz_bucket_region="eu-west-3")
            return
        if kind == "unseen":
            self.plain(403)
            return
        path = os.path.join(self.server.faults.folder, self.path.lstrip("/"))
        if not os.path.isfile(path):
            self.plain(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(os.path.getsize(path)))
        self.send_header("x-amz-meta-lodfs", self.server.faults.marks.get(path, ""))
        self.end_headers()

    def do_PUT(self):
        """Creates an object, whose hash has to be right. A fault comes before that, or after."""
        faults = self.server.faults
        name = self.path.lstrip("/")
        path = os.path.join(faults.folder, name)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = faults.take(name, 0, 0)
        if kind not in ("none", "lost", "unseen") and not (kind == "region" and self.is_home()):
            getattr(self, "make_" + kind)(None)
            return
        if self.headers.get("If-None-Match") == "*" and os.path.exists(path):
            self.plain(412, XML % b"PreconditionFailed")
            return
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            self.plain(400, XML % b"XAmzContentSHA256Mismatch")
            return
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(body)
        faults.marks[path] = self.headers.get("x-amz-meta-lodfs", "")
        if kind == "lost":
            self.cut()
        else:
            self.plain(200)

    def plain(self, status, body=b"", **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def partial(self, answer, body=None, length=None, **headers):
        body = answer.body if body is None else body
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        if answer.status == 206:
            self.send_header("Content-Range",
                             f"bytes {answer.first}-{answer.last}/{answer.total}")
        self.send_header("ETag", answer.etag)
        for header, value in headers.items():
            self.send_header(header.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def cut(self):
        self.close_connection = True
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    # ---- the kinds

    def make_none(self, answer):
        self.partial(answer)

    def make_status500(self, _):
        self.plain(500, XML % b"InternalError")

    def make_status503(self, _):
        self.plain(503, XML % b"SlowDown")

    def make_status429(self, _):
        self.plain(429, b"", Retry_After="0")

    def make_status404(self, _):
        self.plain(404, XML % b"NoSuchKey")

    def make_status403(self, _):
        self.plain(403, XML % b"AccessDenied")

    def make_after(self, _):
        self.plain(503, XML % b"SlowDown", Retry_After="2")

    def make_downgrade(self, _):
        self.plain(302, b"", Location=f"http://{self.headers['Host']}{self.path}")

    def make_nested(self, _):
        """A document that opens a million elements and closes none."""
        self.plain(403, b"<Error>" * 1_000_000 + b"<Code>AccessDenied")

    def make_escapes(self, _):
        self.plain(403, XML % b"Access\x1b[31m\nDenied")

    def make_endless(self, _):
        """The body of an error, without a length and without an end."""
        self.send_response(403)
        self.end_headers()
        while not self.server.faults.over.is_set():
            self.wfile.write(b"<Error>" * 10_000)

    def make_blank(self, _):
        self.plain(200)

    def make_unsatisfiable(self, _):
        self.plain(416, XML % b"InvalidRange", Content_Range="bytes */0")

    def make_moved(self, _):
        """A redirect of S3, to a region whose name is none."""
        self.plain(301, XML % b"PermanentRedirect", x_amz_bucket_region="../../x y",
                   Location=self.server.faults.url + self.path)

    def make_expired(self, _):
        self.plain(400, XML % b"ExpiredToken")

    def make_skewed(self, _):
        self.plain(403, XML % b"RequestTimeTooSkewed")

    def make_region(self, answer):
        """The bucket lies in another region than requests are signed for at first."""
        if self.is_home():
            self.partial(answer)
        else:
            self.plain(400, XML % b"AuthorizationHeaderMalformed", x_amz_bucket_region="eu-west-3")

    def make_elsewhere(self, _):
        region = f"region-{self.server.faults.requests}"
        self.plain(400, XML % b"AuthorizationHeaderMalformed", x_amz_bucket_region=region)

    def make_reset(self, _):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()

    def make_close(self, answer):
        self.partial(answer, answer.body[:len(answer.body) // 2], len(answer.body))
        self.cut()

    def make_empty(self, _):
        self.cut()

    def make_headers(self, _):
        self.wfile.write(b"HTTP/1.1 206 Partial Content\r\n")
        for i in range(4000):
            self.wfile.write(b"X-More-%d: %s\r\n" % (i, b"a" * 60))
        self.cut()

    def make_short(self, answer):
        self.partial(answer, answer.body[:-1] if len(answer.body) > 1 else b"")

    def make_shifted(self, answer):
        self.partial(answer._replace(first=answer.first + 1, last=answer.last + 1))

    def make_whole(self, answer):
        self.partial(answer._replace(status=200))

    def make_gzip(self, answer):
        self.partial(answer, Content_Encoding="gzip")

    def make_total(self, answer):
        self.partial(answer._replace(total=answer.total + 1))

    def make_long(self, answer):
        self.partial(answer, answer.body + b"more")

    def make_flip(self, answer):
        body = bytearray(answer.body)
        body[len(body) // 2] ^= 4
        self.partial(answer, bytes(body))

    def make_garbage(self, answer):
        self.partial(answer, random.Random(answer.first).randbytes(len(answer.body)))

    def make_html(self, _):
        self.plain(200, b"<html><body>please log in</body></html>")

    def make_etag(self, answer):
        self.partial(answer._replace(etag='"%d"' % time.monotonic_ns()))

    def make_redirect(self, _):
        self.plain(302, b"", Location=self.path)

    def make_nowhere(self, _):
        """A redirect to a host that does not exist. Its name needs no name server."""
        self.plain(302, b"", Location=f"http://{'a' * 64}.invalid{self.path}")

    def make_trickle(self, answer):
        self.partial(answer, b"", len(answer.body))
        for byte in answer.body[:HANG_S]:
            self.wfile.write(bytes([byte]))
            self.server.faults.over.wait(1)
        self.cut()

    def make_hang(self, _):
        self.server.faults.over.wait(HANG_S)
        self.cut()

    def make_slowly(self, answer):
        """Right, after a while. Notes how many such answers an object has at once."""
        self.server.faults.wait_beside(self.path.lstrip("/"))
        self.partial(answer)

    def make_late(self, answer):
        self.server.faults.over.wait(1.5)
        self.partial(answer)


class Answer:
    """Returns the right answer to a range; _replace makes it wrong."""

    def __init__(self, body, first, last, total, etag, status=206):
        self.body, self.first, self.last, self.total = body, first, last, total
        self.etag, self.status = etag, status

    def _replace(self, **facts):
        return Answer(**{**vars(self), **facts})


class Faults:
    """with Faults(folder) as server: server.url; set server.kind, .times, .rate at any time."""

    def __init__(self, folder, seed=1, tls=None):
        self.folder, self.kind, self.times, self.rate = folder, "none", 1, 1.0
        self.most, self.among = ALWAYS, ""  # the faults in all; see set()
        self.tls = tls  # the files of a key and certificate
        self.chance, self.seen, self.requests, self.made = random.Random(seed), {}, 0, 0
        self.lock, self.over = threading.Lock(), threading.Event()
        self.beside, self.most_beside = {}, {}  # slow answers of an object at one time
        self.marks = {}  # of objects that were put
        self.keys = []  # (ID, session token) of each signed request
        self.names = []  # of the objects asked for, one for each request

    def set(self, kind, times=1, rate=1.0, most=ALWAYS, among=""):
        """Only objects whose names begin with `among` have faults."""
        with self.lock:
            self.among = among
            self.kind, self.times, self.rate, self.seen, self.made = kind, times, rate, {}, 0
            self.most = most

    def note_key(self, headers):
        match = re.search(r"Credential=([^/]*)/", headers.get("Authorization", ""))
        if match:
            self.keys.append((match.group(1), headers.get("x-amz-security-token")))

    def take(self, name, first, last):
        """The kind of fault that this answer gets."""
        with self.lock:
            self.requests += 1
            self.names.append(name)
            before = self.seen.setdefault(name, [])
            times = sum(a <= last and first <= b for a, b in before)
            if (self.kind == "none" or not name.startswith(self.among) or times >= self.times
                    or self.made >= self.most or self.chance.random() >= self.rate):
                return "none"
            before.append((first, last))
            self.made += 1
            return self.kind

    def wait_beside(self, name):
        with self.lock:
            self.beside[name] = self.beside.get(name, 0) + 1
            self.most_beside[name] = max(self.most_beside.get(name, 0), self.beside[name])
        self.over.wait(.2)
        with self.lock:
            self.beside[name] -= 1

    def __enter__(self):
        self.server = Server(("127.0.0.1", 0), _Faulty)
        self.server.faults = self
        if self.tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.tls)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(.05,), daemon=True)
        self.thread.start()
        self.port = self.server.server_port
        self.url = f"{'https' if self.tls else 'http'}://127.0.0.1:{self.port}"
        return self

    def __exit__(self, *_):
        self.over.set()
        self.server.shutdown()
        self.server.server_close()

# SPDX-License-Identifier: Apache-2.0
"""
A proxy before an S3 server that makes faults in requests of one form, such as the parts of an
upload, and notes all of them.
"""
import http.client
import re
import threading

from faults import Handler, Server
from mounted import HANG_S

ERROR = b"<?xml version='1.0'?><Error><Code>InternalError</Code></Error>"


class _Proxy(Handler):
    def answer(self, status, headers, body):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("transfer-encoding", "connection"):
                self.send_header(name, value)
        if not any(name.lower() == "content-length" for name, _ in headers):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def forward(self, body):
        server = http.client.HTTPConnection("127.0.0.1", self.server.parts.port, timeout=HANG_S)
        server.request(self.command, self.path, body, dict(self.headers))
        answer = server.getresponse()
        text = answer.read()
        server.close()
        return answer.status, answer.getheaders(), text

    def take(self):
        parts = self.server.parts
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = parts.take(f"{self.command} {self.path}", len(body))
        if kind == "hold":
            parts.wait()
        if kind == "blank":
            self.answer(200, [], b"")
        elif kind == "late":  # an error after the status
            self.answer(200, [], ERROR)
        elif kind == "text":
            self.answer(200, [], parts.text)
        elif kind.isdigit():
            self.answer(int(kind), [], ERROR.replace(b"InternalError", b"Planted"))
        else:
            answer = self.forward(body)
            if kind == "after":  # the answer is out of date when it arrives
                parts.wait()
            if kind == "lost":
                self.close_connection = True
            else:
                self.answer(*answer)

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = take


class Parts:
    """with Parts(port) as parts: parts.url; parts.seen has (request line, bytes of the body)."""

    def __init__(self, port):
        self.port, self.lock = port, threading.Lock()
        self.released = threading.Event()
        self.set()

    def set(self, kind="none", line="", times=1, text=b""):
        """The next `times` requests whose line matches get a fault; `text` is the answer of one."""
        with self.lock:
            self.released.set()
            self.text = text
            self.kind, self.line, self.times, self.made, self.seen = kind, line, times, 0, []
            self.reached, self.released = threading.Event(), threading.Event()

    def wait(self):
        """Holds an answer until the next `set`."""
        released = self.released
        self.reached.set()
        released.wait(HANG_S)

    def take(self, line, size):
        with self.lock:
            self.seen.append((line, size))
            if self.kind == "none" or self.made >= self.times or not re.match(self.line, line):
                return "none"
            self.made += 1
            return self.kind

    def __enter__(self):
        self.server = Server(("127.0.0.1", 0), _Proxy)
        self.server.parts = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.released.set()
        self.server.shutdown()
        self.server.server_close()

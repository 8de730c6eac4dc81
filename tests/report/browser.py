# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven through its debugging pipe. It needs nothing but Chromium: a
message is JSON with a NUL behind it, on file descriptors 3 and 4."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
WAIT_SECONDS = 120


def find():
    """The path of Chromium; None: it is not installed."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. `events` has all messages that were no answers."""

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="lodfs-chromium-")
        to_read, self._to = os.pipe()
        self._from, to_write = os.pipe()
        self.events, self._number, self._rest, self._session = [], 0, b"", None

        def place():  # high numbers first, so that none is overwritten
            high = [os.dup(to_read), os.dup(to_write)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        # Chromium gets its own process group, so that its helper processes can be ended with it.
        self._process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--remote-debugging-pipe", "--disable-background-networking",
             "--hide-scrollbars", f"--user-data-dir={self.home}", "about:blank"],
            preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
            env={**os.environ, "HOME": self.home})
        os.close(to_read)
        os.close(to_write)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in "Page", "Network", "Runtime", "Log":
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *what):
        try:
            os.killpg(self._process.pid, 9)
        except ProcessLookupError:
            pass
        self._process.wait()
        os.close(self._to)
        os.close(self._from)
        shutil.rmtree(self.home, ignore_errors=True)

    def _message(self, until):
        while b"\0" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._from], [], [], left)[0]:
                raise TimeoutError("Chromium does not answer")
            got = os.read(self._from, 1 << 16)
            if not got:
                raise ConnectionError("Chromium has ended")
            self._rest += got
        text, _, self._rest = self._rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, **params):
        """The result of a method of the debugging protocol."""
        self._number += 1
        words = {"id": self._number, "method": method, "params": params}
        if self._session:
            words["sessionId"] = self._session
        os.write(self._to, json.dumps(words).encode() + b"\0")
        until = time.monotonic() + WAIT_SECONDS
        while True:
            message = self._message(until)
            if message.get("id") == self._number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def show(self, path, width, dark):
        """Opens a file in a window of this width and waits until it is drawn."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.value("new Promise(done => { const wait = () => document.readyState == 'complete' "
                   "&& location.protocol == 'file:' ? done(1) : setTimeout(wait, 20); wait() })")

    def value(self, expression):
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def picture(self, path, height=None):
        """Writes a screenshot of the whole page, or of its first `height` pixels."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": height or size["height"],
                "scale": 1}
        data = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

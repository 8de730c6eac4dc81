# SPDX-License-Identifier: Apache-2.0
"""
A store behind nginx: commands, a mount and liblodfs give the results that they give for its folder.
Malformed URLs are refused with a reason.
"""
import ctypes
import errno
import os
import shutil
import socket
import subprocess
import sys

from mounted import Mount, Results, Work, lodfs, need_fuse, skip
from remote_files import differing, fails, prepared, shown
from s3_engine import free_port
from small import read, until

CONFIG = """daemon off; master_process off; pid {work}/pid; error_log {work}/errors;
events {{ worker_connections 256; }}
http {{
  access_log {work}/access;
  client_body_temp_path {work}/1; proxy_temp_path {work}/2; fastcgi_temp_path {work}/3;
  uwsgi_temp_path {work}/4; scgi_temp_path {work}/5;
  server {{ listen 127.0.0.1:{port}; {six} root {root};
    location /page/ {{ return 200 "<html>please log in</html>"; }}
    location /away/ {{ rewrite ^/away/(.*)$ /store/$1 redirect; }}
    location /loop/ {{ return 302 $request_uri; }}
    location /closed/ {{ return 403; }}
    location /password/ {{ return 401; }} }}
}}
"""


BLOCK = 2 << 20  # of verify
UNKNOWN = f"http://{'a' * 64}.invalid"  # no name server is asked for so long a name


def has_six():
    """Returns whether this machine has the address ::1."""
    with socket.socket(socket.AF_INET6) as one:
        return one.connect_ex(("::1", 9)) != errno.EADDRNOTAVAIL


class Nginx:
    """with Nginx(folder with logs, folder that is served) as server: server.url."""

    def __init__(self, work, root):
        self.work, self.root, self.port = work, root, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.six = f"http://[::1]:{self.port}" if has_six() else None

    def __enter__(self):
        os.mkdir(self.work)
        with open(f"{self.work}/conf", "w", encoding="ascii") as file:
            six = f"listen [::1]:{self.port};" if self.six else ""
            file.write(CONFIG.format(work=self.work, port=self.port, root=self.root, six=six))
        self.process = subprocess.Popen(
            [shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"), "-p", self.work, "-c",
             f"{self.work}/conf"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not until(lambda: os.path.exists(f"{self.work}/pid")):
            raise RuntimeError("nginx does not start")
        return self

    def requests(self):
        return len(read(f"{self.work}/access").splitlines())

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def same_output(store, url, *words):
    """A command prints the same for the URL as for the folder, except names and times."""
    texts = []
    for place in (store, url):
        text = lodfs(*words, place).stdout.decode(errors="replace").replace(place, "STORE")
        texts.append([line for line in text.splitlines() if " checked in " not in line])
    if texts[0] != texts[1]:
        yield f"{words}: {texts}"


def unpacked(url, work, truth):
    lodfs("unpack", "--quiet", "--fidelity=full", url, f"{work}/unpacked")
    for name, data in truth.items():
        if name.startswith(b"full/") and read(
                os.path.join(os.fsencode(f"{work}/unpacked"), name[5:])) != data:
            yield f"{name!r} differs"


def economical(server, url, point, truth):
    """Two requests for a mount, one to open a record and read a small one whole."""
    before = server.requests()
    with Mount(url, point):
        mounted = server.requests() - before
        read(os.path.join(os.fsencode(point), b"full/labels/train.csv"))
        first = server.requests() - before - mounted
        found = shown(point)
    if mounted > 4:
        yield f"{mounted} requests for a mount"
    if first > 2:
        yield f"{first} requests for the first small file"
    yield from differing(truth, found)


def by_library(url, truth):
    """liblodfs, without a mount and without an option."""
    library = ctypes.CDLL(os.environ["LODFS_LIBRARY"])
    store, error = ctypes.c_void_p(), ctypes.create_string_buffer(512)
    if library.lodfs_store_open(url.encode(), ctypes.c_uint64(0), ctypes.byref(store), error):
        yield error.value.decode()
        return
    for name, data in truth.items():
        tree, path = name.split(b"/", 1)
        into, got = ctypes.create_string_buffer(len(data) + 1), ctypes.c_size_t()
        failed = library.lodfs_read(store, path, library.lodfs_fidelity(tree), ctypes.c_uint64(0),
                                    into, ctypes.c_size_t(len(data) + 1), ctypes.byref(got), error)
        if failed or into.raw[:got.value] != data:
            yield f"{name!r}: {failed} {error.value}"
    library.lodfs_store_close(store)


def verified(server, url, store):
    """verify reads a store in large requests, though it reads each frame twice."""
    names = [f"{path}/{name}" for path, _, files in os.walk(store) for name in files]
    before = server.requests()
    lodfs("verify", url)
    sent = server.requests() - before
    most = sum(2 + os.path.getsize(name) // BLOCK for name in names)
    if sent > most:
        yield f"{sent} requests for {len(names)} objects, not {most}"


def through_proxy(url):
    """nginx also answers requests as a proxy. The host is found by the proxy alone."""
    os.environ["http_proxy"] = url
    done = lodfs("info", f"{UNKNOWN}/store", check=False)
    if done.returncode:
        yield f"{done.stderr!r}"
    yield from fails(("info", f"{UNKNOWN}/store"), 1, "resolve host", {"no_proxy": ".invalid"})
    yield from fails(("info", "http://x/store"), 1, "check http_proxy", {"http_proxy": UNKNOWN})
    del os.environ["http_proxy"]


def by_six(server):
    """The same server by its address of IPv6, as a web server and as S3."""
    if server.six:
        lodfs("info", f"{server.six}/store")
        lodfs("info", "-o", f"anonymous,endpoint={server.six}", "s3://store")
        yield from fails(("info", "-o", f"anonymous,virtual_host,endpoint={server.six}",
                          "s3://store"), 1, "an endpoint with a name")


def refusals(results, url):
    rows = (
        ("nothing there", f"{url}/nothing", 10, "no manifest.json"),
        ("a page to log in", f"{url}/page", 1, "does not serve ranges"),
        ("a loop of redirects", f"{url}/loop", 1, "redirects"),
        ("what may not be read", f"{url}/closed", 1, "HTTP 403"),
        ("no password", f"{url}/password", 1, "looked up in ~/.netrc"),
        ("a manifest without a byte", f"{url}/none", 1, "is empty"),
        ("a manifest of 1 GB", f"{url}/large", 1, "larger than any manifest"),
        ("a damaged manifest", f"{url}/broken", 1, "in a copy of the store"),
        ("no server", f"http://127.0.0.1:{free_port()}/store", 1,
         "; check host and port"),
        ("no host", f"{UNKNOWN}/store", 1, "; check the name of the host"),
        ("a user in the URL", "http://user:secret@127.0.0.1/x", 2, "~/.netrc"),
        ("a query", f"{url}/store?key=secret", 2, "query"),
        ("dots", f"{url}/a/../store", 2, "'..'"),
        ("a control character", f"{url}/a\x01b", 2, "percent-encoded"),
        ("a blank", f"{url}/a b", 2, "percent-encoded"),
        ("a port of 99999", "https://127.0.0.1:99999/x", 2, "1 to 65535"),
        ("one slash", "https:/127.0.0.1/x", 10, "two slashes"),
        ("8 KB", f"{url}/{'a' * 8192}", 2, "too long"),
        ("another scheme", "ftp://127.0.0.1/store", 2, "s3://"),
        ("TLS on a port without", url.replace("http", "https") + "/store", 1, "SSL"),
    )
    for name, place, code, text in rows:
        wrong = list(fails(("info", place), code, text))
        if "secret" in place:
            done = lodfs("info", place, check=False)
            wrong += ["a secret is shown"] if b"secret" in done.stdout + done.stderr else []
        if code == 1:
            done = lodfs("verify", place, check=False)
            wrong += fails(("verify", place), 1, text if "empty" not in text else "manifest.json")
            if (done.stdout + done.stderr).count(b"manifest.json") > 1:
                wrong.append(f"verify names the manifest twice: {done.stdout + done.stderr}")
        results.add(f"refused: {name}", wrong)
    results.add("repair refuses a URL", fails(("repair", f"{url}/store"), 2, "folder"))
    results.add("pack refuses a URL", fails(("pack", "/tmp", f"{url}/store"), 2, "folder"))
    results.add("words of s3 are refused",
                fails(("info", "-o", "region=x", f"{url}/store"), 2, "for s3://"))
    for file in "/no-such-file", "/":
        results.add(f"certificates of {file}", fails(
            ("info", "-o", f"ca_file={file}", f"https://127.0.0.1:{free_port()}/x"), 2,
            f"ca_file '{file}' cannot be read"))
    results.add("an unknown word is refused", fails(("ls", "-o", "colour=red", url), 2, "colour"))


def main():
    need_fuse()
    if not shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"):
        skip("nginx is not installed (nginx-light)")
    results = Results()
    with Work() as work:
        store, point, truth = prepared(work)
        for name, size in ("none", 0), ("large", 1 << 30):
            os.mkdir(f"{work}/{name}")
            with open(f"{work}/{name}/manifest.json", "wb") as file:
                file.truncate(size)
        os.mkdir(f"{work}/broken")
        with open(f"{work}/broken/manifest.json", "w", encoding="utf-8") as file:
            file.write("{")
        with Nginx(f"{work}/nginx", work) as server:
            url = f"{server.url}/store"
            for words in (("info",), ("ls", "-lR"), ("info", "--json"), ("verify",)):
                results.add(f"lodfs {' '.join(words)} of a URL", same_output(store, url, *words))
            results.add("verify of a URL", verified(server, url, store))
            results.add("lodfs unpack of a URL", unpacked(url, work, truth))
            results.add("a mount of a URL", economical(server, url, point, truth))
            results.add("liblodfs of a URL", by_library(url, truth))
            with Mount(f"{server.url}/away/", point):
                results.add("through a redirect", differing(truth, shown(point)))
            results.add("through a proxy", through_proxy(server.url))
            results.add("an address of IPv6", by_six(server))
            refusals(results, server.url)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

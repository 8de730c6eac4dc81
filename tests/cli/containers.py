# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of `pack --from`: a work folder, runs of the program, and the checks that all
kinds of containers have in common."""
import gzip
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

PHOTOGRAPHS = os.environ["PHOTOGRAPHS"]
LODFS = os.environ["LODFS"]
QUIET = ("--scans=default",)  # measuring takes longer than all else


class Tests:
    """Work folder and counts. Each check is one test of the last line."""

    def __init__(self, kind):
        self.kind = kind
        self.folder = tempfile.mkdtemp()
        self.passed = self.failed = 0
        self.random = random.Random(7)
        os.chdir(self.folder)

    def check(self, holds, what):
        self.passed += bool(holds)
        self.failed += not holds
        if not holds:
            print(f"FAILED: {what}")

    def end(self):
        os.chdir("/")
        shutil.rmtree(self.folder)
        print(f"tests: {self.passed} passed, {self.failed} failed")
        sys.exit(self.failed != 0)

    def pack(self, source, store, *options, code=0):
        """Packs the container; returns (JSON or None, stderr)."""
        done = subprocess.run([LODFS, "pack", f"--from={self.kind}", *QUIET, "--json", *options,
                               source, store], capture_output=True)
        err = done.stderr.decode()
        self.check(done.returncode == code, f"exit {done.returncode} instead of {code} for "
                                            f"{source} {options}: {err}")
        return (json.loads(done.stdout) if done.stdout else None), err

    def tree(self, store):
        """Returns {path: bytes} of all files at original, and the folders as {path: None}."""
        out = f"{store}.out"
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([LODFS, "unpack", store, out], capture_output=True)
        self.check(done.returncode == 0, f"unpack {store}: {done.stderr.decode()}")
        done = subprocess.run([LODFS, "verify", store], capture_output=True)
        self.check(done.returncode == 0, f"verify {store}: {done.stdout.decode()}")
        return tree_of(out)

    def labels(self, store):
        """Returns {path: label} of all samples."""
        done = subprocess.run([LODFS, "order", "--format=lst", store], check=True,
                              capture_output=True, text=True)
        return {path: int(label) for _, label, path in
                (line.split("\t") for line in done.stdout.splitlines())}

    def samples(self, store):
        """Returns what `info` says about samples."""
        done = subprocess.run([LODFS, "info", "--json", store], check=True, capture_output=True)
        return json.loads(done.stdout)["samples"]

    def refuse(self, name, data, *words, options=()):
        """The container has to be refused with these words in one line, and leave no store."""
        with open(name, "wb") as file:
            file.write(data)
        shutil.rmtree("refused", ignore_errors=True)
        _, err = self.pack(name, "refused", *options, code=1)
        self.check(err.count("\n") == 1 and all(word in err for word in words),
                   f"{name}: the message lacks {words}: {err}")
        self.check(not os.path.exists("refused"), f"{name}: a store was left behind")

    def compressed_and_pipes(self, name, data):
        self.refuse("packed", gzip.compress(data), "is compressed", "zcat")
        self.refuse("zst", b"\x28\xb5\x2f\xfd" + data, "is compressed", "zstdcat")
        self.refuse("text", b"nothing of the kind\n" * 100, "'text' is not")
        os.mkfifo("pipe")
        _, err = self.pack("pipe", "refused", code=1)
        self.check("it cannot be a pipe" in err, err)
        os.mkdir("holds-a-folder")
        os.mkdir("holds-a-folder/below")
        _, err = self.pack("holds-a-folder", "refused", code=1)
        self.check("'below' is a folder" in err, err)
        os.mkdir("holds-none")
        _, err = self.pack("holds-none", "refused", code=1)
        self.check("holds no file that is" in err, err)
        _, err = self.pack("missing", "refused", code=1)
        self.check("cannot read 'missing'" in err, err)
        with open(name, "wb") as file:
            file.write(data)

    def cut(self, name, data, count=40, boundaries=False):
        """A container that is cut at some byte of its last 4 KiB is refused, or has the same
        members; with `boundaries` it may be cut between records, and have fewer. The unit tests
        cut at every byte."""
        with open(name, "wb") as file:
            file.write(data)
        shutil.rmtree("uncut", ignore_errors=True)
        self.pack(name, "uncut")
        whole = self.tree("uncut")
        first = max(0, len(data) - 4096)
        chosen = self.random.sample(range(first, len(data)), min(count, len(data) - first))
        for at in sorted(chosen):
            shutil.rmtree("cut-store", ignore_errors=True)
            with open("cut", "wb") as file:
                file.write(data[:at])
            done = subprocess.run([LODFS, "pack", f"--from={self.kind}", *QUIET, "-q", "cut",
                                   "cut-store"], capture_output=True)
            if done.returncode == 0:
                tree = self.tree("cut-store")
                self.check(tree.items() <= whole.items() if boundaries else tree == whole,
                           f"cut at {at}: other members")
            else:
                self.check(done.returncode == 1 and not os.path.exists("cut-store") and
                           done.stderr.startswith(b"lodfs: error: ")
                           and b" at byte " in done.stderr,
                           f"cut at {at}: {done.stderr}")

    def same_bytes(self, source):
        """The store does not depend on the number of threads; a dry run writes nothing."""
        for store in ("one", "four"):
            shutil.rmtree(store, ignore_errors=True)
        self.pack(source, "one", "-j1")
        self.pack(source, "four", "-j4")
        self.check(same(tree_of("one"), tree_of("four")), "the stores of -j1 and -j4 differ")
        facts, _ = self.pack(source, "dry", "--dry-run")
        self.check(facts["dry_run"] and not os.path.exists("dry"), "a dry run writes")
        return facts

    def in_parts(self, source):
        """Packs in parts, in any order, with a part run twice and one killed. The store equals the
        one that `same_bytes` left in `one`. Before the end the commit names the missing parts."""
        def run(*options, code=0):
            done = subprocess.run([LODFS, "pack", f"--from={self.kind}", *QUIET, "-q", *options,
                                   source, "parted"], capture_output=True)
            self.check(done.returncode == code, f"{options}: {done.stderr}")
            return done.stderr

        shutil.rmtree("parted", ignore_errors=True)
        run("--plan")
        run("--part=3/3")
        self.check(b"lacks" in run(code=12), "missing parts are named")
        with subprocess.Popen([LODFS, "pack", f"--from={self.kind}", *QUIET, "-q", "--part=1/3",
                               source, "parted"], stderr=subprocess.DEVNULL) as process:
            process.kill()
        for number in (2, 1, 3):
            run(f"--part={number}/3")
        folder = os.path.isdir(source)
        file = next(os.path.join(source, name) for name in sorted(os.listdir(source))
                    if name[0] != "." and not name.endswith(".idx")) if folder else source
        before = os.stat(file)
        os.utime(file, (1, 1))
        self.check(b"is not the file that the plan names" in run("--part=1/1", code=1) and
                   b"is not the file that the plan names" not in run(code=0),
                   "a part reads another container, or the commit looks at it")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.check(same(tree_of("parted"), tree_of("one")), "parts make another store")

    def resume(self, source, changed):
        """A pack that was killed continues when run again; with another container it is refused.
        The source takes a moment to pack."""
        reference = "resume-reference"
        command = [LODFS, "pack", f"--from={self.kind}", *QUIET, "-q", "-j1", "--record-size=64K"]
        subprocess.run([*command, source, reference], check=True)
        store = "resumed"
        for _ in range(20):
            shutil.rmtree(store, ignore_errors=True)
            with subprocess.Popen([*command, source, store], stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and (not os.path.isdir(f"{store}/records") or
                                                  len(os.listdir(f"{store}/records")) < 3):
                    pass
                process.kill()
            if not os.path.exists(f"{store}/manifest.json"):
                break
        self.check(not os.path.exists(f"{store}/manifest.json"), "no pack could be stopped")
        changed(True)
        done = subprocess.run([*command, source, store], capture_output=True)
        self.check(done.returncode == 1 and b"the source has changed" in done.stderr,
                   f"another container: {done.stderr}")
        changed(False)
        done = subprocess.run([LODFS, "pack", *QUIET, "--record-size=64K", ".", store],
                              capture_output=True)
        self.check(done.returncode == 1, "a folder continues a container")
        done = subprocess.run([*command, source, store], capture_output=True)
        self.check(done.returncode == 0, f"the pack does not go on: {done.stderr}")
        self.check(same(tree_of(store), tree_of(reference)), "the continued store differs")

    def peak(self, source, store, kib_max):
        """Packs it, and checks the most memory that this took."""
        with subprocess.Popen([LODFS, "pack", f"--from={self.kind}", *QUIET, "-q", source, store]) \
                as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.check(process.returncode == 0, f"exit {process.returncode}: {source}")
        self.check(usage.ru_maxrss < kib_max or "asan" in os.environ.get("LODFS_SANITIZE", ""),
                   f"{source} took {usage.ru_maxrss} KiB, not {kib_max}")


def same(a, b):
    a, b = dict(a), dict(b)
    return a == b


def tree_of(folder):
    found = {}
    for path, folders, names in os.walk(os.fsencode(folder)):
        below = os.path.relpath(path, os.fsencode(folder))
        for name in folders:
            found[os.path.normpath(os.path.join(below, name))] = None
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                found[os.path.normpath(os.path.join(below, name))] = file.read()
    return found


def photographs(count):
    """Returns the bytes of some photographs."""
    subprocess.run([PHOTOGRAPHS, "photographs.made", str(count), "1", "0", "40"], check=True,
                   stdout=subprocess.DEVNULL)
    made = tree_of("photographs.made")
    shutil.rmtree("photographs.made")
    return [made[path] for path in sorted(made) if path.endswith(b".jpg")]

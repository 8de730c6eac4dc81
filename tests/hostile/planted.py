# SPDX-License-Identifier: Apache-2.0
"""
planted.py [WORDS]: is the suite alive? Each bug of plants.py (or each whose description has WORDS)
is planted in a copy of the source tree, what its test needs is built, and the test must fail: not
be skipped, not run into its time limit, and pass again without the bug.
"""
import json
import os
import shutil
import subprocess
import sys

from long import is_long
from mounted import Results, SKIP, Work
from plants import ALL, QUICK

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDERS = ("codecs", "demo", "fs", "gpu", "man", "src", "tests")
FILES = ("meson.build", "meson_options.txt", "LICENSE", "README.md", "CHANGELOG.md",
         ".clang-format")
SECONDS_MAX = 1_800  # a build or a test on a busy machine


def run(command, **options):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS_MAX, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n"
                         + done.stdout.decode(errors="replace")[-3000:])
    return done.stdout


class Tree:
    """A copy of the source tree and its build, without optimisation: bugs are found by tests."""

    def __init__(self, work):
        self.top, self.build = f"{work}/lodfs", f"{work}/lodfs/build"
        os.makedirs(self.top)
        for name in FOLDERS:
            shutil.copytree(f"{TOP}/{name}", f"{self.top}/{name}", symlinks=True)
        for name in FILES:
            if os.path.exists(f"{TOP}/{name}"):
                shutil.copy(f"{TOP}/{name}", self.top)
        self.env = dict(os.environ, CCACHE_NOHASHDIR="1", CCACHE_BASEDIR=self.top)
        self.env.pop("LODFS_LONG", None)  # each test as it is in a short run
        must(["meson", "setup", self.build, self.top, "-Doptimization=1", "-Ddebug=false"],
             env=self.env)
        self.tests = {test["name"]: test for test in self.introspect("--tests")}
        self.targets = {target["id"]: os.path.relpath(target["filename"][0], self.build)
                        for target in self.introspect("--targets")}

    def introspect(self, what):
        return json.loads(must(["meson", "introspect", what, self.build]))

    def ready(self, name):
        """Builds what test `name` needs; what ninja says, if it fails."""
        targets = [self.targets[number] for number in self.tests[name]["depends"]]
        done = run(["ninja", "-C", self.build, *targets], env=self.env)
        return done.stdout.decode(errors="replace")[-2000:] if done.returncode else None

    def passes(self, name):
        """True, False; None: it is skipped or hangs."""
        test = self.tests[name]
        try:
            done = run(test["cmd"], env=dict(self.env, **test["env"]),
                       cwd=test["workdir"] or self.build)
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode == SKIP else done.returncode == 0


def change(path, old, new):
    """Exactly one place of the file; its text before, or None."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        return None
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    return text


def stale(plants):
    """What cannot be planted any more."""
    for what, path, old, *_ in plants:
        with open(f"{TOP}/{path}", encoding="utf-8") as file:
            count = file.read().count(old)
        if count != 1:
            yield f"{what}: its text stands {count} times in {path}"


def seen(tree, path, old, new, test):
    """What is wrong with how `test` takes the bug."""
    full = f"{tree.top}/{path}"
    before = change(full, old, new)
    if before is None:
        return ["stale"]
    try:
        failed = tree.ready(test)
        if failed:
            return [f"does not build: {failed}"]
        passes = tree.passes(test)
        return [] if passes is False else [f"{test} " + ("passes" if passes else "is no verdict")]
    finally:
        with open(full, "w", encoding="utf-8") as file:
            file.write(before)


def main():
    words = " ".join(sys.argv[1:])
    plants = [plant for plant in ALL if words in plant[0]] if words else \
        ALL if is_long() else QUICK
    results = Results()
    results.add(f"{len(ALL)} bugs can still be planted", stale(ALL))
    with Work() as work:
        tree = Tree(work)
        for what, path, old, new, test in plants:
            results.add(f"{what}: {test}", seen(tree, path, old, new, test))
        for test in sorted({plant[-1] for plant in plants}):
            sound = not tree.ready(test) and tree.passes(test)
            results.add(f"without a bug: {test}", [] if sound else ["does not pass"])
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
planted.py [WORDS]: checks that the tests find bugs. It plants the bugs of plants/ in a copy of
the source tree, one at a time. The test of each bug is built and must fail. A test that is skipped
or exceeds its time limit has not failed. Without the bug it must pass.

A short run plants a twentieth of the bugs, others after each commit, without those for engines
of the Python index. A long run plants all, or its share. With WORDS it plants the bugs whose
description contains them.
"""
import json
import os
import shutil
import subprocess
import sys

from long import by_commits, is_long, share, shared
from mounted import Results, SKIP, Work
from plants.all_plants import ALL, ENGINES

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDERS = ("codecs", "demo", "fs", "gpu", "man", "packaging", "src", "tests")
FILES = ("meson.build", "meson_options.txt", "LICENSE", "README.md", "CHANGELOG.md",
         ".clang-format")
SECONDS_MAX = 1_800  # a build or a test on a busy machine
SLICES = 20          # this many short runs together plant every bug once
RACES = 5            # runs of a test that finds a race only sometimes
BUG_HANGS_S = "60"   # where a test of sound code waits for 300
OPTIONS = ("-Dc_args=-g1", "-Dcuda=disabled")  # those of phase gcc, without nvcc


def run(command, **options):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=SECONDS_MAX, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n"
                         + done.stdout.decode(errors="replace")[-3000:])


class Tree:
    """A copy of the source tree, and its build. The depth of the folder is that of phase gcc of
    ./check, so that ccache has most objects."""

    def __init__(self, work):
        self.top, self.build = f"{work}/lodfs", f"{work}/lodfs/build/gcc"
        os.makedirs(self.top)
        for name in FOLDERS:
            shutil.copytree(f"{TOP}/{name}", f"{self.top}/{name}", symlinks=True)
        for name in FILES:
            if os.path.exists(f"{TOP}/{name}"):
                shutil.copy(f"{TOP}/{name}", self.top)
        self.env = dict(os.environ, CCACHE_BASEDIR=self.top,
                        LODFS_FIRST_FAILURE="1")  # one failure is all that a bug has to cause
        for name in ("LODFS_LONG", "LODFS_SHARE", "LODFS_HANG_S"):
            self.env.pop(name, None)  # tests use the counts of a short run
        must(["meson", "setup", *OPTIONS, self.build, self.top], env=self.env)
        self.tests = {test["name"]: test for test in self.introspect("tests")}
        self.targets = {target["id"]: os.path.relpath(target["filename"][0], self.build)
                        for target in self.introspect("targets")}

    def introspect(self, what):
        with open(f"{self.build}/meson-info/intro-{what}.json", encoding="utf-8") as file:
            return json.load(file)

    def ready(self, name):
        """Builds the targets of test `name`. Returns the output of ninja if it fails, else None."""
        name = name.partition("/")[0]
        targets = [self.targets[number] for number in self.tests[name]["depends"]]
        done = run(["ninja", "-C", self.build, *targets], env=self.env)
        return done.stdout.decode(errors="replace")[-2000:] if done.returncode else None

    def passes(self, name, has_bug=True):
        """Runs a test. Returns True, False, or None if it is skipped or hangs. The name ROOM/FILE
        means one file of a room's unit tests."""
        name, _, suite = name.partition("/")
        test, env = self.tests[name], {}
        only = ["--filter", f"{suite}/*", "--fail-fast"] if suite else []
        if has_bug:
            env["LODFS_HANG_S"] = BUG_HANGS_S
            only += ["--timeout", BUG_HANGS_S] if suite else []  # of tests that have a limit
        try:
            done = run(test["cmd"] + only, env={**self.env, **test["env"], **env},
                       cwd=test["workdir"] or self.build)
        except subprocess.TimeoutExpired:
            return None
        return None if done.returncode == SKIP else done.returncode == 0


def places(plant):
    """Returns [(file, old text, new text)] of a plant."""
    _, path, old, new, _ = plant
    return [(path, old, new)] if isinstance(path, str) else list(zip(path, old, new))


def change(top, path, old, new):
    """Replaces `old` in a file. Returns the file's text before, or None if `old` does not occur
    exactly once."""
    with open(f"{top}/{path}", encoding="utf-8") as file:
        text = file.read()
    if text.count(old) != 1:
        return None
    with open(f"{top}/{path}", "w", encoding="utf-8") as file:
        file.write(text.replace(old, new))
    return text


def stale(plants):
    """Yields bugs that can no longer be planted."""
    for plant in plants:
        for path, old, _ in places(plant):
            with open(f"{TOP}/{path}", encoding="utf-8") as file:
                count = file.read().count(old)
            if count != 1:
                yield f"{plant[0]}: its old text occurs {count} times in {path}, not once"


def seen(tree, plant):
    """Plants a bug, runs its test and removes the bug. Returns a list of errors: empty if the test
    fails, as it must."""
    test, before = plant[-1], []
    try:
        for path, old, new in places(plant):
            before.append((path, change(tree.top, path, old, new)))
            if before[-1][1] is None:
                return [f"its old text does not occur once in {path}"]
        failed = tree.ready(test)
        if failed:
            return [f"the planted tree does not build: {failed}"]
        runs = RACES if test.startswith("race-") else 1
        verdicts = [passes for _ in range(runs) if (passes := tree.passes(test)) is not True]
        return [] if verdicts[:1] == [False] else \
            [f"{test} " + ("is skipped or hangs" if verdicts else "passes in spite of the bug")]
    finally:
        for path, text in reversed(before):
            if text is not None:
                with open(f"{tree.top}/{path}", "w", encoding="utf-8") as file:
                    file.write(text)


def chosen(words):
    if words:
        return [plant for plant in ALL if words in plant[0]]
    return shared(ALL) if is_long() else ALL[:-len(ENGINES)][by_commits(SLICES)::SLICES]


def main():
    words = " ".join(sys.argv[1:])
    plants = chosen(words)
    results = Results()
    with Work() as work:
        tree = Tree(work)
        for plant in plants:
            results.add(f"{plant[0]}: {plant[-1]}", seen(tree, plant))
        # In a short run the other suites have run these tests already, in the unchanged tree.
        for test in sorted({plant[-1] for plant in plants}) if is_long() or words else ():
            sound = not tree.ready(test) and tree.passes(test, has_bug=False)
            results.add(f"without a bug {test} passes", [] if sound else ["it does not"])
    number, of = share() if is_long() else (by_commits(SLICES), SLICES)
    print(f"{len(plants)} bugs of {len(ALL)} planted" + ("" if words else f", {number + 1}/{of}"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

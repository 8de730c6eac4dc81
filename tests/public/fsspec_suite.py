# SPDX-License-Identifier: Apache-2.0
"""
fsspec's own suite for file systems, as far as it reads, passes on lodfs://.

Without arguments this makes an environment with the newest fsspec, and packs the trees that the
suite describes. pytest collects the class below in that environment; SUITE_STORE is the store.
"""
import os
import re
import subprocess
import sys

ROOT = os.environ["SOURCE_ROOT"]
PACKAGES = ["fsspec==2026.9.0", "pytest==9.1.1"]
# Fixtures that make trees of files, and those of the suite itself.
TREES = ("bulk_operations_scenario_0", "glob_edge_cases_files",
         "dir_and_file_with_same_name_prefix", "10_files_with_hashed_names")


def make_store(work):
    """Runs the suite's own functions in the environment; they make the trees in a local folder."""
    from fsspec.implementations.local import LocalFileSystem
    from fsspec.tests.abstract import AbstractFixtures
    for tree in TREES:
        os.makedirs(f"{work}/source/{tree}")
        getattr(AbstractFixtures(), f"_{tree}")(LocalFileSystem(auto_mkdir=True), os.path.join,
                                                f"{work}/source/{tree}")
    os.mkdir(f"{work}/source/src")
    with open(f"{work}/source/src/file", "wb"):
        pass
    subprocess.run([os.environ["LODFS"], "pack", "-q", f"{work}/source", f"{work}/store"],
                   check=True)


def run(python, work):
    subprocess.run([python, __file__, work], check=True)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short",
         f"--basetemp={work}/local", __file__], check=False, stdout=subprocess.PIPE, text=True,
        env=dict(os.environ, SUITE_STORE=f"{work}/store"))
    print(done.stdout)
    passed, failed = (sum(map(int, re.findall(fr"(\d+) {word}", done.stdout)))
                      for word in ("passed", "(?:failed|error|errors|skipped)"))
    print(f"tests: {passed} passed, {failed} failed")
    return 1 if failed or not passed or done.returncode else 0


def main():
    from environment import Missing, python_with
    from mounted import Work, skip
    try:
        python = python_with("fsspec", PACKAGES)
    except Missing as missing:
        skip(missing)
    with Work() as work:
        return run(python, work)


if "SUITE_STORE" in os.environ:
    import pytest
    from fsspec.tests.abstract import AbstractFixtures, AbstractGetTests

    sys.path.insert(0, f"{ROOT}/src/python")
    from lodfs.filesystem import LodfsFileSystem

    def tree(name):
        return pytest.fixture(lambda _self: f"full/{name}/source")

    class Packed(LodfsFileSystem):
        """One test makes a folder and a file itself: the store has them."""

        def mkdir(self, path, **_options):
            assert self.isdir(path)

        def touch(self, path, **_options):
            assert self.isfile(path)

    class TestGet(AbstractFixtures, AbstractGetTests):
        """Downloads of files, folders, lists and globs, into new folders and existing ones."""

        @pytest.fixture
        def fs(self):
            return Packed(os.environ["SUITE_STORE"])

        @pytest.fixture
        def fs_path(self):
            return "full"

        locals().update({f"fs_{name}": tree(name) for name in TREES})


if __name__ == "__main__":
    if sys.argv[1:]:
        make_store(sys.argv[1])
    else:
        sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""
Releases: `meson dist` has the files of the commit, and a build of a copy of the tree in another
folder, without ccache, has the bytes of the first build.
"""
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

import bare_root

ROOT, OUT = bare_root.ROOT, bare_root.OUT


def contents(path):
    """{name below the first folder: (executable, bytes)} of the files of a tar."""
    found = {}
    with tarfile.open(path) as tar:
        for member in tar:
            if member.isfile():
                name = member.name.partition("/")[2]
                found[name] = (member.mode & 0o100, tar.extractfile(member).read())
    return found


def check_dist(work):
    if not (ROOT / ".git").exists():
        print("skipped: no git, so no commit to compare a release with")
        return
    bare_root.run(["git", "clone", "-q", ROOT, work / "clone"])
    bare_root.run(["git", "-C", work / "clone", "archive", "--prefix=lodfs/", "-o",
                   work / "commit.tar", "HEAD"])
    bare_root.run(["meson", "setup", work / "build", work / "clone", "-Dtests=false"])
    bare_root.run(["meson", "dist", "-C", work / "build", "--no-tests", "--formats", "gztar"])
    dist, = (work / "build" / "meson-dist").glob("*.tar.gz")
    released, committed = contents(dist), contents(work / "commit.tar")
    assert released.keys() == committed.keys(), released.keys() ^ committed.keys()
    assert released == committed, [name for name in released if released[name] != committed[name]]
    print(f"{dist.name}: the {len(released)} files of the commit")


def check_builds(work):
    bare_root.copy_tree(work / "else" / "where")
    again = work / "out"
    again.mkdir()
    for what in ("wheel", "static"):
        first = pathlib.Path(bare_root.build(what).split()[-1])
        if what == "wheel":
            (again / "tools").symlink_to(OUT / "tools")
        done = subprocess.run([work / "else" / "where" / "packaging" / "build", what, again],
                              env=os.environ | {"CCACHE_DISABLE": "1"}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        second = again / first.name
        assert second.read_bytes() == first.read_bytes(), f"{first} and {second} differ"
        print(f"{first.name}: the same bytes in two folders")


def main():
    bare_root.need("meson", "git")
    work = pathlib.Path(tempfile.mkdtemp(prefix="lodfs-same-"))
    try:
        check_dist(work)
        check_builds(work)
    finally:
        shutil.rmtree(work)


main()

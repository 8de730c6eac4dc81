# SPDX-License-Identifier: Apache-2.0
"""
The Containerfile, built by buildah on a bare Debian in place of a registry's image, then used.
"""
import json
import shutil
import tempfile

import bare_root

STORAGE = bare_root.OUT / "containers"
# The mount of a container that serves in the foreground, as lodfs-deploy(7) runs it.
FOREGROUND = """
lodfs version
LODFS=lodfs sh tour.sh photographs
lodfs pack -q photographs store
mkdir point
lodfs mount -f -o allow_other store point 2>log &
tries=0
until [ -d point/q1 ]; do
    tries=$((tries + 1)); [ $tries -lt 300 ] || { cat log; exit 1; }; sleep .1
done
diff -r photographs point/full
lodfs umount point
wait
lodfs info s3://bucket/photographs 2>&1 | grep 'there are no keys'
"""


def buildah(*words):
    return bare_root.run(["buildah", "--root", STORAGE / "root", "--runroot", STORAGE / "run",
                          "--storage-driver", "vfs", *words]).strip()


def try_image(work):
    scratch = buildah("from", "scratch")
    buildah("add", "-q", scratch, f"{bare_root.make('debian')}/", "/")
    buildah("commit", "-q", scratch, "localhost/debian:12-slim")
    buildah("bud", "--isolation", "chroot", "--pull=never", "-q", "-t", "localhost/lodfs",
            "-f", work / "tree" / "packaging" / "Containerfile", work / "tree")
    container = buildah("from", "--pull=never", "localhost/lodfs")
    config = json.loads(buildah("inspect", container))["OCIv1"]["config"]
    assert config["Entrypoint"] == ["lodfs"] and config["Cmd"] == ["help"], config
    shutil.rmtree(work / "tree")
    print(bare_root.trial(buildah("mount", container), work, FOREGROUND), end="")


def main():
    bare_root.need("buildah")
    try:
        with tempfile.TemporaryDirectory() as folder:
            work = bare_root.files(folder)
            bare_root.copy_tree(work / "tree")
            try_image(work)
    finally:
        shutil.rmtree(STORAGE, ignore_errors=True)


main()

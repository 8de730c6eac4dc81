# SPDX-License-Identifier: Apache-2.0
"""lodfs-static in a root of busybox alone: it works, and says on one line what is missing."""
import subprocess
import tempfile

import bare_root

NO_SPACE = ("static", "deb")  # their tools take a folder apart at spaces
PACK = "./lodfs-static pack -q photographs store; mkdir point; "


def refuse_space():
    with tempfile.TemporaryDirectory(prefix="a space ") as out:
        for what in NO_SPACE:
            done = subprocess.run([bare_root.ROOT / "packaging" / "build", what, out],
                                  stderr=subprocess.PIPE, text=True, check=False)
            assert done.returncode == 1 and done.stderr.count("\n") == 1, done
            assert "has a space: name another folder" in done.stderr, done


def main():
    refuse_space()
    root = bare_root.busybox()
    bare_root.build("static")
    program = bare_root.OUT / "lodfs-static"
    print(f"{program.name}: {program.stat().st_size} bytes")
    with tempfile.TemporaryDirectory() as folder:
        work = bare_root.files(folder, program)
        told = bare_root.trial(root, work, "./lodfs-static version\n"
                               "LODFS=/trial/lodfs-static sh tour.sh photographs")
        print(told, end="")
        assert "without io_uring, HTTP and S3, OpenCL, CUDA\n" in told
        for command in "info", "push store":
            bare_root.refused(root, work, f"{PACK}./lodfs-static {command} s3://bucket/photographs",
                              "install the Debian package or the wheel")
        bare_root.refused(root, work, PACK + "rm /dev/fuse; ./lodfs-static mount store point",
                          "there is no /dev/fuse; run modprobe fuse")
        bare_root.refused(root, work, PACK + "./lodfs-static mount store point",
                          "fusermount3 is missing; install package fuse3", user="user")


main()

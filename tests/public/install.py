# SPDX-License-Identifier: Apache-2.0
"""
`pip install .` into an environment of its own, and the package's test there. The machine seems to
lack libfuse3-dev: then all works but the mount. The trial of the wheel mounts.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def make_environment(folder):
    try:
        venv.create(folder, with_pip=True)
    except (subprocess.CalledProcessError, OSError) as error:
        skip(f"no environment can be made: {error}")
    return folder / "bin" / "python"


def install(python, work):
    """The sources are copied: pip's build leaves nothing in them."""
    copy = work / "lodfs"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", "build*", "shared"))
    finder = work / "pkg-config"
    finder.write_text('#!/bin/sh\ncase "$*" in *fuse3*) exit 1 ;; esac\nexec pkg-config "$@"\n')
    finder.chmod(0o755)
    command = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
               f"{copy}[numpy]"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env=os.environ | {"PKG_CONFIG": str(finder)})
    if done.returncode:
        if any(word in done.stdout for word in ("Could not find a version", "connection", "resolve",
                                                "No matching distribution")):
            skip("pip cannot reach its index")
        print(done.stdout)
        sys.exit(1)


def check_command(lodfs, work):
    """The test fails if FUSE is found nevertheless, or a build without it does not say so."""
    words = subprocess.run([lodfs, "version"], capture_output=True, text=True, check=True).stdout
    assert "without FUSE" in words, words
    (work / "source").mkdir()
    (work / "point").mkdir()
    (work / "source" / "text").write_text("text")
    subprocess.run([lodfs, "pack", "-q", work / "source", work / "store"], check=True)
    done = subprocess.run([lodfs, "mount", work / "store", work / "point"], check=False,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and \
        "without libfuse" in done.stderr, done


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-pip-") as folder:
        work = pathlib.Path(folder)
        python = make_environment(work / "environment")
        install(python, work)
        check_command(work / "environment" / "bin" / "lodfs", work)
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("LODFS_LIBRARY", "PYTHONPATH")}
        sys.exit(subprocess.run([python, pathlib.Path(__file__).with_name("package.py"),
                                 "installed"], env=environment, cwd=work, check=False).returncode)


main()

# SPDX-License-Identifier: Apache-2.0
"""Environments of packages of the Python index, one for each loader, made when first needed.

They lie in LOADER_ENVIRONMENTS, a folder of the build, and stay there.
"""
import fcntl
import os
import pathlib
import subprocess
import sys

PATIENCE_S = 1500  # some loaders have hundreds of megabytes, and other tests run beside this


class Missing(Exception):
    """A package cannot be installed; the message is the reason."""


# These packages bring their own numpy. They import modules of Debian, which were built for another
# numpy.
ALONE = ("tensorflow",)


def install(name, folder, packages):
    """Installs packages in an environment, with Debian's NumPy and Pillow if their versions fit."""
    kind = "--clear" if name in ALONE else "--system-site-packages"
    steps = ([sys.executable, "-m", "venv", kind, folder],
             [folder / "bin" / "python", "-m", "pip", "install", "-q",
              "--disable-pip-version-check", *packages])
    for step in steps:
        try:
            done = subprocess.run(step, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False, timeout=PATIENCE_S)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Missing(f"{' '.join(packages)}: {error}") from error
        if done.returncode:
            lines = done.stdout.strip().splitlines() or [f"exit {done.returncode}"]
            raise Missing(f"pip cannot install {' '.join(packages)}: {lines[-1]}")


def python_with(name, packages):
    """Returns the interpreter of the environment `name`, which has the packages; with none, of
    this one. Raises Missing."""
    if not packages:
        return sys.executable
    top = pathlib.Path(os.environ["LOADER_ENVIRONMENTS"])
    top.mkdir(parents=True, exist_ok=True)
    folder, ready = top / name, top / f"{name}.ready"
    wanted = "\n".join([*packages, *(["alone"] if name in ALONE else [])])
    with open(top / f"{name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not ready.exists() or ready.read_text(encoding="utf-8") != wanted:
            install(name, folder, packages)
            ready.write_text(wanted, encoding="utf-8")
    return folder / "bin" / "python"

# SPDX-License-Identifier: Apache-2.0
"""
The wheel, in a root that has Python and fuse3 and nothing else: installed, used as root and as an
ordinary user, removed. pip's answers on platforms that it is not for.

wheel_trial.py [SUITE]  a suite of Debian whose Python is tried; bookworm without it
"""
import os
import subprocess
import sys
import tempfile

import bare_root

PACKAGES = ("python3-venv", "fuse3")
USER = "setpriv --reuid=1000 --regid=1000 --clear-groups env HOME=/trial"
UNABLE = "setpriv --bounding-set -sys_admin --inh-caps -sys_admin"  # root in most containers
# A platform, and whether the wheel is for it: another C library, another processor, an older glibc.
PLATFORMS = {"manylinux_2_36_x86_64": True, "musllinux_1_2_x86_64": False,
             "manylinux_2_36_aarch64": False, "manylinux_2_35_x86_64": False}
PYTHONS = ("3.9", "3.10", "3.11", "3.12", "3.13", "3.14")

# All files but those that Python itself writes beside its modules.
FILES = "find / -xdev | grep -v -e ^/proc -e ^/trial -e ^/usr/lib/python3.*__pycache__ | sort"
INSTALL = f"""
python3 -m venv /venv
{FILES} >before
/venv/bin/pip install -q --no-index *.whl
"""
USE = """
/venv/bin/lodfs version
LODFS=/venv/bin/lodfs sh tour.sh photographs
LODFS='/venv/bin/python -m lodfs' sh tour.sh photographs
LODFS=/venv/bin/lodfs {user} sh tour.sh photographs
/venv/bin/python -c 'import lodfs; print(lodfs.__version__)'
if /venv/bin/python -c 'import lodfs; lodfs.open' 2>needs; then exit 1; fi
grep -q 'needs NumPy: pip install numpy' needs
""".format(user=USER)
# refused PROGRAM COMMAND..: without PROGRAM the command fails, and says `line` alone.
REFUSE = f"""
/venv/bin/lodfs pack -q photographs store; mkdir point; chown 1000 point
refused() {{
    mv "$1" /trial/away
    program=$1; shift
    if "$@" >said 2>&1; then echo "succeeds: $*"; exit 1; fi
    mv /trial/away "$program"
    [ "$(wc -l <said)" -eq 1 ] && grep -qF "$line" said || {{ cat said; exit 1; }}
}}
line='there is no /dev/fuse; '
refused /dev/fuse /venv/bin/lodfs mount store point
line='fusermount3 is missing; install package fuse3'
refused /usr/bin/fusermount3 {USER} /venv/bin/lodfs mount store point
line='this process may not mount; start the container with'
refused /usr/bin/fusermount3 {UNABLE} /venv/bin/lodfs mount store point
"""
REMOVE = f"""
/venv/bin/pip uninstall -q -y lodfs
{FILES} | diff before -
"""


def check_platform(wheel, platform, python, fits):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [bare_root.OUT / "tools" / "bin" / "pip", "download", "-q", "--no-index",
             "--find-links", wheel.parent, "--no-deps", "--only-binary=:all:", "--platform",
             platform, "--python-version", python, "-d", folder, "lodfs"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
            env=bare_root.CLEAN)
        taken = os.listdir(folder)
    assert bool(taken) == fits and (done.returncode == 0) == fits, (platform, python, done)
    assert fits or "No matching distribution found for lodfs" in done.stdout, done.stdout


def check_platforms(wheel):
    for python in PYTHONS:
        check_platform(wheel, "manylinux_2_36_x86_64", python, True)
    for platform, fits in PLATFORMS.items():
        check_platform(wheel, platform, "3.12", fits)


def main():
    suite = sys.argv[1] if len(sys.argv) > 1 else "bookworm"
    root = bare_root.make(f"python-{suite}", PACKAGES, suite, installed=False)
    built = bare_root.build("wheel")
    wheel = bare_root.pathlib.Path(built.split()[-1])
    print(f"{wheel.name}: {wheel.stat().st_size} bytes")
    with tempfile.TemporaryDirectory() as folder:
        work = bare_root.files(folder, wheel)
        print(bare_root.trial(root, work, INSTALL + USE + REFUSE + REMOVE), end="")
        print(bare_root.trial(root, work, "python3 --version"), end="")
    if suite == "bookworm":
        check_platforms(wheel)


main()

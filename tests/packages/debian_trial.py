# SPDX-License-Identifier: Apache-2.0
"""The packages of Debian: built in a root that has only their declared dependencies, checked by
lintian, then installed in a bare root, used as debian/tests says, and removed.
"""
import os
import re
import shutil
import tempfile

import bare_root

OUT = bare_root.OUT / "deb-trial"
NAMES = {"lodfs", "liblodfs0", "liblodfs-dev", "python3-lodfs", "lodfs-doc"}

# Warnings are of groff, which finds cells of lodfs-format(5) too narrow for their longest word.
LINTIAN = "lintian --allow-root --fail-on error --suppress-tags groff-message /out/deb/*.changes"

# Two builds in two folders, of trees with different times.
AGAIN = """
cp -r tree other
tree/packaging/build deb /out
other/packaging/build deb again
for file in /out/*.deb; do cmp "$file" "again/${file##*/}"; done
"""
INSTALL = """
find / -xdev -path /proc -prune -o -path /trial -prune -o -print | sort >before
apt-get update -q >/dev/null
apt-get install -q -y --no-install-recommends ./*.deb libjpeg-turbo-progs >log 2>&1 ||
    { cat log; exit 1; }
lodfs version
"""
REMOVE = """
apt-get purge -q -y lodfs liblodfs0 python3-lodfs lodfs-doc liblodfs-dev >/dev/null
find / -xdev -path /proc -prune -o -path /trial -prune -o -print | sort >after
if diff before after | grep lodfs; then exit 1; fi
"""
# The service finds its program, and so do the manual pages that it names.
UNITS = """
apt-get install -q -y --no-install-recommends systemd man-db >/dev/null 2>&1
mkdir -p /etc/lodfs /mnt/photos
printf 'STORE=/srv/photos.lodfs\\nMOUNTPOINT=/mnt/photos\\nOPTIONS=\\n' >/etc/lodfs/photos.conf
systemd-analyze verify --man=no --recursive-errors=no lodfs@photos.service
systemd-analyze verify --man=no --recursive-errors=no /usr/share/doc/lodfs/examples/*mount
"""


def build_depends():
    control = (bare_root.ROOT / "packaging" / "debian" / "control").read_text()
    named = re.search(r"Build-Depends:(.*?)\nRules", control, re.DOTALL).group(1)
    names = [re.match(r"[\w.+-]+", word.strip()).group() for word in named.split(",")]
    return {"debhelper-compat": "debhelper", "dh-sequence-python3": "dh-python"}, names


def build(work):
    real, names = build_depends()
    wanted = sorted({real.get(name, name) for name in names} |
                    {"build-essential", "fuse3", "lintian"})
    root = bare_root.make("debian-build", wanted)
    shutil.rmtree(OUT, ignore_errors=True)
    OUT.mkdir(parents=True)
    bare_root.copy_tree(work / "tree")
    bare_root.trial(root, work, AGAIN, out=OUT)
    print(bare_root.trial(root, work, LINTIAN, out=OUT), end="")


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = bare_root.pathlib.Path(folder)
        os.chmod(work, 0o755)
        build(work)
        packages = sorted(OUT.glob("*.deb"))
        assert {path.name.partition("_")[0] for path in packages} == NAMES, packages
        for path in packages:
            print(f"{path.name}: {path.stat().st_size} bytes")
            shutil.copy(path, work)
        root = bare_root.make("debian")
        print(bare_root.trial(root, work, INSTALL + "(cd tree; sh packaging/debian/tests/installed)"
                              + REMOVE, network=True), end="")
        print(bare_root.trial(root, work, INSTALL + UNITS, network=True), end="")


main()

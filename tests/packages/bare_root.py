# SPDX-License-Identifier: Apache-2.0
"""
Bare roots of Debian, in which packages are tried.

A root is made once, by mmdebstrap from the mirror of this machine's apt, and kept below
build-packages/roots. A trial sees a copy of it: an overlay in memory, in mount and process
namespaces of its own, so that a trial leaves neither files nor daemons. Without `network` nothing
can be fetched.
"""
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(os.environ["SOURCE_ROOT"])
OUT = ROOT / "build-packages"
HERE = pathlib.Path(__file__).parent
# No variable of this machine is seen in a root, such as one that says where pip looks.
CLEAN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/trial",
         "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}

USERS = {"root": "0:0", "user": "1000:1000"}
HOOKS = pathlib.Path("/usr/share/mmdebstrap/hooks")

# Arguments: the root, the files of the trial, the user, the folder of results, then the command.
# The trial runs in its own namespaces: when it ends, only its results remain.
TRIAL = r"""
set -e
root=$1 files=$2 user=$3 out=$4; shift 4
mount --make-rprivate /
mount -t tmpfs lodfs-trial /mnt && mkdir /mnt/upper /mnt/work /mnt/all
mount -t overlay -o lowerdir="$root",upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/all ||
    exit 77
cp -a "$files" /mnt/all/trial && chmod 1777 /mnt/all/trial
mount -t proc proc /mnt/all/proc
rm -f /mnt/all/dev/fuse /mnt/all/dev/null
mknod -m 666 /mnt/all/dev/null c 1 3 && mknod -m 666 /mnt/all/dev/fuse c 10 229
mkdir /mnt/all/out && mount --bind "$out" /mnt/all/out
[ -e /mnt/all/etc/mtab ] || ln -s /proc/self/mounts /mnt/all/etc/mtab
exec chroot --userspec="$user" /mnt/all "$@"
"""


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip(f"{program} is missing")
    if os.geteuid() != 0:
        skip("only root can make a root to try packages in")


def run(command, **options):
    """The output; a command that fails ends the test."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode:
        print(f"failed with {done.returncode}: {' '.join(map(str, command))}\n{done.stdout}")
        sys.exit(1)
    return done.stdout


def build(what, out=OUT):
    """packaging/build, which builds what has changed."""
    return run([ROOT / "packaging" / "build", what, out])


def sources(suite):
    """The lines of apt for this machine's mirror, with another suite's names where asked for."""
    own = run(["sh", "-c", ". /etc/os-release; echo $VERSION_CODENAME"]).strip()
    lines = run(["apt-get", "indextargets", "--format", "deb $(SITE) $(RELEASE) $(COMPONENT)",
                 "Identifier: Packages"])
    return "".join(f"{line}\n" for line in sorted(set(lines.splitlines()))).replace(own, suite)


# A root with these packages needs dpkg for nothing: their files are all of it.
BASE = ("coreutils", "dash", "debianutils", "diffutils", "findutils", "grep", "libc-bin", "sed",
        "util-linux")


def make(name, packages=(), suite="bookworm", installed=True):
    """The folder of a root with these packages, installed by apt; or only unpacked, which is
    quicker.
    """
    need("mmdebstrap", "unshare")
    root, stamp = OUT / "roots" / name, OUT / "roots" / f"{name}.made"
    wanted = f"{suite} {' '.join(packages)}\n"
    if stamp.exists() and stamp.read_text() == wanted:
        return root
    stamp.unlink(missing_ok=True)
    shutil.rmtree(root, ignore_errors=True)
    root.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["mmdebstrap", "--quiet", f"--variant={'apt' if installed else 'extract'}", "--mode=root",
         "--dpkgopt=force-unsafe-io", "--aptopt=Acquire::Languages \"none\"",
         f"--hook-dir={HOOKS / 'merged-usr'}",
         f"--include={','.join((*packages, *(('apt',) if installed else BASE)))}", suite, root,
         "-"],
        input=sources(suite), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    if done.returncode:
        skip(f"no root of {suite} can be made: {done.stdout.strip().splitlines()[-1:]}")
    if not installed:
        complete(root)
        for program in root.glob("usr/bin/fusermount3"):  # as the script of package fuse3 does
            program.chmod(0o4755)
    stamp.write_text(wanted)
    return root


def complete(root):
    """Makes the folders, users and certificates that scripts of packages make."""
    for folder in ("dev", "etc", "proc", "tmp", "usr/bin"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "tmp").chmod(0o1777)
    certificates = sorted(root.glob("usr/share/ca-certificates/mozilla/*.crt"))
    if certificates:  # pip of newer suites reads them, whatever it does
        (root / "etc" / "ssl" / "certs").mkdir(parents=True, exist_ok=True)
        (root / "etc" / "ssl" / "certs" / "ca-certificates.crt").write_bytes(
            b"".join(path.read_bytes() for path in certificates))
    (root / "etc" / "passwd").write_text("root:x:0:0::/:/bin/sh\nuser:x:1000:1000::/:/bin/sh\n")
    (root / "etc" / "group").write_text("root:x:0:\nuser:x:1000:\n")


def busybox():
    """A root of one program: busybox, under the names of its commands."""
    need("busybox", "unshare")
    if "not a dynamic" not in run(["sh", "-c", "ldd $(command -v busybox) 2>&1 || :"]):
        skip("busybox-static is missing")
    root = OUT / "roots" / "busybox"
    shutil.rmtree(root, ignore_errors=True)
    (root / "bin").mkdir(parents=True)
    shutil.copy(shutil.which("busybox"), root / "bin" / "busybox")
    for name in run(["busybox", "--list"]).split():
        if name != "busybox":
            (root / "bin" / name).symlink_to("busybox")
    complete(root)
    return root


def files(work, *wanted):
    """A folder for a trial: these files, tour.sh, and photographs."""
    work = pathlib.Path(work)
    run([os.environ["PHOTOGRAPHS"], work / "photographs", "6"])
    for path in (HERE / "tour.sh", *wanted):
        shutil.copy(path, work)
    os.chmod(work, 0o755)
    return work


def attempt(root, work, script, network=False, user="root", out=None):
    """(exit status, output) of a shell script in a copy of the root, with `work` as /trial, and
    `out` as /out, the one place where something can be left."""
    command = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts",
               *(() if network else ("--net",)), "sh", "-c", TRIAL, "trial", root, work,
               USERS[user], out or work, "sh", "-euc", f"cd /trial; {script}"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env=CLEAN)
    if done.returncode == 77:
        skip("no overlay can be mounted here")
    return done.returncode, done.stdout


def trial(root, work, script, **options):
    """The output of a script that has to succeed."""
    code, text = attempt(root, work, script, **options)
    if code:
        print(f"failed with {code}:\n{script}\n{text}")
        sys.exit(1)
    return text


def refused(root, work, script, line, **options):
    """Checks that a script fails, and that its whole output is one line with these words."""
    code, text = attempt(root, work, script, **options)
    if code == 0 or len(text.splitlines()) != 1 or line not in text:
        print(f"exit {code} instead of one line with '{line}':\n{script}\n{text}")
        sys.exit(1)


def copy_tree(to):
    """The files that git tracks or would track; without git, all but builds."""
    if not (ROOT / ".git").exists():
        shutil.copytree(ROOT, to, ignore=shutil.ignore_patterns("build-*", "__pycache__"))
        return
    listed = run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others",
                  "--exclude-standard", "--deduplicate"])
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            os.makedirs((to / name).parent, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)

# SPDX-License-Identifier: Apache-2.0
"""
engines.py parallel|ray|dask|slurm: the demo of each engine packs a source in parts. Each part runs
once, after the plan and before the commit. The store is that of one process, byte for byte. A
second run of the demo is refused, which is not tried with Slurm. Ray and Dask come from the Python
index, into an environment of the test's own; Slurm is Debian's, with this machine as its only node.
"""
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from environment import Missing, python_with

DEMO = pathlib.Path(__file__).resolve().parent.parent.parent / "demo"
OPTIONS = ["--record-size=64K", "--scans=default", "--exclude=it's not"]
PARTS = "4"
STEPS = 8  # at least the plan, the parts and the commit: Slurm could run all of them at once
SKIPPED, PATIENCE_S = 77, 240
SLURM = ("munged", "slurmctld", "slurmd", "sbatch")

# A lodfs that writes down when each step begins and ends. A step lasts at least a second, and the
# last part as long as all others, so that a step which does not wait for those before it overlaps
# one of them. A part waits for another part.
NOTING = """#!/bin/sh
step=commit
for word; do case $word in --plan | --part=*) step=$word ;; esac; done
echo "begin $step" >>'{calls}'
sleep 1
[ $step != '--part={parts}/{parts}' ] || sleep 3
tenths=0
while [ "${{step#--part}}" != "$step" ] && [ "$(grep -c 'begin --part' '{calls}')" = 1 ] &&
    [ $tenths != 300 ]; do
    sleep .1
    tenths=$((tenths + 1))
done
'{lodfs}' "$@"
code=$?
echo "end $step" >>'{calls}'
exit $code
"""


def run(*command, **how):
    return subprocess.run([str(word) for word in command], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)


def make_source(work):
    (work / "source").mkdir()
    for number in range(40):
        folder = work / "source" / f"class {number % 3}"
        folder.mkdir(exist_ok=True)
        (folder / f"{number}.bin").write_bytes(bytes([number]) * (8_000 + number))
    (work / "source" / "it's not").write_bytes(b"left out")


def same(left, right):
    names = sorted(p.relative_to(left) for p in left.rglob("*") if p.is_file())
    others = sorted(p.relative_to(right) for p in right.rglob("*") if p.is_file())
    return names == others and all(
        filecmp.cmp(left / name, right / name, shallow=False) for name in names)


def note_steps(work):
    """Makes the demos use a lodfs that notes its steps in the file `calls`."""
    noting = work / "lodfs"
    real = shutil.which(os.environ["LODFS"])
    script = NOTING.format(calls=work / "calls", lodfs=real, parts=PARTS)
    noting.write_text(script, encoding="utf-8")
    noting.chmod(0o755)
    (work / "calls").touch()
    os.environ["LODFS"] = str(noting)


def in_order(calls):
    """Returns whether the plan ended, then each part ran once, and then the commit began. Two parts
    ran at once, for which Ray and Dask need two processors."""
    parts = [f"--part={k}/{PARTS}" for k in range(1, int(PARTS) + 1)]
    return calls[:2] == ["begin --plan", "end --plan"] and \
        calls[-2:] == ["begin commit", "end commit"] and \
        (calls[3].startswith("begin") or len(os.sched_getaffinity(0)) == 1) and \
        sorted(calls[2:-2]) == sorted(f"{what} {part}" for part in parts
                                      for what in ("begin", "end"))


def parallel(work):
    return run(DEMO / "pack_parallel.sh", PARTS, 2, work / "source", work / "store", *OPTIONS)


def ray(work):
    python = python_with("ray", ["ray"])
    return run(python, DEMO / "pack_ray.py", PARTS, work / "source", work / "store", *OPTIONS,
               env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}, timeout=PATIENCE_S)


def dask(work):
    python = python_with("dask", ["dask[distributed]"])
    return run(python, DEMO / "pack_dask.py", "local", PARTS, work / "source", work / "store",
               *OPTIONS, timeout=PATIENCE_S)


def configure(folder):
    """Writes the configuration of a cluster of only this machine, on ports of its own."""
    host = os.uname().nodename
    port = 20_000 + os.getpid() % 10_000 * 2
    (folder / "spool").mkdir()
    (folder / "state").mkdir()
    (folder / "slurm.conf").write_text(f"""ClusterName=parts
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmctldPort={port}
SlurmdPort={port + 1}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
MpiDefault=none
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs={STEPS} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""", encoding="utf-8")


def daemons(folder):
    """Starts munge and both daemons. Returns their processes, which the caller ends."""
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    commands = (["munged", "--foreground", "--force", f"--socket={folder}/munge.socket",
                 f"--key-file={key}", f"--pid-file={folder}/munge.pid",
                 f"--log-file={folder}/munge.log", f"--seed-file={folder}/munge.seed"],
                ["slurmctld", "-D", "-f", folder / "slurm.conf", "-L", folder / "slurmctld.log"],
                ["slurmd", "-D", "-f", folder / "slurm.conf", "-L", folder / "slurmd.log"])
    started = []
    for command in commands:
        with open(folder / f"{command[0]}.out", "wb") as out:
            started.append(subprocess.Popen([str(word) for word in command], env=env,
                                            stdin=subprocess.DEVNULL, stdout=out, stderr=out))
        time.sleep(1)
    return started


def wait_for(condition, seconds=PATIENCE_S):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(.5)
    return condition()


def slurm(work):
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [name for name in SLURM if not shutil.which(name)]
    if missing or os.getuid():
        raise Missing(f"needs root, and {', '.join(SLURM)} of Debian's packages slurmctld, slurmd, "
                      "slurm-client and munge")
    folder = work / "slurm"
    folder.mkdir()
    work.chmod(0o755)
    configure(folder)
    started = daemons(folder)
    env = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf")}
    try:
        if not wait_for(lambda: "idle" in run("sinfo", "-h", "-o", "%T", env=env).stdout, 60):
            log = (folder / "slurmd.log").read_text(encoding="utf-8")[-300:]
            raise Missing(f"this machine cannot be a node of Slurm: {log}")
        done = run(DEMO / "pack_slurm.sh", PARTS, work / "source", work / "store", *OPTIONS,
                   env=env)
        wait_for(lambda: not run("squeue", "-h", env=env).stdout.strip())
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()
    return done


def main(what):
    os.environ.setdefault("LODFS", "lodfs")
    with tempfile.TemporaryDirectory(prefix="lodfs-engines-") as name:
        work = pathlib.Path(name)
        make_source(work)
        reference = run(os.environ["LODFS"], "pack", "-q", *OPTIONS, work / "source",
                        work / "reference")
        note_steps(work)
        engines = {"parallel": parallel, "ray": ray, "dask": dask, "slurm": slurm}
        try:
            done = engines[what](work)
        except Missing as missing:
            print(f"SKIP: {missing}")
            return SKIPPED
        logs = [p.read_text(encoding="utf-8", errors="replace") for p in work.glob("store.*.log")]
        if reference.returncode or done.returncode or not (work / "store/manifest.json").exists():
            print(f"FAILED: {reference.stdout}{done.stdout}{logs}")
            return 1
        if not same(work / "reference", work / "store"):
            print("FAILED: the store differs from that of one process")
            return 1
        calls = (work / "calls").read_text(encoding="utf-8").splitlines()
        if not in_order(calls):
            print(f"FAILED: other steps, or in another order: {calls}")
            return 1
        if what != "slurm":  # whose cluster has ended
            again = engines[what](work)
            if not again.returncode or not same(work / "reference", work / "store"):
                print(f"FAILED: a second run is not refused: {again.stdout}")
                return 1
    print(f"{what}: a store of {PARTS} parts, equal to that of one process")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

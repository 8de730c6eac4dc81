# SPDX-License-Identifier: Apache-2.0
"""lodfs warmup brings a fidelity into a tier: mounts then ask the store for nothing. A rerun
continues where it stopped. It reports records without room, unreadable records, and unusable tiers.
"""
import json
import os
import signal
import subprocess
import sys
import time

from mounted import Results, Work, lodfs, need_fuse
from small import Foreground, files_below, read, until, write
from tier import MIB, make_tier, stats, tier_bytes, tier_files

SLOW = "download_limit=20M,download_latency=3,download_parallel=4"


def make_store(work):
    """Photographs and 8 MB of other files in records of 256 KiB. Returns their bytes."""
    source = f"{work}/source"
    os.makedirs(f"{source}/photographs")
    os.spawnl(os.P_WAIT, os.environ["PHOTOGRAPHS"], "photographs", f"{source}/photographs", "60")
    for i in range(40):
        write(f"{source}/others/{i}.bin", os.urandom(200_000))
    lodfs("pack", "--scans=default", "--order=path", "--record-size=256K", source, f"{work}/store")
    os.mkdir(f"{work}/mount")
    return {name: read(f"{source}/{os.fsdecode(name)}") for name in files_below(source)}


def warm(work, tier, *more, size="1G"):
    """Returns (exit code, the document)."""
    done = lodfs("warmup", f"{work}/store", "--json", "-o", f"tier_dir={tier},tier_size={size}",
                 *more, check=False)
    return done.returncode, json.loads(done.stdout or b"{}")


def expect(what, got, wanted):
    if got != wanted:
        yield f"{what}: {got}, not {wanted}"


def mounted(work, tier, size="1G"):
    return Foreground(f"{work}/store", f"{work}/mount", f"{work}/log", "-o",
                      f"{SLOW},tier_dir={tier},tier_size={size},cache_size=24M,gpu=off")


def asked(work, tier, folder, names):
    """Returns how many bytes of the store a mount reads for these files."""
    with mounted(work, tier) as mount:
        for name in names:
            read(f"{mount.point}/{folder}/{os.fsdecode(name)}")
        return stats(mount.point)["store"]["bytes"]


def fidelities(work, truth):
    """q2 takes a part of full, and readers of q2 ask the store for nothing."""
    tier = make_tier(work, "fidelities")
    code, first = warm(work, tier, "--fidelity=q2")
    yield from expect("exit of q2", code, 0)
    yield from expect("bytes there", tier_bytes(tier) >= first["loaded"] == first["bytes"], True)
    names = [name for name in truth if name.startswith(b"photographs/")]
    yield from expect("bytes of the store at q2", asked(work, tier, "q2", names), 0)
    code, again = warm(work, tier, "--fidelity=q2")
    yield from expect("loaded again", (code, again["loaded"]), (0, 0))
    code, full = warm(work, tier)
    yield from expect("exit of full", code, 0)
    yield from expect("of full was there", 0 < full["there_before"] <= first["loaded"], True)
    yield from expect("full is more", full["loaded"] > 0, True)
    yield from expect("bytes of the store at full", asked(work, tier, "full", truth), 0)
    os.unlink(tier_files(tier)[0])
    code, mended = warm(work, tier)
    yield from expect("exit with one slice again", code, 0)
    if not 0 < mended["loaded"] <= 256 * 1024 * 2:
        yield f"one slice again: {mended}"


def subtree(work, truth):
    tier = make_tier(work, "subtree")
    code, part = warm(work, tier, "others")
    yield from expect("exit of a folder", code, 0)
    others = [name for name in truth if name.startswith(b"others/")]
    yield from expect("its bytes of the store", asked(work, tier, "full", others), 0)
    code, one = warm(work, make_tier(work, "one"), "others/7.bin")
    yield from expect("one file", (code, one["records"]), (0, 1))
    yield from expect("less than all", part["bytes"] < warm(work, tier)[1]["bytes"], True)


def of_mount(work, _truth):
    """The settings are those of the mount, also in the background."""
    tier = make_tier(work, "of_mount")
    with mounted(work, tier) as mount:
        begun = time.monotonic()
        yield from expect("in the background", lodfs("warmup", "-b", mount.point).returncode, 0)
        if time.monotonic() - begun > 120:
            yield "the background kept its parent"
        size = until(lambda: warm_is_over(mount.point) and tier_bytes(tier))
        text = lodfs("warmup", mount.point).stdout
        yield from expect("the rest", text.count(b"0 B loaded"), 1)
        yield from expect("no more bytes", tier_bytes(tier), size)


def warm_is_over(point):
    document = json.loads(lodfs("warmup", "--json", point).stdout)
    return document["there_before"] == document["bytes"]


def no_room(work, _truth):
    """A full tier takes no more, except with --evict. A list elsewhere is not needed for that."""
    tier = make_tier(work, "no_room")
    code, whole = warm(work, tier, "others")
    code, left = warm(work, tier, "photographs", size="5M")
    yield from expect("no room", (code, left["loaded"], left["left_out"] > 0), (3, 0, True))
    code, room = warm(work, tier, "--evict", "photographs", size=whole["bytes"])
    yield from expect("with --evict", (code, room["left_out"]), (0, 0))
    if tier_bytes(tier) > whole["bytes"] + MIB:
        yield f"{tier_bytes(tier)} bytes for {whole['bytes']}"


def stopped(work, _truth):
    """SIGINT ends it with 130, SIGKILL at once; both times the next run continues."""
    tier = make_tier(work, "stopped")
    for number in signal.SIGINT, signal.SIGKILL:
        child = subprocess.Popen([os.environ["LODFS"], "warmup", f"{work}/store", "-o",
                                  f"tier_dir={tier},tier_size=1G,download_limit=2M"],
                                 stderr=subprocess.PIPE)
        before = tier_bytes(tier)
        until(lambda was=before: tier_bytes(tier) > was)
        child.send_signal(number)
        text = child.communicate()[1]
        if number == signal.SIGINT:
            told = b"run the same command again" in text
            yield from expect("interrupted", (child.returncode, told), (130, True))
    code, rest = warm(work, tier)
    yield from expect("afterwards", (code, rest["there_before"] > 0), (0, True))
    yield from expect("all", rest["there_before"] + rest["loaded"], rest["bytes"])


def refused(work, _truth):
    tier = make_tier(work, "refused")
    cases = (
        ("no tier", 2, b"there is no tier", [f"{work}/store"]),
        ("no store", 10, b"no such folder",
         [f"{work}/none", "-o", f"tier_dir={tier},tier_size=1G"]),
        ("no size", 2, b"tier_size", [f"{work}/store", "-o", f"tier_dir={tier}"]),
        ("no path", 1, b"there is no 'x/y'",
         [f"{work}/store", "x/y", "-o", f"tier_dir={tier},tier_size=1G"]),
        ("a file", 1, b"not a folder",
         [f"{work}/store", "-o", f"tier_dir={work}/store/index,tier_size=1G"]),
        ("no folder, in the background", 1, b"mkdir -m 700",
         ["-b", f"{work}/store", "-o", f"tier_dir={work}/none,tier_size=1G"]),
    )
    for what, code, words, arguments in cases:
        done = lodfs("warmup", *arguments, check=False)
        if done.returncode != code or words not in done.stderr or done.stderr.count(b"\n") != 1:
            yield f"{what}: exit {done.returncode}, {done.stderr}"
    with Foreground(f"{work}/store", f"{work}/mount", f"{work}/log") as mount:
        done = lodfs("warmup", mount.point, check=False)
        yield from expect("a mount without a tier", (done.returncode, b"no tier" in done.stderr),
                          (1, True))


def lost_record(work, _truth):
    """A missing record is reported; the others are loaded."""
    tier, name = make_tier(work, "lost"), f"{work}/store/records/000003.raw"
    os.rename(name, name + "~")
    code, document = warm(work, tier, "--fidelity=q1")
    yield from expect("exit", (code, document["failed_records"]), (1, 1))
    yield from expect("the others", document["loaded"] > 4 * MIB, True)
    os.rename(name + "~", name)


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        truth = make_store(work)
        for part in (fidelities, subtree, of_mount, no_room, stopped, refused, lost_record):
            results.add(part.__name__, part(work, truth))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

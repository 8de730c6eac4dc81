# SPDX-License-Identifier: Apache-2.0
"""Mini-epochs when something fails: the daemon is killed, the trainer stands still, jobs share a
mount or a number, a record is gone, scores say nothing, a dataset is very small or large.
repeats.py has jobs that go well.
"""
import errno
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter

import stores
from mounted import Mount, Results, Work, lodfs as run_lodfs, need_fuse, skip
from small import daemons, read, until

try:
    import numpy  # noqa: F401
except ImportError:
    skip("there is no NumPy (Debian: python3-numpy)")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))
import lodfs
from lodfs import _announced

EACH, LIST_KEPT_S = 80, 600
SLOW = ("-o", "gpu=off,store_cache=private,cache=none,download_limit=4M,cache_size=4M")


def stats(point):
    with open(f"{point}/.lodfs/stats", encoding="utf-8") as file:
        return json.load(file)


def lists(point):
    return stats(point)["ahead"]["lists"]


def kill_daemon(point):
    """Kills only the daemon of this mount, and waits until nothing is mounted."""
    pid, = daemons(point)
    os.kill(pid, signal.SIGKILL)
    subprocess.run(["umount", "-l", point], check=False, stderr=subprocess.DEVNULL)
    return until(lambda: not os.path.ismount(point))


def killed(store, work):
    """A daemon that is killed and mounted again gets the list; the order is that of a quiet run."""
    point = f"{work}/killed"
    os.makedirs(point)
    run_lodfs("mount", store, point, *SLOW)
    expected = list(lodfs.MiniEpochs(f"{point}/q4", rf=2, room="300K"))
    met = lodfs.MiniEpochs(f"{point}/q4", rf=2, room="300K")
    way = iter(met)
    got = [next(way) for _ in range(5)]
    if not kill_daemon(point):
        yield "the daemon lives"
    got += [next(way) for _ in range(30)]
    with Mount(store, point, *SLOW):
        got += list(way)
        if got != expected:
            yield "the order is another one"
        if not until(lambda: met._announced.ask() >= 0 and lists(point) == 1):
            yield "the new daemon has no list"


def two_jobs(point):
    """Each of two jobs gets half of the room. A job whose share would be too small is refused."""
    one = lodfs.MiniEpochs(f"{point}/full", rf=2)
    alone = one._announced.room
    two = lodfs.MiniEpochs(f"{point}/full", rf=2)
    list(zip(range(5), one)), list(zip(range(5), two))
    one._announced.ask()
    if not one._announced.room == two._announced.room == alone // 2:
        yield f"of {alone} two jobs have {one._announced.room} and {two._announced.room}"
    jobs = [one, two]
    try:
        while len(jobs) < 64:
            jobs.append(lodfs.MiniEpochs(f"{point}/full", rf=2))
        yield "64 jobs share 3 MiB"
    except ValueError as error:
        if "larger cache_size or tier_size" not in str(error):
            yield f"the message is {error}"


def one_number(point, source):
    """Two jobs of one number replace each other's list. Their orders and bytes are as before."""
    def new(seed):
        return lodfs.MiniEpochs(f"{point}/full", rf=2, room="300K", seed=seed)
    expected = list(zip(new(1).paths(), new(2).paths()))
    one, two = new(1), new(2)
    two._announced.end()
    two._announced.job = one._announced.job
    got = []
    for pair in zip(one.paths(), two.paths()):
        got.append(pair)
        one._announced.ask(), two._announced.ask()
        for path in pair:
            if read(path) != read(f"{source}/{os.path.relpath(path, point + '/full')}"):
                yield f"{path} has other bytes"
    if got != expected or len(got) != EACH:
        yield "the orders are others"
    if lists(point) != 1:
        yield f"one number has {lists(point)} lists"
    del two
    if not until(lambda: one._announced.ask() > 0):
        yield "the end of one of the jobs ends the list of the other"


def long_list(point):
    """100,000 paths of a few files: each is dealt. A window may belong to two passes."""
    files = [f"{point}/q4/{path}" for path in stores.files_below(f"{point}/q4")]
    paths = (files * (100_000 // EACH + 1))[:100_000]
    met = lodfs.MiniEpochs(paths, rf=1, room="300K")
    counts = Counter([*met, *met])
    if len(counts) != len(paths) or not set(counts.values()) <= {1, 2, 3}:
        yield f"of 100,000 paths two epochs dealt {len(counts)}, {Counter(counts.values())} times"


def single(work, source):
    """A dataset of one picture has it in each epoch, whatever the policy."""
    path = stores.files_below(source)[0]
    os.makedirs(f"{work}/single")
    os.link(f"{source}/{path}", f"{work}/single/one.jpg")
    with Mount(stores.pack(f"{work}/single", f"{work}/single.lodfs"), f"{work}/one") as point:
        for rf in 1, 4, "auto", "score", "bollinger":
            met, dealt = lodfs.MiniEpochs(f"{point}/full", rf=rf), []
            for _ in met.repeats(epochs=3):
                dealt += met.paths()
                if isinstance(rf, str) and rf != "auto":
                    met.report(1)
            if dealt != [f"{point}/full/one.jpg"] * 3:
                yield f"rf {rf}: 3 epochs of a picture are {dealt}"


def stands_still(point):
    """A list that expired while its trainer was stopped is sent again."""
    kept, _announced._KEEP_S = _announced._KEEP_S, 1
    try:
        met = lodfs.MiniEpochs(f"{point}/q4", rf=2, room="300K")
        met._announced._keep_s = 1
        expected = list(lodfs.MiniEpochs(f"{point}/q4", rf=2, room="300K"))
        way = iter(met)
        got = [next(way) for _ in range(3)]
        met._announced.announce(met._announced._records)
        time.sleep(1.5)
        if not until(lambda: lists(point) == 0):
            yield "the list is kept"
        got += list(way)
        if got != expected:
            yield "the order is another one"
        if not met._announced._records or met._announced._lost:
            yield "the list was not sent again"
    finally:
        _announced._KEEP_S = kept


def killed_trainer(point):
    """The list of a trainer that was killed is dropped after 10 minutes: no call asks for more."""
    ahead, kept = lodfs.Mount.ahead, []

    def noted(*arguments, **options):
        kept.append(options.get("keep_s"))
        return ahead(*arguments, **options)
    lodfs.Mount.ahead = noted
    try:
        list(lodfs.MiniEpochs(f"{point}/q4", rf=2, room="300K"))
    finally:
        lodfs.Mount.ahead = ahead
    if set(kept) != {LIST_KEPT_S}:
        yield f"the lists are kept for {set(kept)} seconds"


FAILING = """
import sys, threading
import lodfs
met = lodfs.MiniEpochs(sys.argv[1], rf=2, room="300K")
way = iter(met)
next(way)
threading.Thread(target=lambda kept: threading.Event().wait(), args=(way,), daemon=True).start()
raise ValueError("the model has another shape")
"""


def failed_script(point):
    """A script that fails leaves no list, also where a thread of a framework keeps its iterator."""
    environment = dict(os.environ, PYTHONPATH=f"{os.environ['SOURCE_ROOT']}/src/python")
    done = subprocess.run([sys.executable, "-c", FAILING, f"{point}/q4"], check=False,
                          stderr=subprocess.PIPE, env=environment)
    if b"another shape" not in done.stderr or lists(point):
        yield f"{lists(point)} lists are left: {done.stderr}"


def whole_epoch(point):
    """Returns a job that reads all records in an epoch."""
    return lodfs.MiniEpochs(f"{point}/full", rf=1, room="1M")


def gone_record(source, store, point, record):
    """A record can never be read: its files fail with EIO, all others are read, the job ends."""
    path = f"{store}/records/{sorted(os.listdir(store + '/records'))[record]}"
    os.rename(path, f"{path}.away")
    try:
        met = whole_epoch(point)
        codes = Counter()
        for name in met.paths():
            try:
                right = read(f"{source}/{os.path.relpath(name, point + '/full')}")
                codes["right" if read(name) == right else "wrong bytes"] += 1
            except OSError as error:
                codes[error.errno] += 1
        # Records of 64 KiB hold a few photographs each.
        if codes.keys() != {errno.EIO, "right"} or codes[errno.EIO] > EACH // 8:
            yield f"readers of a store without one record get {codes}"
        failed, waits = stats(point)["store"]["failed"], stats(point)["loads"]["waits"]
        if failed > EACH or waits > 2 * EACH:
            yield f"{failed} requests failed, and readers waited {waits} times"
    finally:
        os.rename(f"{path}.away", path)


def dull_scores(point):
    """Scores that never change, or are not finite, do not stop a job or make it repeat for ever."""
    for policy in "score", "bollinger":
        for score in .5, 0., float("nan"), float("inf"), -float("inf"), 1e300:
            met = lodfs.MiniEpochs(f"{point}/q4", rf=policy, rf_max=3, room="300K")
            for number in met.repeats(epochs=2):
                list(met)
                met.report(score)
                if number > 500:
                    yield f"{policy}: {score} for ever never ends"
                    break
            if any(not 1 <= rf <= 3 for _, rf in met.history):
                yield f"{policy}, {score}: {met.history}"
        for wrong in "good", None, [1, 2]:
            met = lodfs.MiniEpochs(f"{point}/q4", rf=policy, room="300K")
            try:
                met.report(wrong)
                yield f"{policy}: the score {wrong!r} is taken"
            except (TypeError, ValueError):
                pass


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store = stores.in_small_records(work, EACH, 2)
        results.add("daemon killed", killed(store, work))
        results.add("a single picture", single(work, f"{work}/source"))
        for name, test in (("two jobs", two_jobs), ("a trainer stands still", stands_still),
                           ("a trainer is killed", killed_trainer),
                           ("a script fails", failed_script),
                           ("one hundred thousand paths", long_list),
                           ("scores that say nothing", dull_scores)):
            with Mount(store, f"{work}/mount", *SLOW) as point:
                results.add(name, test(point))
        with Mount(store, f"{work}/mount", *SLOW) as point:
            results.add("two jobs of one number", one_number(point, f"{work}/source"))
        with Mount(store, f"{work}/mount", *SLOW) as point:
            first = int(whole_epoch(point)._records()[0])
        with Mount(store, f"{work}/mount", *SLOW) as point:
            results.add("a record is gone", gone_record(f"{work}/source", store, point, first))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

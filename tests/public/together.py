# SPDX-License-Identifier: Apache-2.0
"""Scores of several processes: four processes on two mounts follow the score of process 0.

With a folder as argument this is one of the processes: RANK is its number.
"""
import json
import os
import subprocess
import sys

import stores
from mounted import Mount, Results, Work, need_fuse, skip

try:
    from torch import distributed
except ImportError as error:
    skip(f"{error} (Debian: python3-torch)")
if not distributed.is_available() or not distributed.is_gloo_available():
    skip("this torch has no gloo")
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))
import lodfs

RANKS, EPOCHS, ROOM, SECONDS_MAX = 4, 3, "280K", 550
# The scores that process 0 reports, and the repeats that follow from them, 3 at most.
TURNS = (("score", lambda number: number, 3), ("score", lambda number: -number, 2),
         ("bollinger", lambda number: -number ** 3, None))


def process(folder, work):
    rank = int(os.environ["RANK"])
    distributed.init_process_group("gloo", init_method=f"file://{work}/meeting", rank=rank,
                                   world_size=RANKS)
    told = []
    for policy, score, _ in TURNS:
        met = lodfs.MiniEpochs(folder, rf=policy, rf_max=3, room=ROOM, on_wait="wait")
        lengths, firsts = [], []
        for number in met.repeats(EPOCHS):
            values = list(met)
            lengths.append(len(values))
            firsts = firsts or values
            met.report(score(number) if rank == 0 else 7 * rank - score(number))
        told.append({"lengths": lengths, "firsts": firsts, "rfs": [rf for _, rf in met.history]})
    with open(f"{work}/{rank}.json", "w", encoding="utf-8") as file:
        json.dump(told, file)
    distributed.barrier()


def run_all(points, work):
    """The results of each process, or None where one failed."""
    running = []
    for rank in range(RANKS):
        environment = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(RANKS), OMP_NUM_THREADS="1")
        running.append(subprocess.Popen(
            [sys.executable, __file__, f"{points[rank % 2]}/q4", work], env=environment))
    try:
        failed = [rank for rank, process in enumerate(running) if process.wait(SECONDS_MAX)]
    finally:
        for process in running:
            process.kill()
    if failed:
        return None
    return [json.loads(open(f"{work}/{rank}.json", encoding="utf-8").read())
            for rank in range(RANKS)]


def agreed(found):
    if not found:
        yield "a process failed"
        return
    for turn, (policy, _, repeats) in enumerate(TURNS):
        of_turn = [process[turn] for process in found]
        for name in "lengths", "rfs":
            if any(process[name] != of_turn[0][name] for process in of_turn):
                yield f"{policy}: the processes have other {name}: {of_turn}"
        rfs = of_turn[0]["rfs"]
        if repeats and rfs != [repeats]:
            yield f"{policy}: parts were repeated {rfs} times, and the scores of 0 say {repeats}"
        files = [value for process in of_turn for value in process["firsts"]]
        if len(files) != len(set(files)):
            yield f"{policy}: two processes were dealt one file"
        if len(of_turn[0]["lengths"]) < 2 * EPOCHS:
            yield f"{policy}: {EPOCHS} epochs were {len(of_turn[0]['lengths'])} repeats"


def alone(point):
    try:
        lodfs.MiniEpochs(f"{point}/q4", rf="bollinger", room=ROOM, rank=1, world=2)
        yield "two processes without a group are taken"
    except ValueError as error:
        if "torch.distributed" not in str(error):
            yield f"the message is {error}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        store = stores.in_small_records(work, 160, 1)
        with Mount(store, f"{work}/a") as first, Mount(store, f"{work}/b") as second:
            results.add("scores together", agreed(run_all((first, second), work)))
            results.add("without a group", alone(first))
    return results.finish()


if __name__ == "__main__":
    sys.exit(process(*sys.argv[1:]) if len(sys.argv) > 1 else main())

# SPDX-License-Identifier: Apache-2.0
"""
A loss of power during a pack in parts (power_loss.py): the plan, two parts and the commit, each
behind those before it. A commit right after the loss makes the whole store, or says what is
missing. The files of a plan or a part stay, once it has ended.
"""
import os
import random
import sys

import plain_files
from failing import contents, pack_command
from long import counted, share
from mounted import Results, Work, lodfs
from power_loss import OWN, History, Pack, fresh, make_small, packed, record
from tiny import write

OWN |= {b"pack.plan", b"pack.plan.tmp", b"pack.parts"}


class Part:
    """Checks a folder in which FOLDER/store was being packed in parts, in one of the stages."""

    def __init__(self, source, wanted, stage):
        self.whole, self.wanted, self.stage = Pack(source, wanted), wanted, stage

    def by_sight(self, state, ended):
        if not ended or not self.stage:
            return self.whole.by_sight(state, ended)
        lost = {b"store/pack.plan", b"store/pack.journal"} - set(state)
        records = [name for name in sorted(self.wanted) if name.startswith(b"records/")][1:]
        written = {"--plan": 0, "--part=1/2": 1, "--part=2/2": 2}[self.stage]
        lost |= {name for name in records[:written]
                 if state.get(b"store/" + name) != self.wanted[name]}
        return [f"{sorted(lost)} are lost after success"] if lost else []

    def by_rerun(self, folder):
        command = pack_command(self.whole.source, f"{folder}/store")
        code = lodfs(*command, check=False).returncode
        if code == 1:
            yield "the commit refuses a plan that is there"
        if code == 12:
            for words in (("--part=1/2",), ("--part=2/2",), ()):
                code = code if code not in (0, 12) else lodfs(*command, *words,
                                                              check=False).returncode
        if code:
            yield f"plan, parts or commit: exit {code}"
        elif contents(f"{folder}/store") != self.wanted:
            yield "the commit makes a different store"


def parts(work, results, chance):
    """Records each stage behind those before it."""
    folder, command = f"{work}/disk", pack_command(f"{work}/source", f"{work}/disk/store")
    make_small(f"{work}/source")
    image = plain_files.make(random.Random(1), 150, 200, 1, 255, b"")
    write(f"{work}/source/image.pgm", image)  # the first record, which is the first part
    wanted = packed(work, f"{work}/source")
    stages = ("--plan", "--part=1/2", "--part=2/2", None)
    for number, stage in enumerate(stages):
        disk, calls, before = fresh(folder), [], 0
        for words in stages[:number + 1]:
            before = len(calls)
            calls += record(work, [*command, *([words] if words else [])])
        history = History(f"{stage or 'the commit'} of parts", folder,
                          Part(f"{work}/source", wanted, stage), chance, counted(8, 2_000))
        history.play(disk, calls, counted(60, 2_000), from_call=before)
        if not history.tried > 4:
            history.wrong.append("a stage has not written")
        history.add(results)


def main():
    results = Results()
    memory = "/dev/shm"  # a file system in memory, where fsync is fast
    with Work(memory if os.access(memory, os.W_OK) else None) as work:
        parts(work, results, random.Random(1 + share()[0]))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

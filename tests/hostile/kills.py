# SPDX-License-Identifier: Apache-2.0
"""
pack is killed at random moments. It leaves no store, or the whole one, byte for byte. Another pack
with the same arguments then makes the whole store.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import time

from long import span
from failing import committed, contents, counts, pack_command, run
from mounted import Results, Work, lodfs
from tiny import PACKED, make_source

RUNS, RUNS_LONG = 200, 1_000
AGAIN = 4  # one in AGAIN killed packs is run again


def start(source, store):
    return subprocess.Popen([os.environ["LODFS"], "pack", "-q", "-j2", "--scans=default", *PACKED,
                             source, store], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def killed(source, store, wait):
    """Runs pack and kills it after `wait` seconds. Returns whether it was still running."""
    process = start(source, store)
    time.sleep(wait)
    process.kill()
    return process.wait() == -9


def look(store, wanted):
    if not os.path.exists(f"{store}/manifest.json"):
        for command in ("info", "ls"):
            if lodfs(command, store, check=False).returncode != 10:
                yield f"{command} accepts a store without a manifest"
    elif committed(store) != wanted:
        yield "a wrong store is committed"


def again(source, store, wanted):
    done = lodfs("pack", "-q", "--scans=default", *PACKED, source, store, check=False)
    if done.returncode:
        yield f"a second pack fails: {done.stderr!r}"
    elif contents(store) != wanted:
        yield "a second pack makes a different store"


def at_commit(work, source, store):
    """Kills pack before its last rename, which is the commit, and before it removes its journal."""
    command = pack_command(source, store)
    shutil.rmtree(store, ignore_errors=True)
    made = counts(work, command)
    wanted = contents(store)
    shutil.rmtree(store)
    run(command, fail=f"rename:{made['rename']}:kill")
    yield from look(store, None)
    done = lodfs(*command, "--json", check=False)
    told = json.loads(done.stdout or "{}")
    if done.returncode or told["kept_records"] != told["records"] - 1:  # all but the tree
        yield f"killed at the commit, pack begins anew: {done.stderr!r}, {done.stdout!r:.300}"
    elif contents(store) != wanted:
        yield "killed at the commit, a second pack makes a different store"
    shutil.rmtree(store)
    run(command, fail=f"unlink:{made['unlink']}:kill")
    if not os.path.exists(f"{store}/manifest.json") or committed(store) != wanted:
        yield "killed behind the commit, there is no store"
    if lodfs("verify", store, check=False).returncode:
        yield "a journal beside a manifest spoils the store"


def main():
    results = Results()
    first, runs = span(RUNS, RUNS_LONG)
    chance = random.Random(first + 4)
    early = whole = 0
    wrong = []
    with Work() as work:
        source, store = f"{work}/source", f"{work}/store"
        make_source(source, 7, 20)
        begin = time.monotonic()
        start(source, store).wait()
        seconds = time.monotonic() - begin
        wanted = contents(store)
        for number in range(runs):
            if os.path.exists(f"{store}/manifest.json") or number % 3 == 0:
                shutil.rmtree(store)  # otherwise pack would continue the last run
            was_early = killed(source, store, chance.uniform(0, seconds * 1.1))
            early += was_early
            seconds *= 1.01 if was_early else .95  # as busy as the machine is now
            whole += os.path.exists(f"{store}/manifest.json")
            if not os.path.exists(store):
                os.mkdir(store)
                continue
            wrong += [f"run {number}: {line}" for line in look(store, wanted)]
            if number % AGAIN == 0 and not os.path.exists(f"{store}/manifest.json"):
                wrong += [f"run {number}: {line}" for line in again(source, store, wanted)]
    if early < runs // 4 or whole == 0:
        wrong.append("the moments are badly chosen: too few packs were killed, or none was whole")
    results.add(f"a killed pack leaves no store or a whole one: {runs} packs, "
                f"{early} killed before their end, {whole} whole", wrong)
    with Work() as work:
        make_source(f"{work}/source", 3, 4)
        results.add("a pack that is killed at its commit goes on",
                    list(at_commit(work, f"{work}/source", f"{work}/store")))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

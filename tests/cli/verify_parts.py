#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`verify --part=K/N`: the findings of all parts are those of one verify, for the same damage. The
store has photographs that share headers, tables made of shards, links and equal files."""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

LODFS = os.environ["LODFS"]
HERE = os.path.dirname(os.path.realpath(__file__))
DAMAGES = 36

sys.path.append(os.path.join(HERE, "..", "hostile"))
from long import share  # noqa: E402


def run(*arguments, code=0):
    done = subprocess.run([LODFS, *arguments], capture_output=True)
    if done.returncode not in (code if isinstance(code, tuple) else (code,)):
        sys.exit(f"exit {done.returncode}: {arguments}: {done.stderr.decode()}")
    return done.stdout


def make():
    subprocess.run([os.environ["PHOTOGRAPHS"], "source", "24", "1", "0", "40"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([os.path.join(HERE, "make_tables.py"), "source/tables"], check=True)
    for i in range(30):
        with open(f"source/{i}.bin", "wb") as file:
            file.write(random.randbytes(20_000))
    photograph = next(os.path.join(path, name) for path, _, names in os.walk("source")
                      for name in sorted(names) if name.endswith(".jpg"))
    shutil.copy(photograph, "source/again.jpg")
    os.link(photograph, "source/linked.jpg")
    os.symlink("0.bin", "source/link")
    run("pack", "-q", "--scans=default", "--full=scans", "--record-size=64K", "--shard-rows=250",
        "--batch-rows=50", "--tables=*.npy", "--tables=*.csv", "--one-hot",
        "--exclude=object.npy", "source", "store")


def flip(path, at):
    with open(path, "r+b") as file:
        file.seek(at)
        byte = file.read(1)[0] ^ 16
        file.seek(at)
        file.write(bytes([byte]))


def damage(store, chance):
    """Some damage anywhere; in tables twice as often, as these are made of other records."""
    names = sorted(os.listdir(f"{store}/records"))
    tables = [name for name in names if name.endswith(".toc")]
    for _ in range(chance.randint(1, 3)):
        path = f"{store}/records/{chance.choice(chance.choice((names, tables, tables)))}"
        kind = chance.randrange(12)
        if kind == 0:
            path = f"{store}/index"
        elif kind == 1:
            path = f"{store}/manifest.json"
        bytes_ = os.path.getsize(path) if os.path.exists(path) else 0
        if kind == 2 and bytes_:
            os.remove(path)
        elif kind == 3 and bytes_:
            os.truncate(path, chance.randrange(bytes_))
        elif kind == 4:
            shutil.copy(f"{store}/records/{names[-1]}", f"{store}/records/stray.raw")
        elif bytes_:
            flip(path, chance.randrange(bytes_))


def key(finding):
    return json.dumps(finding, sort_keys=True)


def compare(store, parts, *options):
    """Returns whether the parts agree with the whole, and how many findings there are."""
    whole = json.loads(run("verify", "--json", *options, store, code=(0, 1)))
    found, damages, notes, items, total, sound = [], 0, 0, 0, 0, True
    for k in range(1, parts + 1):
        part = json.loads(run("verify", "--json", *options, f"--part={k}/{parts}", store,
                              code=(0, 1)))
        found += part["findings"]
        damages += part["damages"]
        notes += part["notes"]
        items += part["items"]
        total += part["bytes"]
        sound &= part["sound"]
        if part["part"] != k or part["parts"] != parts:
            sys.exit("the JSON has another part")
    same = (sorted(map(key, found)) == sorted(map(key, whole["findings"])) and
            (damages, notes, items, total, sound) ==
            (whole["damages"], whole["notes"], whole["items"], whole["bytes"], whole["sound"]))
    if not same:
        print(f"{parts} parts {options}: {damages} damages, {items} items, {total} bytes; one has "
              f"{whole['damages']}, {whole['items']}, {whole['bytes']}")
        for name, a, b in (("parts alone", found, whole["findings"]),
                           ("one alone", whole["findings"], found)):
            print(name, [key(f) for f in a if f not in b][:3])
    return same, len(found)


def damaged_case(number, records):
    """Returns what compare() returns for a damaged copy. Without a tree and a manifest a folder is
    no store: there is nothing to compare."""
    chance = random.Random(number)
    shutil.rmtree("damaged", ignore_errors=True)
    shutil.copytree("store", "damaged")
    damage("damaged", chance)
    if not os.path.exists("damaged/records/000000.tree") and \
            not os.path.exists("damaged/manifest.json"):
        return True, 0
    options = ("--hashes",) if number % 2 else ()
    return compare("damaged", chance.choice((2, 3, 5, records)), *options)


def main():
    work = tempfile.mkdtemp()
    os.chdir(work)
    random.seed(3)
    make()
    records = len(os.listdir("store/records"))
    failed, passed, findings = 0, 0, 0
    mine, of = share()
    for parts in (1, 2, 5, records, 2 * records)[mine::of]:
        same, count = compare("store", parts)
        failed += not same or count != 0
        passed += same
    for number in range(DAMAGES)[mine::of]:
        same, count = damaged_case(number, records)
        failed += not same
        passed += same
        findings += count
    failed += findings * of < 100 or records < 20
    os.chdir("/")
    shutil.rmtree(work)
    print(f"{records} records, {findings} findings")
    print(f"tests: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())

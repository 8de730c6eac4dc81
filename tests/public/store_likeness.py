# SPDX-License-Identifier: Apache-2.0
"""Store.likeness: the same as `lodfs fidelity` says, also in a forked child; and the arguments that
it refuses.
"""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

import stores

if not importlib.util.find_spec("numpy"):
    print("SKIP: there is no NumPy")
    sys.exit(77)

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs

WRONG = ({"size": 10}, {"size": 5000}, {"size": -1}, {"crop": .5}, {"size": 96, "crop": 1.5},
         {"size": 96, "crop": float("nan")}, {"target": 1.5}, {"target": -1}, {"sample": 1},
         {"sample": 1 << 40})


def raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def command(*words):
    out = subprocess.run([os.environ["LODFS"], "fidelity", "--json", *words], check=True,
                         stdout=subprocess.PIPE).stdout
    return json.loads(out)


def check_same(found, said):
    for name in ("fidelity", "decided", "photographs", "compared", "unreadable", "small"):
        assert getattr(found, name) == said[name], (name, found, said)
    assert len(found.levels) == len(said["levels"])
    for level, wanted in zip(found.levels, said["levels"]):
        assert level._asdict().keys() == wanted.keys()
        for name, value in level._asdict().items():
            assert value == wanted[name] or abs(value - wanted[name]) < 1e-9, (name, level, wanted)


def in_child(work):
    """Runs work() in a forked child and returns whether it raised nothing."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-likeness-") as folder:
        stores.make_photographs(f"{folder}/photos")
        store = stores.pack(f"{folder}/photos", f"{folder}/store")
        stores.make_pngs(f"{folder}/pngs")
        exact = stores.pack(f"{folder}/pngs", f"{folder}/exact")
        with lodfs.open(store) as opened:
            found = opened.likeness(size=96)
            assert found.photographs == found.compared == stores.PHOTOGRAPHS
            assert found.levels[-1].last == "full" and found.levels[-1].share == 1
            check_same(found, command("--size=96", store))
            check_same(opened.likeness(size=64, crop=.25, target=.9, sample=4),
                       command("--size=64", "--crop=.25", "--target=.9", "--sample=4", store))
            assert in_child(lambda: check_same(opened.likeness(size=96), found._asdict() | {
                "levels": [level._asdict() for level in found.levels]}))
            for wrong in WRONG:
                assert "range" in raises(ValueError, lambda: opened.likeness(**wrong)), wrong
            raises(TypeError, lambda: opened.likeness(size="large"))
        assert "closed" in raises(ValueError, opened.likeness)
        with lodfs.open(exact) as opened:
            assert "lower fidelities" in raises(lodfs.LodfsError, opened.likeness)
    print("as the command says")


main()

# SPDX-License-Identifier: Apache-2.0
"""lodfs.MiniEpochs on a mount: which files a job is dealt, and how often; jobs that stop and
continue; ranks; datasets, options and states that are wrong. window.py has the loading.
"""
import copy
import json
import os
import pickle
import random
import sys
import warnings
from collections import Counter

try:
    import numpy  # noqa: F401
except ImportError:
    print("SKIP: there is no NumPy (Debian: python3-numpy)")
    sys.exit(77)
sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))
import lodfs
import stores
from mounted import Mount, Results, Work, lodfs as run_lodfs, need_fuse

EACH, ROOM = 60, "800K"


def make_source(source):
    for label in "ab":
        stores.make_photographs(f"{source}/train/{label}", EACH, ord(label))


def refused(*arguments, words="", **options):
    """Yields an error unless the call is refused with a sentence that has these words."""
    try:
        lodfs.MiniEpochs(*arguments, **options)
    except (ValueError, OSError) as error:
        if words not in str(error):
            yield f"{options}: refused without {words!r}: {error}"
        return
    yield f"{options} {str(arguments)[:80]}: not refused"


def dealt(point):
    """Each file that leaves the window was dealt exactly as often as the number says."""
    files = [f"{point}/q4/{path}" for path in stores.files_below(f"{point}/q4/train")]
    files = [path.replace("/q4/", "/q4/train/") for path in files]
    for rf in 1, 2, 4:
        for shape in "slide", "block":
            met = lodfs.MiniEpochs(files, rf=rf, shape=shape, room=ROOM)
            if len(met) != len(files):
                yield f"an epoch has {len(met)} of {len(files)} files"
            counts, epochs, firsts = Counter(), 6 * rf, None
            for _ in met.repeats(epochs):
                values = list(met)
                if len(values) != len(met):
                    yield "a repeat has not its length"
                counts.update(values)
                firsts = firsts or set(values)
            if set(counts) != set(range(len(files))):
                yield f"rf {rf}: {len(counts)} of {len(files)} files were dealt"
            wrong = [value for value, count in counts.items()
                     if count % rf and value not in firsts and value not in set(values)]
            if wrong:
                yield f"rf {rf}, {shape}: {len(wrong)} files were not dealt {rf} times a pass"
    met = lodfs.MiniEpochs(files, rf=3, room=ROOM)
    epoch = list(met)
    if len(epoch) != len(files) or met.epoch != 1:
        yield f"an iteration has {len(epoch)} values, epoch {met.epoch}"
    if [files[i] for i in lodfs.MiniEpochs(files, rf=3, room=ROOM)] != \
            list(lodfs.MiniEpochs(files, rf=3, room=ROOM).paths()):
        yield "paths are not those of the indices"
    whole = lodfs.MiniEpochs(f"{point}/q4/./train//", rf=4, room="1G")
    if any(sorted(whole) != list(range(len(files))) for _ in range(3)):
        yield "data that fits the room is not dealt once an epoch"
    if sorted(whole.files) != sorted(files):
        yield "a folder has other files"
    pixels = lodfs.MiniEpochs(f"{point}/decoded/q4/train", rf=3, room=ROOM)
    if [name.replace("/decoded/", "/").rpartition(".")[0] for name in pixels.paths()] != \
            [name.rpartition(".")[0]
             for name in lodfs.MiniEpochs(f"{point}/q4/train", rf=3, room=ROOM).paths()]:
        yield "decoded files come in another order"


def continued(point):
    """Stopped after any value, a job continues with the next one, in this epoch."""
    data, rng = f"{point}/q4/train", random.Random(7)
    usual = lodfs.MiniEpochs(data, rf=3, room=ROOM)
    expected = [list(usual) for _ in range(4)]
    for _ in range(15):
        stop, epoch = rng.randrange(1, 2 * EACH), rng.randrange(3)
        met = lodfs.MiniEpochs(data, rf=3, room=ROOM)
        for _ in range(epoch):
            list(met)
        way = iter(met)
        drawn = [next(way) for _ in range(min(stop + rng.randrange(40), 2 * EACH))]
        state = met.state_at(stop)
        if len(drawn) == stop and met.state_dict() != state:
            yield "state_at is not the state"
        text = json.dumps(state)
        if len(text) > 2048:
            yield f"a state has {len(text)} bytes"
        other = lodfs.MiniEpochs(data, rf=3, room=ROOM)
        other.load_state_dict(json.loads(text))
        rest = list(other)
        if drawn[:stop] + rest != expected[epoch] or list(other) != expected[epoch + 1]:
            yield f"stopped after {stop} of epoch {epoch}, it goes on otherwise"
            return
    fresh = lodfs.MiniEpochs(data, rf=3, room=ROOM)
    same = fresh.state_at(0) == fresh.state_dict()
    fresh.load_state_dict(state)
    if not same or not fresh.state_at(0) == fresh.state_dict() == state:
        yield "before an iteration, state_at(0) is not the state"
    met = lodfs.MiniEpochs(data, rf=2, room=ROOM)
    first = [value for _, value in zip(range(10), met)]
    second = list(met)
    if len(second) != len(met) or first + second[:5] != list(
            lodfs.MiniEpochs(data, rf=2, room=ROOM))[:15]:
        yield "an iteration that was left early is not gone on with"


def copied(point):
    """A copy or a pickle of a job is another job, which continues where the first one was."""
    data = f"{point}/q4/train"
    usual = lodfs.MiniEpochs(data, rf=3, room=ROOM)
    expected = [list(usual) for _ in range(2)]
    for make in copy.copy, copy.deepcopy, lambda met: pickle.loads(pickle.dumps(met)):
        for stop in 0, 1, 77, 2 * EACH:
            met = lodfs.MiniEpochs(data, rf=3, room=ROOM)
            way = iter(met)
            drawn = [next(way) for _ in range(stop)]
            again = make(met)
            if drawn + list(again) != sum(expected[:1 + (stop == 2 * EACH)], []):
                yield f"a copy after {stop} values continues otherwise"
            del again
            if drawn + list(way) != expected[0]:
                yield f"the original continues otherwise, after a copy of {stop} values"


def ranks(point):
    """In a pass, no file is read by two ranks. Ranks can begin the next pass at different times."""
    data = f"{point}/q4/train"

    def jobs():
        return [lodfs.MiniEpochs(data, rf=1, room="200K", rank=rank, world=3) for rank in range(3)]
    parts = jobs()
    for _ in range(2):
        got = [list(part) for part in parts]
        if len({len(part) for part in got}) != 1:
            yield "ranks have epochs of different lengths"
    firsts = []
    for part in jobs():
        way = iter(part)
        firsts.append({next(way) for _ in range(20)})
    if len(set().union(*firsts)) != sum(len(set(f)) for f in firsts):
        yield "ranks are dealt the same files"
    yield from refused(data, rf="score", rank=0, world=2, words="torch.distributed")
    yield from refused(data, rf=2, rank=90, world=100, words="nothing to read")
    yield from refused(data, rf=2, rank=0, world=1000, words="nothing to read")


def scored(point):
    """Score and Bollinger: an iteration is a repeat, and each repeat needs a score."""
    met = lodfs.MiniEpochs(f"{point}/q4/train", rf="score", room=ROOM)
    lengths = []
    for number in met.repeats(epochs=3):
        lengths.append(len(list(met)))
        met.report(float("nan") if number % 3 == 1 else number)
        try:
            met.report(1)
            yield "a second score of a repeat is taken"
        except ValueError:
            pass
    if sum(lengths) < 3 * len(met._chosen.paths):
        yield f"3 epochs had {sum(lengths)} values"
    met = lodfs.MiniEpochs(f"{point}/q4/train", rf="bollinger", room=ROOM)
    try:
        for _ in met.repeats(epochs=1):
            list(met)
        yield "a forgotten score is not missed"
    except ValueError as error:
        if "report" not in str(error):
            yield f"the message is {error}"
    met = lodfs.MiniEpochs(f"{point}/q4/train", rf=[(0, 1), (2, 3)], room=ROOM, shape="block")
    for _ in met.repeats(epochs=8):
        list(met)
    if [rf for _, rf in met.history] != [1, 3]:
        yield f"the history is {met.history}"
    again = lodfs.MiniEpochs(f"{point}/q4/train", rf=met.history, room=ROOM, shape="block")
    for _ in again.repeats(epochs=8):
        list(again)
    if [rf for _, rf in again.history] != [1, 3]:
        yield f"repeated, the history is {again.history}"


def wrong(work, point, store):
    """Datasets and options that are wrong are refused with a sentence."""
    data = f"{point}/q4/train"
    path = f"{data}/{stores.files_below(data)[0]}"
    yield from refused([], words="empty")
    yield from refused([(path, 0)], words="not paths")
    yield from refused([__file__], words="no mount")
    yield from refused([path, __file__], rf=2, words=os.path.basename(__file__))
    yield from refused([path, "/nowhere"], rf=2, words="/nowhere")
    yield from refused([f"{data}/gone.jpg"], rf=2, words="gone.jpg")
    yield from refused([f"{point}/tar/q4/x.tar"], words="none of q1")
    yield from refused(f"{point}/q4/nowhere", words="nowhere")
    yield from refused(f"{point}/q4/train", room=-1, words="cannot be -1")
    for rf in 0, -1, 10**9, 10**20, 1.5, "automatic", "fixed", None, [(1, 2)], [(0, 2), (0, 3)], \
            [(0, 1)] * 40, [3, 4]:
        yield from refused(data, rf=rf)
    for options in ({"rf_max": 0}, {"rf_min": 5, "rf_max": 4}, {"rf_min": 0}, {"patience": 0},
                    {"band_width": 0}, {"band_width": -1}, {"band_width": float("nan")},
                    {"band_scores": 3}, {"epochs": -1}, {"shape": "round"}, {"on_wait": "sleep"},
                    {"room": "4 apples"}, {"room": -1}):
        yield from refused(data, **options)
    yield from refused(data, rf=2, room="1K", words="record-size")
    other = f"{work}/other"
    run_lodfs("pack", "-q", "--scans=default", "--order=path", f"{work}/source", other)
    with Mount(other, f"{work}/second") as second:
        yield from refused([path, f"{second}/q4/train/{os.path.relpath(path, data)}"], rf=2,
                           words=second)
        yield from refused(f"{second}/q4/train", rf=2, words="any_order")
        if len(lodfs.MiniEpochs(f"{second}/q4/train", rf=2, any_order=True)) != 2 * EACH:
            yield "any_order does not take a store packed by path"
    os.symlink(f"{point}/q4", f"{work}/link")
    odd = [path, path, f"{work}/link/train/{os.path.relpath(path, data)}"]
    if sorted(lodfs.MiniEpochs(odd, rf=2)) != [0, 1, 2]:
        yield "paths that come twice, and through links, are not dealt each"
    met = lodfs.MiniEpochs(data, rf=2, room=ROOM)
    next(iter(met))
    state = met.state_dict()
    for name, value in (("version", 2), ("left", -1), ("left", 10**6), ("met", None), ("met", 5)):
        yield from unloaded(met, {**state, name: value})
    for name, value in (("store", "0" * 32), ("seed", "1"), ("nodes", 2), ("pass", -1),
                        ("cursor", 10**6), ("window", []), ("dealt", 10**6), ("room", 0),
                        ("items", 7), ("version", 9), ("scores", [0] * 21)):
        yield from unloaded(met, {**state, "met": {**state["met"], name: value}})
    yield from unloaded(met, {**state, "met": {**state["met"], "more": "x" * 4000}})
    for state_of in {}, None, [], "x", 5:
        yield from unloaded(met, state_of)
    met.load_state_dict(state)


def unloaded(met, state):
    try:
        met.load_state_dict(state)
        yield f"a wrong state is taken: {str(state)[:200]}"
    except ValueError:
        pass


def without_list(point):
    """If the mount takes no list, a job with a fixed number continues, and others do not begin."""
    ahead = lodfs.Mount.ahead

    def none(*_, **_options):
        raise PermissionError(1, "Operation not permitted")
    lodfs.Mount.ahead = none
    try:
        yield from refused(f"{point}/q4/train", words="use a number")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            met = lodfs.MiniEpochs(f"{point}/q4/train", rf=2, room=ROOM)
            list(met), list(met)
        if len(caught) != 1:
            yield f"{len(caught)} warnings where the mount takes no list"
    finally:
        lodfs.Mount.ahead = ahead


def remounted(work, store, other):
    """A mount that goes away and comes back gets its list again; another store is refused."""
    point = f"{work}/third"
    with Mount(store, point):
        met = lodfs.MiniEpochs(f"{point}/q4/train", rf=2, room=ROOM)
        switched = lodfs.MiniEpochs(f"{point}/auto/train", rf=2, room=ROOM)
        way = iter(met)
        first = next(way)
    if len(list(switched)) != len(switched):
        yield "below auto, an epoch ends where the mount is away"
    got = [next(way) for _ in range(EACH)]
    with Mount(store, point):
        got += list(way)
        if [first] + got != list(lodfs.MiniEpochs(f"{point}/q4/train", rf=2, room=ROOM)):
            yield "a mount that was away changed the order"
        if met._announced.ask() < 0 or met._announced._lost:
            yield "a mount that came back has no list"
    with Mount(other, point):
        try:
            list(met), list(met)
            yield "another store in its place is taken"
        except ValueError as error:
            if met._chosen.order.store not in str(error):
                yield f"the message is {error}"


def main():
    need_fuse()
    results = Results()
    with Work() as work:
        source, store = f"{work}/source", f"{work}/store"
        make_source(source)
        stores.pack(source, store, "--record-size=64K")
        with Mount(store, f"{work}/mount") as point:
            results.add("dealt", dealt(point))
            results.add("states", continued(point))
            results.add("copies and pickles", copied(point))
            results.add("ranks", ranks(point))
            results.add("scores", scored(point))
            results.add("wrong", wrong(work, point, store))
            results.add("without a list", without_list(point))
        results.add("mounted again", remounted(work, store, f"{work}/other"))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""lodfs.torch.Sampler and Images under PyTorch's DataLoader: each picture once, the same order for
any number of workers, and a state that another number of processes continues.
"""
import copy
import json
import os
import pickle
import random
import subprocess
import sys
import warnings

import stores
from mounted import Mount, Results, Work, need_fuse, skip
from mounted import lodfs as run_lodfs
from small import read

try:
    import torch
    from torch.utils.data import DataLoader
    from torchvision.datasets import ImageFolder
except ImportError as error:
    skip(f"{error}: python3-torch and python3-torchvision are not installed")

PACKAGE = os.path.join(os.environ["SOURCE_ROOT"], "src", "python")
sys.path.insert(0, PACKAGE)

import lodfs
import lodfs.torch

RUN, BATCH = 300_000, 7
LABELS, EACH = "ab", 24
RANKS = """
import sys, torch, torch.distributed as dist
sys.path.insert(0, {package!r})
import lodfs.torch
from torchvision.datasets import ImageFolder
dist.init_process_group("gloo", {meeting!r}, rank=int(sys.argv[1]), world_size=2)
data = ImageFolder({folder!r}, loader=str)
sampler = lodfs.torch.Sampler(data, run={run})
sampler.set_epoch(3)
mine = torch.tensor(list(sampler))
got = [torch.empty_like(mine) for _ in range(dist.get_world_size())]
dist.all_gather(got, mine)
if dist.get_rank() == 0:
    print(*torch.stack(got, 1).flatten().tolist())
"""


def make_source(source):
    for label in LABELS:
        stores.make_photographs(f"{source}/train/{label}", EACH, ord(label))
    stores.make_photographs(f"{source}/val/a", 5, 9)


def path_of(path):
    return path


class Named(ImageFolder):
    """Gives paths in place of pictures, so that the order can be seen."""

    def __getitem__(self, index):
        return self.samples[index][0]


def collate(batch):
    return batch


def epoch(data, **options):
    return list(DataLoader(data, batch_size=BATCH, collate_fn=collate, **options))


def sampled(point, store):
    """A Sampler is a permutation, that of `lodfs order`, and the same for any workers."""
    data = Named(f"{point}/q2/train")
    sampler = lodfs.torch.Sampler(data, run=RUN)
    first = list(sampler)
    if sorted(first) != list(range(len(data))) or len(sampler) != len(data):
        yield "an epoch is not each index once"
    if list(sampler) != first:
        yield "an epoch repeated without set_epoch has another order"
    sampler.set_epoch(2)
    third = list(sampler)
    if third == first or sorted(third) != sorted(first):
        yield "set_epoch(2) gives no other order of the same indices"
    listed = run_lodfs("order", store, "--split=train", "--pass=2", "--fidelity=q2",
                       f"--run={RUN}").stdout
    named = [os.path.relpath(data.samples[index][0], f"{point}/q2") for index in third]
    if named != listed.decode().splitlines():
        yield "the order is not that of lodfs order"
    expected = [data.samples[index][0] for index in third]
    for workers in 0, 2, 4:
        for method in ("fork", "spawn")[:1 + (workers == 2)]:
            context = method if workers else None
            got = epoch(data, sampler=sampler, num_workers=workers, multiprocessing_context=context)
            if sum(got, []) != expected:
                yield f"{workers} workers by {method}: another order"


def stems(data, sampler):
    """Returns the names that a sampler gives, without endings."""
    return [os.path.splitext(os.path.relpath(data[i], data.root))[0] for i in sampler]


def of_views(point):
    """The files of decoded/ and native/ come in the order of the pictures that they show."""
    for fidelity in "q2", "auto":
        wanted = None
        for view in "", "decoded/", "native/":
            data = Named(f"{point}/{view}{fidelity}/train")
            got = stems(data, lodfs.torch.Sampler(data, run=RUN))
            wanted = wanted or got
            if got != wanted or len(set(got)) != len(LABELS) * EACH:
                yield f"{view}{fidelity}: another order"


def listed_paths(point, source):
    """Lists of paths: with repeated ones, links, files outside the store, of several fidelities."""
    paths = [f"{point}/q3/{path}" for path in stores.files_below(source)]
    link = f"{os.path.dirname(source)}/link"
    os.symlink(f"{point}/q3", link)
    odd = paths + paths[:3] + [f"{link}/{os.path.relpath(paths[4], f'{point}/q3')}", __file__,
                               paths[5].replace("/q3/", "/full/"), "/nowhere"]
    sampler = lodfs.torch.Sampler(odd, run=RUN)
    got = list(sampler)
    if sorted(got) != list(range(len(odd))):
        yield "an odd list is not each index once"
    if sorted(got[-2:]) != [odd.index(__file__), odd.index("/nowhere")]:
        yield "files outside the store do not come last"
    if list(lodfs.torch.Sampler([os.path.relpath(path) for path in paths], run=RUN)) != \
            list(lodfs.torch.Sampler(paths, run=RUN)):
        yield "relative paths have another order"
    for bad in [__file__], [f"{point}/tar/q3/x.tar"], [f"{point}/decoded/x"], [], \
            paths[0], [(paths[0], 0)]:
        try:
            lodfs.torch.Sampler(bad)
            yield f"{bad}: no error"
        except ValueError:
            pass


def ranks_of(data, world, tail, state=None, **options):
    samplers = [lodfs.torch.Sampler(data, seed=5, run=RUN, rank=rank, world=world, tail=tail,
                                    **options) for rank in range(world)]
    for sampler in samplers:
        if state:
            sampler.load_state_dict(state)
    return samplers


def shared(point):
    """Ranks share the epoch out as DistributedSampler's do; nodes read different extents."""
    data = Named(f"{point}/q2/train")
    for world, nodes in ((2, 1), (5, 1), (4, 2), (3, 3)):
        for tail in "drop", "wrap":
            parts = [list(s) for s in ranks_of(data, world, tail, nodes=nodes)]
            every = sum(parts, [])
            if len({len(part) for part in parts}) != 1 or \
                    len(parts[0]) != len(ranks_of(data, world, tail, nodes=nodes)[0]):
                yield f"{world} ranks, {tail}: unequal parts"
            if tail == "drop" and len(set(every)) != len(every):
                yield f"{world} ranks of {nodes} nodes: an index is dealt twice"
            if tail == "wrap" and set(every) != set(range(len(data))):
                yield f"{world} ranks of {nodes} nodes: an index is not dealt"
            if nodes == 1 and tail == "drop" and len(every) != len(data) // world * world:
                yield f"{world} ranks: {len(every)} indices of {len(data)}"
    for rank in 0, 1:
        try:
            alone = lodfs.torch.Sampler([data.samples[0][0]], rank=rank, world=2, nodes=2)
            yield f"one file for two nodes: {list(alone)}"
        except ValueError:
            pass


def continued(point):
    """Stops at random places, continues with other numbers of processes: nothing twice or lost."""
    data, rng = Named(f"{point}/q2/train"), random.Random(4)
    for turn in range(60):
        seen, state, left = [], None, len(data)
        while left:
            world = rng.choice((1, 2, 3, 4))
            samplers = ranks_of(data, world, "drop", state)
            steps = rng.randrange(1, 12) if rng.random() < .8 else left
            steps = min(steps, left // world)
            ways = [iter(s) for s in samplers]
            seen += [next(way) for _ in range(steps) for way in ways]
            left -= steps * world
            if steps:
                states = [s.state_dict() for s in samplers]
                if len({s["dealt"] for s in states}) != 1:
                    yield "ranks disagree about the state"
                state = rng.choice(states)
                at = samplers[0].state_at(steps, 1)
                if at["dealt"] != state["dealt"]:
                    yield "state_at is not the state"
                state = rng.choice((state, at))
        if seen != list(ranks_of(data, 1, "drop")[0]):
            yield f"turn {turn}: stopped and continued, the order is another one"
            break
    yield from damaged(samplers[0], state)


def damaged(sampler, state):
    """States of another store, and states with numbers that no walk has, are refused."""
    wrong = [dict(state, store="0" * 32), dict(state, seed=6), dict(state, version=2), {}, None, []]
    for name in "world", "pass", "cursor", "extents", "begun", "base", "dealt":
        wrong += [dict(state, **{name: value}) for value in (-1, 2**70, "1", None, 1.5)]
        wrong.append({key: value for key, value in state.items() if key != name})
    wrong += [dict(state, **{name: 10**6}) for name in ("begun", "base")]
    wrong.append(dict(state, world=0))
    for one in wrong:
        try:
            sampler.load_state_dict(one)
            yield f"a wrong state is taken: {one}"
        except ValueError:
            pass


def pickled(point, store):
    """Copies and pickles of a Sampler and of Images continue where the first one was."""
    data = Named(f"{point}/q2/train")
    for make in copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made)):
        for stop in 0, 1, 20, len(data) // 2:
            sampler, _ = ranks_of(data, 2, "wrap")
            sampler.set_epoch(3)
            expected, way = list(sampler), iter(sampler)
            drawn = [next(way) for _ in range(stop)]
            again = make(sampler)
            if again.state_dict() != sampler.state_dict():
                yield f"a copy after {stop} values has another state"
            again.load_state_dict(again.state_at(stop, 1))
            if drawn + list(again) != expected or list(way) != expected[stop:]:
                yield f"a copy after {stop} values continues otherwise"
        images = lodfs.torch.Images(store, "q2", "train", bytes, BATCH, run=RUN)
        images.set_epoch(2)
        if list(make(images)) != list(images):
            yield "a copy of Images has another order"


def images(point, store, source):
    """Images gives every picture of a split with its label, in one order for any workers."""
    folder = ImageFolder(f"{point}/q2/train", loader=path_of)
    expected = {}
    for path, label in folder.samples:
        with open(path, "rb") as file:
            expected[file.read()] = label
    for where in store, point, lodfs.open(store):
        data = lodfs.torch.Images(where, "q2", "train", bytes, BATCH, run=RUN)
        data.set_epoch(1)
        usual = epoch(data)
        if data.classes != folder.classes or dict(sum(usual, [])) != expected or \
                len(data) != len(expected):
            yield f"{where}: not the pictures and labels of ImageFolder"
    for workers in 2, 4:
        for method in ("fork", "spawn")[:1 + (workers == 2)]:
            for stay in False, True:
                batches = DataLoader(data, batch_size=BATCH, collate_fn=collate,
                                     num_workers=workers, multiprocessing_context=method,
                                     persistent_workers=stay)
                data.set_epoch(1)
                if list(batches) != usual:
                    yield f"{workers} workers by {method}: another order"
                data.set_epoch(2)
                second = list(batches)
                if second == usual or dict(sum(second, [])) != expected:
                    yield f"{workers} workers by {method}, persistent {stay}: epoch 2 is not one"
    data.set_epoch(1)
    for done in 1, 3:
        for workers in 0, 2:
            again = lodfs.torch.Images(store, "q2", "train", bytes, BATCH, run=RUN)
            again.load_state_dict(data.state_at(done))
            if epoch(again, num_workers=workers) != usual[done:]:
                yield f"{workers} workers do not continue at batch {done}"
    picture, label = next(iter(lodfs.torch.Images(store, "q1", "val")))
    if picture.mode != "RGB" or label != 0:
        yield "the picture of PIL is not one"
    with open(f"{source}.labels", "w", encoding="utf-8") as out:
        for i, (path, _) in enumerate(folder.samples[:5]):
            out.write(f"{os.path.relpath(path, f'{point}/q2')}\t{(7, 0, -1, 2**31 - 1, 9)[i]}\n")
    run_lodfs("pack", "-q", "--scans=default", f"--labels={source}.labels", source, f"{store}.own")
    own = lodfs.torch.Images(f"{store}.own", "q2", "train", bytes, BATCH, run=RUN)
    given = sorted(label for batch in epoch(own) for _, label in batch if label != -1)
    if given != [0, 7, 9, 2**31 - 1]:
        yield f"labels of pack --labels: {given}"
    try:
        lodfs.torch.Images(store, "q1", "nothing")
        yield "a split that is not there is taken"
    except FileNotFoundError:
        pass


def two_processes(point):
    """Two processes of torch.distributed, on gloo, share an epoch out."""
    with Work() as work:
        script = RANKS.format(package=PACKAGE, folder=f"{point}/q2/train", run=RUN,
                              meeting=f"file://{work}/meeting")
        ranks = [subprocess.Popen([sys.executable, "-c", script, str(rank)], stdout=subprocess.PIPE)
                 for rank in range(2)]
        said = [rank.communicate(timeout=300)[0] for rank in ranks]
    sampler = lodfs.torch.Sampler(Named(f"{point}/q2/train"), run=RUN)
    sampler.set_epoch(3)
    if said[0].decode().split() != [str(index) for index in sampler]:
        yield f"two processes have not one epoch: {said[0].decode()}"


def narrow(point):
    """Records larger than the mount's memory are not loaded again for each of their files."""
    data = Named(f"{point}/full/train")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        served = sum(len(read(path)) for path in
                     (data.samples[index][0] for index in lodfs.torch.Sampler(data)))
    if sum("room for" in str(one.message) and "take run=" in str(one.message)
           for one in said) != 1:
        yield f"warned: {[str(one.message) for one in said]}"
    stored = json.loads(read(f"{point}/.lodfs/stats"))["store"]["bytes"]
    if stored > 2 * served:
        yield f"{stored} bytes of the store for {served}"


def main():
    need_fuse()
    torch.set_num_threads(1)
    results = Results()
    with Work() as work:
        source, store = f"{work}/source", f"{work}/store"
        make_source(source)
        stores.pack(source, store, "--record-size=64K")
        with Mount(store, f"{work}/mount") as point:
            results.add("Sampler", sampled(point, store))
            results.add("decoded and native files", of_views(point))
            results.add("lists of paths", listed_paths(point, source))
            results.add("ranks", shared(point))
            results.add("states", continued(point))
            results.add("copies and pickles", pickled(point, store))
            results.add("Images", images(point, store, source))
            results.add("two processes", two_processes(point))
        stores.pack(source, f"{work}/large", "--record-size=2M")
        with Mount(f"{work}/large", f"{work}/mount", "-o",
                   "download_limit=40M,cache=none,cache_size=1M") as point:
            results.add("records without room", narrow(point))
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""torchdata's StatefulDataLoader over MiniEpochs, Sampler and Images: stopped after any batch, in
or behind the loop over an epoch, it continues as the run that was not stopped.

Without arguments this makes an environment with torchdata; with one, that is the work folder.
"""
import copy
import os
import subprocess
import sys

import stores
from mounted import Mount, Results, Work, need_fuse, skip

PACKAGES = ["--no-deps", "torchdata==0.11.0"]  # with Debian's PyTorch, which is large
ROOT = os.environ["SOURCE_ROOT"]
FILES, EPOCHS, RUN, ROOM = 48, 3, 300_000, "500K"
# Files of a batch, and workers. The last batch is whole, or it is not: then its maker has ended.
LOADERS = (8, 0), (7, 0), (7, 2)


def collate(batch):
    return batch


def make(kind, batch, workers, point, store):
    """Returns a StatefulDataLoader, and the object whose set_epoch() it needs, or None."""
    from torchdata.stateful_dataloader import StatefulDataLoader
    import lodfs
    import lodfs.torch
    options = {"batch_size": batch, "collate_fn": collate, "num_workers": workers}
    if kind == "images":
        images = lodfs.torch.Images(store, "q2", decode=bytes, batch_size=batch, run=RUN)
        return StatefulDataLoader(images, **options), images
    paths = [f"{point}/q2/{path}" for path in stores.files_below(f"{point}/q2")]
    if kind == "sampler":
        sampler = lodfs.torch.Sampler(paths, run=RUN)
        return StatefulDataLoader(paths, sampler=sampler, **options), sampler
    return StatefulDataLoader(paths, sampler=lodfs.MiniEpochs(paths, rf=2, room=ROOM),
                              **options), None


def epochs(loader, settable, numbers):
    for number in numbers:
        if settable:
            settable.set_epoch(number)
        yield list(loader)


def stopped(made, settable, epoch, batches):
    """Returns the state after `batches` batches of an epoch; None: after the loop over it."""
    list(epochs(made, settable, range(epoch)))
    if settable:
        settable.set_epoch(epoch)
    for number, _ in enumerate(made, 1):
        if number == batches:
            break
    return copy.deepcopy(made.state_dict())


def continued(kind, named, batch, workers, where):
    """Compares each stop of a kind of loader with the run that was not stopped."""
    def new():
        made, settable = make(kind, batch, workers, *where)
        return made, settable if named else None
    usual, case = list(epochs(*new(), range(EPOCHS))), f"batches of {batch}, {workers} workers"
    each = len(usual[0])
    for epoch in 0, 1:
        for stop in 1, each // 2, each - 1, each, None:
            state, (made, settable) = stopped(*new(), epoch, stop), new()
            made.load_state_dict(state)
            expected = [usual[epoch][stop:]] if stop else []
            expected += usual[epoch + 1:]
            got = list(epochs(made, settable, range(EPOCHS - len(expected), EPOCHS)))
            if got != expected:
                yield (f"{case}: stopped after {stop or 'all'} of {each} batches of epoch {epoch}, "
                       f"continued with {[len(one) for one in got]} batches, not with "
                       f"{[len(one) for one in expected]}"
                       + (" of another order" if [len(one) for one in got] ==
                          [len(one) for one in expected] else ""))


def run(work):
    import torch
    sys.path.insert(0, f"{ROOT}/src/python")
    torch.set_num_threads(1)
    results, store = Results(), f"{work}/store"
    with Mount(store, f"{work}/mount") as point:
        for kind, named in (("mini-epochs", False), ("sampler", False), ("sampler", True),
                            ("images", False), ("images", True)):
            results.add(f"{kind}{', set_epoch' * named}", (
                complaint for batch, workers in LOADERS
                for complaint in continued(kind, named, batch, workers, (point, store))))
    return results.finish()


def main():
    from environment import Missing, python_with
    need_fuse()
    if subprocess.run([sys.executable, "-c", "import torch"], check=False,
                      stderr=subprocess.DEVNULL).returncode:
        skip("python3-torch is not installed")
    try:
        python = python_with("torchdata", PACKAGES)
    except Missing as missing:
        skip(missing)
    with Work() as work:
        stores.in_small_records(work, FILES, 5)
        return subprocess.run([python, __file__, work], check=False).returncode


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]) if len(sys.argv) > 1 else main())

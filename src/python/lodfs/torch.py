# SPDX-License-Identifier: Apache-2.0
"""For PyTorch. `import lodfs` does not import this module, and this one imports PyTorch and its
companions only where it needs them.

    import lodfs.torch
    data = ImageFolder("/mnt/photos/q5", loader=lodfs.torch.loader)
    sampler = lodfs.torch.Sampler(data)                 # a shuffled order that a slow store serves
    batches = DataLoader(data, batch_size=256, sampler=sampler, num_workers=4)

    images = lodfs.torch.Images("photos.lodfs", "q5", batch_size=256)   # without a mount
    batches = DataLoader(images, batch_size=256, num_workers=4)
"""
import io
import os
import warnings

from ._iterations import OfWalk
from ._library import call
from ._selection import Selection
from ._announced import Announced
from .order import Walk

__all__ = ["Gradients", "Images", "Sampler", "loader"]


def __getattr__(name):
    if name == "Images":  # its base is a class of PyTorch
        from ._images import Images
        return Images
    if name == "Gradients":
        from ._gradients import Gradients
        return Gradients
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def loader(path):
    """The RGB picture of a file, as torchvision's own loader gives it: for ImageFolder(loader=..).

    Before Python 3.14 open() asks of each file whether it is a terminal, which is a request to a
    mount's server. io.FileIO does not ask.
    """
    from PIL import Image
    with io.BufferedReader(io.FileIO(path)) as file:
        return Image.open(file).convert("RGB")


class Sampler:
    """The indices of a dataset below a mount, in the order of lodfs(1), `lodfs order`.

    `dataset` is an ImageFolder, or anything with .samples, or a list of paths. Each index comes
    once in an epoch; those of files that are not in the store come last. `seed` and the epoch,
    which set_epoch() sets as for DistributedSampler, give the order; `run` is how many bytes of the
    store are shuffled as a whole, and should fit half of the mount's cache.

    `rank` and `world` are those of torch.distributed or torchrun unless given; `nodes` is the
    number of machines with a mount each. `tail="drop"` leaves out indices that cannot be divided
    evenly among the processes, "wrap" yields the first ones again. `store` is the store's folder.
    Root and the user who mounted it can leave it out.

    The records of each run and of the next one are announced to the mount, which loads them ahead.
    Of several processes the first one of a machine does that. A mount of another user takes no
    list, and serves the same order.
    """

    def __init__(self, dataset, seed=0, run="96M", rank=None, world=None, nodes=1, tail="drop",
                 store=None):
        chosen = Selection(dataset, seed, store)
        if chosen.by_path:
            warnings.warn(f"{chosen.location} was packed with --order=path: a run of neighbouring "
                          "records is no random sample of it", stacklevel=2)
        # The fidelity of `auto` may change, and ranks would see that at different times. So `auto`
        # is planned as full, and all ranks have the same order.
        fidelity = "full" if chosen.fidelity == "auto" else chosen.fidelity
        self._mount, self._fidelity, self._check = chosen.mount, chosen.fidelity, chosen.check
        self._walk = Walk(chosen.order, seed, call("fidelity", os.fsencode(fidelity)), run,
                          rank, world, nodes, tail, chosen.expand, chosen.others)

    def __iter__(self):
        return OfWalk(self._walk, self._values())

    def _values(self):
        announced = self._begin_list()
        try:
            yield from self._walk.values(announced)
        finally:
            if announced:
                announced.end()

    def _begin_list(self):
        """Returns a list of records to announce; None: another process of this machine announces
        them.
        """
        if int(os.environ.get("LOCAL_RANK", self._walk.rank)):
            return None
        fidelity = self._mount.auto if self._fidelity == "auto" else self._fidelity
        return Announced(self._mount, fidelity, self._check)

    def __len__(self):
        return len(self._walk)

    def set_epoch(self, epoch):
        """Sets the epoch of the next iteration. Without a call each iteration is the same, as with
        DistributedSampler.

        A state of this epoch that was loaded stays.
        """
        self._walk.begin(epoch)

    def state_dict(self):
        """Returns the position in the order, as a few numbers. A DataLoader draws indices ahead of
        the training step: StatefulDataLoader knows of that, and for others there is state_at().
        """
        return self._walk.state()

    def load_state_dict(self, state):
        """Continues from a state in the next iteration; the number of processes may differ."""
        self._walk.load(state)

    def state_at(self, batches, batch_size):
        """Returns the state after the training step has used `batches` batches of this
        iteration."""
        return self._walk.state_at(batches * batch_size)

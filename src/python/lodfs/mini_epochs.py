# SPDX-License-Identifier: Apache-2.0
"""Mini-epochs: a job on a slow store repeats what it has in memory while the next part is loaded.

    met = lodfs.MiniEpochs(data, rf="auto", epochs=90)  # an ImageFolder below a mount, or paths
    loader = DataLoader(data, 256, sampler=met, num_workers=8)
    for epoch in range(90):                             # an epoch has as many images as the data
        for images, labels in loader: step(images, labels)

With a score of each repeat, an iteration is a repeat:

    met = lodfs.MiniEpochs(data, rf="score")
    for _ in met.repeats(epochs=90):
        for images, labels in loader: step(images, labels)
        met.report(validate())

No framework is needed. fs/api/lodfs_met.h has the rules, and decision 901 the reasons.
"""
import contextlib
import errno
import json
import math
import operator
import os
import time
from ctypes import byref, c_int32, c_size_t, c_void_p, create_string_buffer

import numpy as np

from ._agreed import Agreed, Alone
from ._iterations import OfMiniEpochs
from ._library import MET, LodfsError, RawMet, call
from ._selection import Selection, pictures_below
from ._announced import Announced, warn
from .order import ranks, size_of

_VERSION = 1
_SCORED = ("score", "bollinger")
_STATE_BYTES = 2048
_WAIT = 2
_TIRED_S = 60     # a wait ends when nothing was loaded for this time,
_CHECK_S = .2     # checked at this interval
_UNKNOWN_ROOM = 96 << 20


def _call(name, *arguments):
    """Calls lodfs_met_NAME. An error in the arguments of the script is a ValueError."""
    try:
        return call(f"met_{name}", *arguments)
    except LodfsError as error:
        if error.errno in (errno.ENODATA, errno.EALREADY, errno.EFBIG, errno.ESTALE, errno.EILSEQ,
                           errno.E2BIG, errno.ENOTSUP):
            raise ValueError(error.strerror) from None
        raise


def _options(rf, given):
    """Returns the options of lodfs_met.h. `rf` is a policy, a number or a list of (epoch,
    number)."""
    options = RawMet()
    policy = rf if isinstance(rf, str) else "fixed"
    _call("options", byref(options), policy.encode())
    if policy != "fixed":
        steps = []
    elif isinstance(rf, str):
        raise ValueError("a fixed rf is a number, such as rf=4")
    else:
        try:
            steps = [(float(epoch), operator.index(number)) for epoch, number in rf] \
                if hasattr(rf, "__iter__") else [(0., operator.index(rf))]
        except TypeError:
            raise ValueError(f"rf is 'auto', 'score', 'bollinger', a number, or a list of (epoch, "
                             f"number), not {rf!r}") from None
    if len(steps) > 16 or any(not 0 <= number < 1 << 32 for _, number in steps):
        raise ValueError("rf must be a number from 1 to 10000, or a list of up to 16 of them")
    options.steps_count = len(steps)
    for at, (epoch, number) in enumerate(steps):
        options.steps[at].epoch, options.steps[at].rf = epoch, number
    for name, value in given.items():
        kind = type(getattr(options, name))
        if kind is int and not 0 <= operator.index(value) < 1 << 32:
            raise ValueError(f"{name} cannot be {value!r}")
        setattr(options, name, value.encode()[:15] if kind is bytes else kind(value))
    return options


class MiniEpochs:
    """The indices of a dataset below a mount; a sampler of PyTorch, and paths for all others.

    `dataset` is an ImageFolder, anything with .samples, a list of paths, or a folder of a mount,
    whose pictures `files` then lists. `rf` says how often a part is repeated: "auto", until the
    next one is loaded; a number; a list of (epoch, number); "score" or "bollinger", which need
    report(). The job leaves a part after `rf_min` to `rf_max` repeats, and `epochs`, the length of
    the training, limits rf_max to an eighth of it.

    `patience` belongs to "score": repeats without a better score. `band_scores` and `band_width`
    are N and K of "bollinger". If the next part is due but not loaded, `on_wait="wait"` waits for
    it, and "repeat" repeats the current part. `shape="block"` replaces the window as a whole.

    Each process has its own part of the data: `rank` and `world` are those of torch.distributed or
    torchrun unless given. With "score" and "bollinger" all processes decide by the score of process
    0, which needs torch.distributed, and the process with the fewest images sets the length of a
    repeat. `room` is how many bytes of memory the job may use; the default is all that the mount
    has for it. A store that was packed by path is refused unless `any_order`.

    A copy or a pickle is a job of its own, which continues from the state of this one.
    """

    def __init__(self, dataset, rf="auto", *, epochs=0, seed=0, rf_min=1, rf_max=8, patience=1,
                 band_scores=20, band_width=2., on_wait="repeat", shape="default", rank=None,
                 world=None, room=None, store=None, any_order=False):
        if on_wait not in ("repeat", "wait"):
            raise ValueError(f"on_wait is 'repeat' or 'wait', not {on_wait!r}")
        options = _options(rf, {
            "epochs": epochs, "rf_min": rf_min, "rf_max": rf_max, "patience": patience,
            "band_scores": band_scores, "band_width": band_width, "shape": shape,
            "wait": on_wait == "wait"})
        self.rank, self.world = ranks(rank, world)
        self.policy = options.policy.decode()
        self._agreed = Agreed(self.rank, self.world) if self.policy in _SCORED and self.world > 1 \
            else Alone()
        self._alone = isinstance(self._agreed, Alone)
        if isinstance(dataset, (str, bytes, os.PathLike)):
            dataset = self.files = pictures_below(dataset)
        self._chosen = chosen = Selection(dataset, seed, store)
        self._length = chosen.order.items // self.world
        self._check(any_order)
        self._room_max = size_of(room) if room is not None else (1 << 53)
        self._met = MET()
        self._by_repeat = self._is_narrow = False
        self._connect()
        number = call("fidelity", self._fidelity().encode())
        _call("open", chosen.order._handle, self.rank, self.world, byref(options), number,
              self._room(), byref(self._met))
        self._begin(0)
        self._start(None, 0)

    def _check(self, any_order):
        if len(self._chosen.others):
            path = self._chosen.paths[self._chosen.others[0]]
            raise ValueError(f"{os.fsdecode(path)!r} is not a file of the store behind "
                             f"{self._chosen.mount.root}; leave it out")
        if not self._length:
            raise ValueError(f"{len(self._chosen.paths)} files for {self.world} processes: one has "
                             "nothing to read")
        if self._chosen.by_path and not any_order:
            raise ValueError(f"{self._chosen.location} was packed with --order=path: a part of it "
                             "is no random sample; pack it again, or say any_order=True")

    def _connect(self):
        """Begins a list of records at the mount, or warns that the mount takes none."""
        self._announced = Announced(self._chosen.mount, self._fidelity(), self._chosen.check)
        if not self._announced.works:
            if self.policy != "fixed":
                raise PermissionError(f"rf={self.policy!r} needs a list of what comes next, and "
                                      f"{self._announced.refusal()}; use a number")
            warn(f"{self._announced.refusal()}; the next part is not loaded ahead")

    def __getstate__(self):
        if not self._alone:
            raise TypeError("a job whose processes decide together cannot be copied or pickled; "
                            "make it anew and load its state_dict()")
        own = {name: value for name, value in self.__dict__.items()
               if name not in ("_met", "_announced")}
        return own, self.state_dict()

    def __setstate__(self, pickled):
        own, state = pickled
        self.__dict__.update(own)
        self._met = MET()
        self._connect()
        self._load(state)

    def __del__(self):
        if getattr(self, "_met", None):
            self._announced.end()
            _call("close", self._met)

    def _fidelity(self):
        name = self._chosen.fidelity
        return self._chosen.mount.auto if name == "auto" else name

    def _room(self):
        """Returns the bytes of memory that the job may use; the mount can change them."""
        if not self._announced.works:
            return min(self._room_max, _UNKNOWN_ROOM if self._room_max >> 53 else 1 << 53)
        return max(1, min(self._room_max, self._announced.room))

    # ------------------------------------------------------------------------------- repeats

    def _records(self):
        """Returns the records of the window, which are the first `_window`, and of the next
        part."""
        count, window = c_size_t(), c_size_t()
        _call("records", self._met, None, 0, byref(count), byref(window))
        records = np.empty(count.value, np.uint32)
        _call("records", self._met, c_void_p(records.ctypes.data), records.size, byref(count),
             byref(window))
        self._window = window.value
        return records

    def _begin(self, dealt):
        """Begins the current repeat, of which `dealt` values were yielded before."""
        count = c_size_t()
        items = np.empty(_call("count", self._met), np.uint32)
        _call("items", self._met, c_void_p(items.ctypes.data), items.size, byref(count))
        items = self._chosen.expand(items[:count.value])
        self._items = items[:int(self._agreed.least(len(items))[0])]
        self._dealt = min(dealt, len(self._items))
        records = self._records().tolist()
        self._listed = len(records)
        self._announced.announce(records)
        self._warn_if_small()

    def _warn_if_small(self):
        """Warns once if the memory has become too small for the window and the next part
        together."""
        if self._listed > self._window or self._is_narrow or not self._announced.works \
                or json.loads(self._text(0))["whole"]:
            return
        self._is_narrow = True
        warn(f"{self._chosen.mount.root} has room for {self._room()} bytes of this job, too few to "
             "load the next part ahead; end other jobs, or mount with a larger cache_size or "
             "tier_size")

    def _loaded(self, since):
        """Returns how many records are loaded, and whether waiting should end. If processes agree
        on decisions, the next part counts as loaded once every process has it. The caller keeps
        `since` between calls."""
        loaded = self._announced.ask()
        if loaded > since["loaded"]:
            since.update(loaded=loaded, time=time.monotonic())
        tired = time.monotonic() - since["time"] > _TIRED_S
        if self._alone:
            return loaded, tired
        whole, awake = self._agreed.least(loaded >= self._listed, not tired)
        return loaded if whole else min(loaded, self._window), not awake

    def _next(self):
        """Ends the current repeat and begins the next."""
        if not self._alone and not self._reported():
            raise ValueError("a score of this repeat is missing: call report()")
        verdict, since = c_int32(_WAIT), {"loaded": -1, "time": time.monotonic()}
        waits = True
        while waits:
            loaded, tired = self._loaded(since)
            with contextlib.suppress(OSError):  # the mount is gone; it may come back
                self._announced.fidelity = self._fidelity()
            number = call("fidelity", self._announced.fidelity.encode())
            if verdict.value == _WAIT:
                _call("next", self._met, number, self._room(), loaded, tired, byref(verdict))
            waits = self._agreed.least(verdict.value != _WAIT)[0] == 0
            if waits:
                time.sleep(_CHECK_S)
        self._begin(0)

    def report(self, score):
        """Sets the score of this repeat; higher is better. Each process calls it once for each
        repeat."""
        if not self._alone and not self._reported():
            score = self._agreed.first(score)
        _call("report", self._met, float(score))

    def _reported(self):
        return json.loads(self._text(0))["reported"]

    def repeats(self, epochs):
        """Yields the number of each repeat, until the values of `epochs` epochs were yielded.

        Meanwhile an iteration over this object goes through the current repeat.
        """
        if not epochs > 0 or not math.isfinite(epochs):
            raise ValueError(f"epochs is a number above 0, not {epochs!r}")
        self._by_repeat = True
        if self._dealt == len(self._items) and (self.policy not in _SCORED or self._reported()):
            self._next()  # the state was taken at the end of a repeat
        number = 0
        while self._agreed.least(_call("epoch", self._met, 0))[0] < epochs:
            yield number
            number += 1
            self._next()

    # ------------------------------------------------------------------------------- values

    def __len__(self):
        """Returns how many values an iteration has: those of an epoch, or within repeats() those of
        the repeat."""
        return len(self._items) if self._by_repeat else self._length

    def _start(self, left, length):
        """Starts an iteration of `length` values. An iteration of length 0 has not begun. After
        loading a state, `left` values of it remain; None: all."""
        self._left, self._iteration, self._done = left, length, 0
        self._log = [(0, self._dealt, self._text(0))]

    def __iter__(self):
        """Yields the indices of an epoch, or within repeats() those of the repeat."""
        return OfMiniEpochs(self)

    def _begin_iteration(self, left):
        """Begins an iteration of `left` values; None: of all that are due. Returns the number of
        values."""
        if self._by_repeat:
            left = len(self._items) - self._dealt
        elif left is None:
            left = self._length if self._left is None else self._left
        self._start(None, left)
        return left

    def _draw(self):
        """Returns the next value."""
        if self._dealt == len(self._items):
            self._next()
            self._log.append((self._done, 0, self._text(0)))
        value = int(self._items[self._dealt])
        self._dealt += 1
        self._done += 1
        self._announced.touch()
        return value

    def paths(self):
        """Yields paths in place of indices."""
        for index in self:
            yield os.fsdecode(self._chosen.paths[index])

    # -------------------------------------------------------------------------------- state

    def _text(self, dealt):
        into = create_string_buffer(_STATE_BYTES)
        _call("state", self._met, dealt, into, _STATE_BYTES)
        return into.value.decode()

    def _state(self, text, dealt, done):
        """Returns the state after `done` values of this iteration."""
        in_epoch = not self._by_repeat and done < self._iteration
        return {"version": _VERSION, "left": self._iteration - done if in_epoch else self._left,
                "met": {**json.loads(text), "dealt": dealt}}

    def state_dict(self):
        """Returns the state of the job, at most 2 KiB of JSON. A DataLoader draws indices ahead of
        the training step: StatefulDataLoader knows of that, and for others there is state_at().
        """
        return self._state(self._text(0), self._dealt, self._done)

    def state_at(self, batches, batch_size=1):
        """Returns the state after the training step has used `batches` batches of this
        iteration."""
        done = min(batches * batch_size, self._done)
        at, before, text = next(entry for entry in reversed(self._log) if entry[0] <= done)
        return self._state(text, before + done - at, done)

    def load_state_dict(self, state):
        """Continues from a state in the next iteration. The data, seed and world are the same."""
        if not isinstance(state, dict):
            raise ValueError(f"a state is what state_dict() returned, not {state!r}")
        if state.get("version") != _VERSION:
            raise ValueError(f"the state is of version {state.get('version')!r}, not {_VERSION}")
        left = state.get("left")
        if left is not None and not 0 <= operator.index(left) <= self._length:
            raise ValueError(f"the state has {left!r} values left of an epoch of {self._length}")
        own = json.loads(self._text(0))
        for name in "store", "seed", "items", "nodes", "node":
            if isinstance(state.get("met"), dict) and state["met"].get(name) != own[name]:
                raise ValueError(f"the state is of {name} {state['met'].get(name)!r}, not "
                                 f"{own[name]!r}")
        self._load(state)

    def _load(self, state):
        met, text = MET(), json.dumps(state.get("met")).encode()
        _call("load", self._chosen.order._handle, text, len(text), byref(met))
        _call("close", self._met)
        self._met, self.policy = met, state["met"]["policy"]
        self._begin(state["met"]["dealt"])
        self._start(state.get("left"), 0)

    @property
    def epoch(self):
        """The epochs read so far, a float."""
        return _call("epoch", self._met, self._dealt)

    @property
    def history(self):
        """How often parts were repeated: a list of (epoch, rf), which can be the `rf` of another
        job."""
        return [tuple(pair) for pair in json.loads(self._text(0))["history"]]

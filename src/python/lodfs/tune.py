# SPDX-License-Identifier: Apache-2.0
"""The fidelity of a training run, corrected while it runs. This module needs only NumPy.

    tuner = lodfs.FidelityTuner(gradients, items=len(data), mount="/mnt/photos", size=224,
                                total=steps, epoch=len(loader))
    for images, labels in loader:                # reads /mnt/photos/auto
        tuner.step(train_step(images, labels))   # its loss

`gradients(level, indices, seed)` returns the gradient of the loss over these items of the dataset,
read at a fidelity, as an array or a list of arrays. Random augmentation has to follow from the seed
alone. lodfs.torch.Gradients is one for PyTorch.
"""
import collections
import json
import logging
import time

import numpy as np

from ._measure import compare
from ._ladder import ladder

_LOG = logging.getLogger("lodfs.tune")

_WINDOW, _WINDOW_LEAST = 50, 4  # numbers of losses whose means are compared: most, and least
_WINDOW_SHARE = 40              # a window has at most 1 / this of the run
_FALL = .05                     # the model has learned if the mean fell by this share,
_ERRORS = 4                     # and the means differ by this many standard errors
_WARMUP_SHARE = 30              # the default warm-up is at most this part of the run
_SAID_SHARE = 10                # after this part of the run it says that the loss has not fallen


class Alone:
    """A run of one process. Other kinds of `ranks` have the same three members."""
    rank = local_rank = 0

    @staticmethod
    def broadcast(value):
        """Returns the value of rank 0."""
        return value


class FidelityTuner:
    """Starts at full, chooses a level once the model has learned, and later only goes up.

    It takes only levels that were compared by gradients. If the loss does not fall, it stays at
    full for the whole run.

    `items` is the length of the dataset, `total` the number of steps of the run, `epoch` those of
    an epoch. The tuner switches the link `auto` of `mount`; without a mount it calls
    `switch(level)`. The levels and the bound of likeness come from the mount's store, at `size` and
    `crop`, or from `likeness`, a result of Store.likeness. `ranks` is Alone() or the `ranks` of
    `gradients`.

    `threshold` is the cosine that a level has to reach, `bound` the MS-SSIM that it must not be
    below. `budget` is the share of all time that probes may take. `warmup` is the number of steps
    before the first choice; the default is the lesser of an epoch and a thirtieth of `total`.
    """

    def __init__(self, gradients, items, mount=None, size=None, total=None, *, crop=None,
                 epoch=None, likeness=None, store=None, switch=None, ranks=None, warmup=None,
                 threshold=.95, bound=.90, budget=.05, groups=4, group=64, seed=0,
                 clock=time.monotonic):
        if not total or total < 1 or items < 1:
            raise ValueError("items, and total, the number of steps of the run, are needed")
        self._gradients, self._items, self._total = gradients, items, total
        self._threshold, self._budget, self._seed, self._clock = threshold, budget, seed, clock
        self._groups, self._group = groups, min(group, items)
        self._ranks = ranks or getattr(gradients, "ranks", None) or Alone()
        self._switch = switch or _mount_switch(mount)
        self._levels, self._static = ladder(likeness or _likeness(mount, store, size, crop), bound)
        self._window = max(_WINDOW_LEAST, min(_WINDOW, total // _WINDOW_SHARE))
        self._warmup = min(epoch or total, total // _WARMUP_SHARE) if warmup is None else warmup
        self._first, self._last = [], collections.deque(maxlen=self._window)
        self._steps, self._probes, self._spent, self._before = 0, 0, 0., 0.
        self._began, self._probing, self._evaluation = clock(), 0., None
        self._found, self._wanted = [], 0
        self._due = 2 * self._window
        self._phase, self.level, self.history = "warm-up", "full", []
        self._apply("full")

    def step(self, loss):
        """Call it after each training step, in every process. The loss is used during warm-up
        only."""
        self._steps += 1
        if self._phase == "warm-up" and self._ranks.rank == 0:
            self._note(float(loss))
        if self._steps >= self._due and self._phase != "done":
            self._meet()

    def _note(self, loss):
        if np.isfinite(loss):
            self._last.append(loss)
            if len(self._first) < self._window:
                self._first.append(loss)

    def _meet(self):
        """Rank 0 decides about the level. It sends its decision, or its failure, to all ranks."""
        failure, level = None, self.level
        if self._ranks.rank == 0:
            try:
                level = self._decide()
            except BaseException as error:  # the other ranks must not wait for ever
                failure = error
        received = self._ranks.broadcast(None if failure else (level, self._due, self._phase))
        if failure:
            raise failure
        if received is None:
            raise RuntimeError("the gradients of rank 0 failed")
        level, self._due, self._phase = received
        if level != self.level:
            self.level = level
            self._apply(level)

    def _decide(self):
        if self._phase == "warm-up":
            return self._await_learning()
        if self._phase == "learned":
            return self._first_choice()
        return self.level if self._waits() else self._later()

    def _learned(self):
        """Returns whether the loss has fallen by 5 %, and by more than its noise explains."""
        if len(self._last) < self._window:
            return False
        first, last = np.array(self._first), np.array(self._last)
        fall = first.mean() - last.mean()
        error = np.sqrt((first.var(ddof=1) + last.var(ddof=1)) / self._window)
        return fall >= _FALL * abs(first.mean()) and fall > _ERRORS * error

    def _await_learning(self):
        """The first choice is made after as many steps again. Fine detail is learned later than
        coarse detail, and until then gradients do not miss it."""
        if self._learned():
            self._phase, self._due = "learned", max(self._warmup, 2 * self._steps)
            return self.level
        self._due = self._steps + max(1, self._window // 5)
        if not self.history and self._steps >= self._total / _SAID_SHARE:
            self._log(self.level, {}, f"the loss has not fallen by {_FALL:.0%} in a tenth of the "
                      "run: full until it has")
        return self.level

    def _first_choice(self):
        """Compares one group of items at each of some steps, since the gradients of a single step
        may mislead. A level counts by its lowest cosine."""
        found = self._compare(list(self._found[0]), 1) if self._found else \
            self._compare(self._levels[:-1], 1, self._affordable)
        if found == {}:
            return self._conclude("full", {}, "comparing gradients would take more than "
                                  f"{self._budget:.0%} of the run: full")
        if found is None:
            self._found, self._due = [], self._steps + self._window
            return self._log(self.level, {}, "a gradient is not finite: thrown away")
        self._found.append({name: cosine for name, (cosine, _) in found.items()})
        if len(self._found) < self._wanted:
            self._due = self._steps + max(1, self._window // 2)
            return self.level
        cosines = {name: [one[name] for one in self._found] for name in found}
        found = {name: (min(values), float(np.std(values) / np.sqrt(len(values))))
                 for name, values in cosines.items()}
        for name, (cosine, _) in found.items():
            if cosine >= self._threshold:
                return self._conclude(name, found, "the lowest level whose cosine reaches "
                                      f"{self._threshold:g}")
        return self._conclude("full", found, f"no level's cosine reaches {self._threshold:g}")

    def _later(self):
        place = self._levels.index(self.level)
        names = [name for name in self._levels[place:place + 2] if name != "full"]
        found = self._compare(names, self._groups)
        if found is None:
            self._plan()
            return self._log(self.level, {}, "a gradient is not finite: thrown away")
        if found[self.level][0] < self._threshold:
            return self._conclude(self._levels[place + 1], found,
                                  f"the cosine is below {self._threshold:g}: one level up")
        return self._conclude(self.level, found,
                              f"the cosine still reaches {self._threshold:g}")

    def _conclude(self, level, found, reason):
        self._log(level, found, reason)
        self._phase = "done" if level == "full" else "tuned"
        self._plan()
        return level

    def _compare(self, names, groups, affordable=None):
        """Compares levels by their gradients: one probe. Its time counts as overhead."""
        self._probes += 1
        began, self._done = self._clock(), groups * (len(names) + 1)
        found = compare(self._gradients, names, self._items, (groups, self._group),
                        (self._seed, self._probes), affordable, self._clock)
        seconds = self._clock() - began
        self._probing += seconds
        self._spent += seconds
        self._evaluation = seconds / self._done
        return found

    # Time.

    def _all_time(self):
        return self._before + self._clock() - self._began

    def _next_cost(self):
        """Returns the levels of a later probe: full, the level in use and the next one."""
        return 3 * self._groups * self._evaluation if self._evaluation else 0

    def _affordable(self, seconds):
        """Returns the levels that each group of the first comparison has, and the number of groups
        now: 1, or 0 if the budget of the run is below two groups. `seconds` is the time of a
        gradient. If time is short for all levels, the choice by likeness alone is compared."""
        left = (self._all_time() + self._rate() * (self._total - self._steps)) * self._budget
        least = min(2, self._groups)
        for names in self._levels[:-1], [name for name in [self._static] if name != "full"]:
            cost = seconds * (len(names) + 1)
            groups = int(min((left - self._spent) / cost, self._groups) if cost else self._groups)
            if names and groups >= least:
                self._wanted, self._done = groups, len(names) + 1
                return names, 1
        self._done = 1
        return [], 0

    def _rate(self):
        """Returns the seconds of a training step."""
        return max(self._all_time() - self._spent, 0) / self._steps

    def _waits(self):
        """Returns whether a probe would exceed the budget now; if so it is postponed."""
        short = (self._spent + self._next_cost()) / self._budget - self._all_time()
        if short > 0:
            rate = self._rate()
            steps = int(min(short / rate, self._total)) if rate else self._total
            self._due = self._steps + max(1, steps)
        return short > 0

    def _plan(self):
        """Spreads the probes that the budget still allows over the steps that are left. If the cost
        of a probe is unknown, the next one is due after a tenth of these steps."""
        left, all_time = self._total - self._steps, self._all_time()
        if self._phase != "tuned" or left <= 0:
            return
        expected = (all_time + self._rate() * left) * self._budget - self._spent
        cost = self._next_cost()
        count = int(min(max(expected / cost, 0) if cost else _SAID_SHARE, left))
        self._due = self._steps + max(1, left // (count + 1))

    # Log, switch, checkpoints.

    def _log(self, level, found, reason):
        all_time = self._all_time()
        entry = {"step": self._steps, "from": self.level, "to": level,
                 "cosine": {name: round(value, 4) for name, (value, _) in found.items()},
                 "error": {name: round(error, 4) for name, (_, error) in found.items()},
                 "seconds": round(self._probing, 3),
                 "share": round(self._spent / all_time, 4) if all_time else 0, "reason": reason}
        self._probing = 0.
        self.history.append(entry)
        _LOG.info("%s", json.dumps(entry))
        return level

    def _apply(self, level):
        """The first process of each machine switches its mount."""
        if self._ranks.local_rank or not self._switch:
            return
        try:
            self._switch(level)
        except OSError as error:
            self._switch = None
            _LOG.warning("auto cannot be switched to %s, and stays as it is from now on: %s", level,
                         error)

    _KEPT = ("_steps", "_probes", "_spent", "_evaluation", "_due", "_phase", "level",
             "_found", "_wanted", "_probing")

    def state_dict(self):
        """The state, as plain numbers and lists, for a checkpoint."""
        state = {name.lstrip("_"): getattr(self, name) for name in self._KEPT}
        state["found"] = [dict(one) for one in self._found]
        return state | {"seconds": self._all_time(), "first": list(self._first),
                        "last": list(self._last),
                        "history": [dict(entry) for entry in self.history]}

    def load_state_dict(self, state):
        """Continues from a state, and switches to its level at once."""
        for name in self._KEPT:
            setattr(self, name, state[name.lstrip("_")])
        self._found = [dict(one) for one in self._found]
        self._before, self._began = state["seconds"], self._clock()
        self._first = list(state["first"])
        self._last = collections.deque(state["last"], maxlen=self._window)
        self.history = [dict(entry) for entry in state["history"]]
        self._apply(self.level)


def _mount_switch(mount):
    if mount is None:
        return None
    from .mounts import Mount
    at = mount if isinstance(mount, Mount) else Mount(mount)

    def switch(level):
        at.auto = level
    return switch


def _likeness(mount, store, size, crop):
    from .mounts import Mount
    from .store import open as open_store
    if mount is None and store is None:
        raise ValueError("the levels come from mount=, store= or likeness=")
    if store is None:
        store = (mount if isinstance(mount, Mount) else Mount(mount)).store
    with open_store(store) as opened:
        return opened.likeness(size=size, crop=crop)

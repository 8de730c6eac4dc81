# SPDX-License-Identifier: Apache-2.0
"""The order in which a job reads a store, and the walk of one process through it.

lodfs.torch has the classes for PyTorch; this module knows no framework. FORMAT.md, Reading order,
defines the order.
"""
import operator
import os
import sys
from ctypes import byref, c_size_t, c_void_p

import numpy as np

from ._announced import warn
from ._library import ORDER, PASS, call
from .store import Store

NO_ITEM = 0xffffffff
STORED = 0xffffffff
VERSION = 1
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def size_of(size):
    """Returns a size in bytes, given as a number or as a text such as "96M"."""
    if not isinstance(size, str):
        number = operator.index(size)
        if number < 0:
            raise ValueError(f"a size in bytes cannot be {size!r}")
        return number
    digits = size.rstrip("KMGT")
    if not digits.isdigit() or size[len(digits):] not in _UNITS:
        raise ValueError(f"{size!r} is no size; 96M is one")
    return int(digits) << _UNITS[size[len(digits):]]


def ranks(rank, world):
    """Returns the rank and the number of processes: the arguments, or those of torch.distributed or
    torchrun."""
    if (rank is None) != (world is None):
        raise ValueError("rank and world are given together, or neither")
    if rank is None:
        distributed = sys.modules.get("torch.distributed")
        if distributed and distributed.is_available() and distributed.is_initialized():
            rank, world = distributed.get_rank(), distributed.get_world_size()
        else:
            rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
    if not 0 <= rank < world:
        raise ValueError(f"rank {rank} is not one of 0 to {world - 1}")
    return rank, world


class Pass:
    """One pass of an order, for one node."""

    def __init__(self, order, number, node, nodes):
        self._handle, self._order = PASS(), order
        call("pass_open", order._handle, number, node, nodes, byref(self._handle))
        self.items, self.least, self.most = (call(f"pass_{name}", self._handle)
                                             for name in ("items", "items_min", "items_max"))

    def __del__(self):
        call("pass_close", self._handle)

    def run(self, cursor, fidelity, room):
        """Returns how many extents the run at extent `cursor` has; 0 at the end."""
        return call("pass_run", self._handle, cursor, fidelity, room)

    def count(self, cursor, extents):
        """Returns how many items a run has; an item that was listed twice counts twice."""
        return call("pass_run_count", self._handle, cursor, extents)

    def run_items(self, cursor, extents):
        """Returns the items of a run, each once, in their order."""
        room, count = self.count(cursor, extents), c_size_t()
        items = np.empty(room, np.uint32)
        call("pass_run_items", self._handle, cursor, extents, 0, c_void_p(items.ctypes.data), room,
             byref(count))
        return items[:count.value]

    def records(self, cursor, extents):
        """Returns the numbers of a run's records, as Mount.ahead takes them."""
        count = c_size_t()
        call("pass_run_records", self._handle, cursor, extents, None, 0, byref(count))
        records = np.empty(count.value, np.uint32)
        call("pass_run_records", self._handle, cursor, extents, c_void_p(records.ctypes.data),
             records.size, byref(count))
        return records.tolist()


def _opened_again(identity, path, seed, split, items):
    """Returns a pickled order, if the store is still the same."""
    with Store(path) as store:
        order = Order(store, seed, split, items)
    if order.store != identity:
        raise ValueError(f"{path} is store {order.store} now, not {identity}; put that one there")
    return order


class Order:
    """The order of the pictures below a folder of a store, or of listed items.

    A pickle opens it again where it is unpickled.
    """

    def __init__(self, store, seed, split="", items=None):
        self._handle = ORDER()
        if items is None:
            call("order_open", store._opened(), os.fsencode(split), seed, byref(self._handle))
        else:
            items = np.ascontiguousarray(items, np.uint32)
            call("order_open_items", store._opened(), c_void_p(items.ctypes.data), items.size, seed,
                 byref(self._handle))
        self.store = call("order_store", self._handle).decode()
        self.items = call("order_items", self._handle)
        self._arguments = store.path, seed, split, items

    def __reduce__(self):
        return _opened_again, (self.store, *self._arguments)

    def __del__(self):
        call("order_close", self._handle)


def _same(items):
    return items


class Walk:
    """The walk of one process through passes of an order, which can stop and continue.

    `expand` turns the items of a run into the values to yield; `rest` is yielded after all runs.
    A state is a dict of numbers and texts; `dealt` counts the values that all processes of the node
    have yielded.
    """

    def __init__(self, order, seed, fidelity, run, rank, world, nodes, tail, expand=None, rest=()):
        rank, world = ranks(rank, world)
        if nodes < 1 or world % nodes:
            raise ValueError(f"{world} processes cannot be divided among {nodes} nodes")
        if tail not in ("drop", "wrap"):
            raise ValueError(f"tail is 'drop' or 'wrap', not {tail!r}")
        self._order, self._expand, self._rest = order, expand or _same, rest
        self._fidelity, self._room, self._tail = fidelity, size_of(run), tail
        self.world, self.nodes = world // nodes, nodes
        self.node, self.rank = divmod(rank, self.world)
        self._seed, self._number = operator.index(seed), None
        self._is_narrow = False
        self.give(self._fresh(0), False)

    def _fresh(self, number):
        return {"version": VERSION, "store": self._order.store, "seed": self._seed,
                "nodes": self.nodes, "node": self.node, "world": self.world, "pass": number,
                "cursor": 0, "extents": 0, "begun": 0, "base": 0, "dealt": 0}

    def give(self, state, is_loaded=True):
        """Loads a state: the next iteration begins there, and until then it is the current
        state."""
        self._next = self._begun = state
        self.is_loaded = is_loaded
        self.done, self._runs = (state["dealt"] - state["base"]) // self.world, []

    def begin(self, number):
        """Moves to the beginning of a pass, unless a state inside of this pass was loaded."""
        self._number = operator.index(number)
        if self._next["pass"] != number:
            self.give(self._fresh(self._number), False)

    def take(self):
        """Returns the state of the next iteration. The iteration after that begins a pass: the one
        that begin() set, or the same pass again."""
        state = self._next
        self._next = self._fresh(state["pass"] if self._number is None else self._number)
        self.is_loaded = False
        return state

    def _plan(self, state):
        return Pass(self._order, state["pass"], self.node, self.nodes)

    def _run(self, number, passing):
        """Returns run `number` of the iteration: cursor, extents, place of its first value, count.

        A run without extents stands for the rest of the values; after it comes the first run again.
        """
        while number >= len(self._runs):
            state = self._begun
            cursor, extents, begun = state["cursor"], state["extents"], state["begun"]
            if self._runs:
                cursor, extents, begun, count = self._runs[-1]
                cursor, extents, begun = cursor + extents if extents else 0, 0, begun + count
            extents = extents or passing.run(cursor, self._fidelity, self._room)
            count = passing.count(cursor, extents) if extents else len(self._own_rest())
            self._runs.append((cursor, extents, begun, count))
        return self._runs[number]

    def _own_rest(self):
        return self._rest[self.node::self.nodes]

    def _end(self, passing, base):
        """Returns the place where the pass ends, which is the same for all processes of all
        nodes."""
        if self._tail == "drop":
            left = passing.least + len(self._rest) // self.nodes - base
            return base + max(left, 0) // self.world * self.world
        left = passing.most + -(-len(self._rest) // self.nodes) - base
        return base + -(-max(left, 0) // self.world) * self.world

    def __len__(self):
        """Returns how many values of the whole pass belong to this process."""
        return self._end(self._plan(self._next), 0) // self.world

    def values(self, announced=None):
        """Yields the values of this process: all of the pass, or from a loaded state on.

        `announced`, an Announced, gets the records of a run and of the next one when the run
        begins.
        """
        self.give(self._next)
        state = self.take()
        passing = self._plan(state)
        end, number = self._end(passing, state["base"]), 0
        if self.nodes > 1 and not passing.least + len(self._rest) // self.nodes:
            raise ValueError(f"the store has fewer extents than the job has nodes, {self.nodes}: "
                             "one has nothing to read; use nodes=1")
        place = state["base"] + self.rank + self.done * self.world
        while place < end:
            cursor, extents, begun, _ = self._run(number, passing)
            if announced and extents:
                self._announce(announced, number, passing)
            dealt = self._expand(passing.run_items(cursor, extents)) if extents \
                else self._own_rest()
            for value in dealt[place - begun:end - begun:self.world]:
                self.done += 1
                if announced:
                    announced.touch()
                yield int(value)
            place, number = state["base"] + self.rank + self.done * self.world, number + 1

    def _announce(self, announced, number, passing):
        """Announces the records of a run that begins, and of the next one. Those of the run
        before can then be evicted, when workers have read most of its last batches."""
        own, after = (passing.records(*self._run(at, passing)[:2]) for at in (number, number + 1))
        if not announced.announce(own + after) and not self._is_narrow:
            self._is_narrow = True
            warn(f"{announced.mount.root} has room for {announced.room} bytes of this job, too few "
                 "for this run and the next: files are read one by one, which is slow on a disk; "
                 f"take run={announced.room // 2}, or mount with a larger cache_size or tier_size")

    def state(self):
        """Returns the current state."""
        return self._state(self.done)

    def state_at(self, done):
        """Returns the state after this process has yielded `done` values of the iteration."""
        state = self._state((self._begun["dealt"] - self._begun["base"]) // self.world + done)
        return state | {"base": state["dealt"]}

    def _state(self, done):
        state, passing, number = dict(self._begun), self._plan(self._begun), 0
        end = self._end(passing, state["base"])
        state["dealt"] = min(state["base"] + done * self.world, end)
        if self._runs and self._runs[-1][2] <= state["dealt"]:
            number = len(self._runs) - 1
        run = self._run(number, passing)
        while run[2] + run[3] <= state["dealt"] < end:
            number += 1
            run = self._run(number, passing)
        return state | {"cursor": run[0], "extents": run[1], "begun": run[2]}

    def load(self, state):
        """Continues where the state was taken; the number of processes of the node may differ."""
        if not isinstance(state, dict):
            raise ValueError(f"a state is what state_dict() returned, not {state!r}")
        if state.get("version") != VERSION:
            raise ValueError(f"the state is of version {state.get('version')!r}, not {VERSION}")
        own = {"store": self._order.store, "seed": self._seed, "nodes": self.nodes,
               "node": self.node}
        for name, value in own.items():
            if state.get(name) != value:
                raise ValueError(f"the state is of {name} {state.get(name)!r}, not {value!r}")
        state = dict(state)
        self._check(state)
        if state["world"] != self.world:
            state |= {"world": self.world, "base": state["dealt"]}
        self.give(state)

    def _check(self, state):
        """Raises a ValueError if no walk can reach this state."""
        for name in "world", "pass", "cursor", "extents", "begun", "base", "dealt":
            if not isinstance(state.get(name), int) or not 0 <= state[name] < 1 << 32:
                raise ValueError(f"the state is damaged: its {name} is {state.get(name)!r}; take "
                                 "an older one")
        passing = self._plan(state)
        # with tail="wrap" all values may be dealt again
        every = max(1, passing.items + len(self._own_rest()))
        if not state["world"] or max(state["begun"], state["base"]) > state["dealt"] or \
                (state["begun"] - passing.count(0, state["cursor"])) % every:
            raise ValueError("the state is damaged: its numbers contradict each other; take an "
                             "older one")

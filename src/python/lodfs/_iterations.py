# SPDX-License-Identifier: Apache-2.0
"""Iterations over jobs, which StatefulDataLoader of torchdata stops and continues.

It saves the state of an iteration beside that of its job. So an iteration of which nothing is left
differs from one that has not begun, and a new iteration does not continue one that had ended.
"""


class OfWalk:
    """An iteration over a Walk, whose values the generator `values` yields."""

    def __init__(self, walk, values):
        self._walk, self._values, self._taken = walk, values, None

    def __iter__(self):
        return self

    def __next__(self):
        if self._taken:
            self._walk.give(self._taken)
            self._taken = None
        return next(self._values)

    def state_dict(self):
        return {"done": self._walk.done}

    def load_state_dict(self, _):
        """Takes the state that the walk has just loaded: the next iteration begins anew."""
        self._taken = self._walk.take()


class OfMiniEpochs:
    """An iteration over a MiniEpochs."""

    def __init__(self, met):
        self._met, self._left, self._begun = met, None, False

    def __iter__(self):
        return self

    def __next__(self):
        if not self._begun:
            self._left, self._begun = self._met._begin_iteration(self._left), True
        if not self._left:
            raise StopIteration
        self._left -= 1
        return self._met._draw()

    def state_dict(self):
        return {"left": self._left}

    def load_state_dict(self, state):
        self._left = state["left"]

# SPDX-License-Identifier: Apache-2.0
"""Numbers on which the processes of a job agree, by torch.distributed and on the processor."""
import sys


class Agreed:
    """Every process creates one, and makes the same calls. Each call is one small message.

    ValueError if there is no process group of this size.
    """

    def __init__(self, rank, world):
        distributed = sys.modules.get("torch.distributed")
        if not (distributed and distributed.is_available() and distributed.is_initialized()):
            raise ValueError(f"{world} processes can use one score only together: begin "
                             "torch.distributed before, or use rf='auto' or a number")
        if (distributed.get_rank(), distributed.get_world_size()) != (rank, world):
            raise ValueError(f"rank {rank} of {world} is rank {distributed.get_rank()} of "
                             f"{distributed.get_world_size()} of torch.distributed")
        self._distributed, self._torch = distributed, sys.modules["torch"]
        self._group = distributed.new_group(backend="gloo")

    def _tensor(self, numbers):
        return self._torch.tensor(numbers, dtype=self._torch.float64)

    def first(self, number):
        """Returns the number that process 0 passed."""
        tensor = self._tensor([float(number)])
        self._distributed.broadcast(tensor, 0, group=self._group)
        return tensor.item()

    def least(self, *numbers):
        """Returns the minimum of each number over all processes."""
        tensor = self._tensor([float(number) for number in numbers])
        self._distributed.all_reduce(tensor, self._distributed.ReduceOp.MIN, group=self._group)
        return tensor.tolist()


class Alone:
    """The same calls for a single process, or for processes that need not agree."""

    def first(self, number):
        return number

    def least(self, *numbers):
        return numbers

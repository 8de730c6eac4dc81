# SPDX-License-Identifier: Apache-2.0
"""Gradients of a PyTorch model, for FidelityTuner. lodfs.torch imports this file when needed."""
import os
import random

import numpy as np
import torch
from torch import distributed
from torch.utils.data import default_collate


class Ranks:
    """The processes of torch.distributed, or a single one if it is not initialised."""

    def __init__(self):
        self._many = distributed.is_available() and distributed.is_initialized()
        self.rank = distributed.get_rank() if self._many else 0
        self.local_rank = int(os.environ.get("LOCAL_RANK", self.rank)) if self._many else 0

    def broadcast(self, value):
        """The value of rank 0."""
        if not self._many:
            return value
        box = [value]
        distributed.broadcast_object_list(box, src=0)
        return box[0]


def _move(value, device):
    if isinstance(value, torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return type(value)(_move(part, device) for part in value)
    return value


class _Kept:
    """A context: at its end the random states, buffers and modes of the model are restored."""

    def __init__(self, model):
        self._model = model

    def __enter__(self):
        self._buffers = [(buffer, buffer.detach().clone()) for buffer in self._model.buffers()]
        self._modes = [(module, module.training) for module in self._model.modules()]
        self._random = random.getstate(), np.random.get_state(), torch.get_rng_state()
        self._devices = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def __exit__(self, *what):
        with torch.no_grad():
            for buffer, value in self._buffers:
                buffer.copy_(value)
        for module, mode in self._modes:
            module.training = mode
        random.setstate(self._random[0])
        np.random.set_state(self._random[1])
        torch.set_rng_state(self._random[2])
        if self._devices is not None:
            torch.cuda.set_rng_state_all(self._devices)


class Gradients:
    """The gradient of criterion(model(inputs), targets) over some items of a dataset.

    `dataset(level)` opens the dataset at a fidelity: the same items in the same order, each inputs
    and a target. The model is in training mode meanwhile, and everything is afterwards as it was,
    also if reading an item fails: weights, their gradients, running statistics, random states.
    Of a model in DistributedDataParallel the wrapped one is used.
    """

    def __init__(self, model, criterion, dataset):
        self._model = getattr(model, "module", model) \
            if isinstance(model, torch.nn.parallel.DistributedDataParallel) else model
        self._criterion, self._open, self._opened = criterion, dataset, {}
        self.ranks = Ranks()

    def _batch(self, level, indices, device):
        if level not in self._opened:
            self._opened[level] = self._open(level)
        return _move(default_collate([self._opened[level][int(i)] for i in indices]), device)

    def __call__(self, level, indices, seed):
        weights = [weight for weight in self._model.parameters() if weight.requires_grad]
        device = weights[0].device
        with _Kept(self._model), torch.enable_grad(), \
                torch.autocast(device.type, enabled=False):
            random.seed(seed)
            np.random.seed(seed)
            torch.manual_seed(seed)
            self._model.train()
            inputs, targets = self._batch(level, indices, device)
            loss = self._criterion(self._model(inputs), targets)
            found = torch.autograd.grad(loss, weights, allow_unused=True)
            return [gradient.float().cpu().numpy() for gradient in found if gradient is not None]

# SPDX-License-Identifier: Apache-2.0
"""A task that lower fidelities destroy, for the test of FidelityTuner.

The class of a picture is the direction of a faint grating on it, at any phase. The network is a
layer of filters, a ReLU, the mean over all places and a weighted sum; its gradient is written out.
"""
import numpy as np

SIDE, FILTERS, BATCH, RATE = 24, 12, 32, 4.
FAINT, COARSE, NOISE = .1, .3, .01


def make(seed, count=800):
    """Returns pictures of large blurred spots, and their classes."""
    random = np.random.default_rng(seed)
    classes = random.permutation(np.arange(count) % 2)
    spots = random.normal(size=(count, SIDE // 4, SIDE // 4)) * COARSE
    y, x = np.indices((SIDE, SIDE))
    across = np.where(classes[:, None, None] == 0, y + x, y - x) * 2 * np.pi / 3
    phase = random.uniform(0, 2 * np.pi, (count, 1, 1))
    pictures = np.repeat(np.repeat(spots, 4, 1), 4, 2) + FAINT * np.cos(across + phase)
    return pictures + NOISE * random.normal(size=pictures.shape), classes


def coarse(pictures, block):
    """Means over blocks: no grating is left."""
    count, side, _ = pictures.shape
    means = pictures.reshape(count, side // block, block, side // block, block).mean((2, 4))
    return np.repeat(np.repeat(means, block, 1), block, 2)


# q1 .. q4 show no grating, q7 shows most of it.
LEVELS = {"q1": lambda p: coarse(p, 12), "q2": lambda p: coarse(p, 6),
          "q3": lambda p: coarse(p, 4), "q4": lambda p: coarse(p, 3),
          "q7": lambda p: .97 * p + .03 * coarse(p, 3), "full": lambda p: p}


class Net:
    def __init__(self, seed):
        random = np.random.default_rng(seed)
        self.weights = [random.normal(size=(9, FILTERS)) * .3, random.normal(size=FILTERS) * .3,
                        np.zeros(1)]

    def gradient(self, pictures, classes):
        """The gradients of the weights, the loss and the accuracy."""
        kernels, sums, offset = self.weights
        windows = np.lib.stride_tricks.sliding_window_view(pictures, (3, 3), (1, 2))
        places = windows.reshape(len(pictures), -1, 9)
        filtered = places @ kernels
        means = np.maximum(filtered, 0).mean(1)
        out = means @ sums + offset
        wrong = (1 / (1 + np.exp(-out)) - classes) / len(classes)
        back = (wrong[:, None] * sums / places.shape[1])[:, None, :] * (filtered > 0)
        return ([np.tensordot(places, back, ((0, 1), (0, 1))), means.T @ wrong,
                 wrong.sum(keepdims=True)],
                float(np.mean(np.logaddexp(0, out) - classes * out)),
                float(np.mean((out > 0) == classes)))

    def step(self, pictures, classes):
        gradients, loss, _ = self.gradient(pictures, classes)
        for weight, gradient in zip(self.weights, gradients):
            weight -= RATE * gradient
        return loss


class Run:
    """A training run whose reads are at `level`, and its gradients for a tuner."""

    def __init__(self, seed):
        self.pictures, self.classes = make(seed)
        self.shown = {name: show(self.pictures) for name, show in LEVELS.items()}
        self.net, self.random, self.level = Net(seed), np.random.default_rng(seed), "full"

    def gradients(self, level, indices, _seed):
        return self.net.gradient(self.shown[level][indices], self.classes[indices])[0]

    def epoch(self, after=lambda loss: None):
        for batch in np.split(self.random.permutation(len(self.classes)),
                              len(self.classes) // BATCH):
            after(self.net.step(self.shown[self.level][batch], self.classes[batch]))

    def accuracy(self):
        pictures, classes = make(1000)
        return self.net.gradient(LEVELS[self.level](pictures), classes)[2]

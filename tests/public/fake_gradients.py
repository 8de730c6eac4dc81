# SPDX-License-Identifier: Apache-2.0
"""A training run that is made up, with gradients and a clock, for the tests of FidelityTuner."""
import numpy as np

import lodfs
from lodfs import Level, Likeness

SHARES = {"q1": .07, "q2": .12, "q3": .2, "q4": .3, "q7": .6, "full": 1.}


def likeness(mssim=None, choice="q3"):
    """A survey with these MS-SSIMs; q6 is too near q7 to be a level of the ladder."""
    shares = dict(SHARES, q6=.58)
    levels = [Level(name, name, share * 1e5, share, (mssim or {}).get(name, .95), .01, .9)
              for name, share in sorted(shares.items(), key=lambda item: item[1])]
    return Likeness(choice, True, 100, 100, 0, 0, levels)


class Clock:
    """A training step takes a second, a gradient as long as `cost` says."""

    def __init__(self, cost=.1):
        self.now, self.cost = 0., cost

    def __call__(self):
        return self.now


class Fake:
    """Gradients whose cosines with full are those of a table."""

    def __init__(self, clock, cosines):
        self.clock, self.cosines, self.asked = clock, cosines, []

    def __call__(self, level, indices, seed):
        self.clock.now += self.clock.cost
        self.asked.append((level, tuple(indices), seed))
        cosine = 1. if level == "full" else self.cosines.get(level, .99)
        return [np.array([cosine]), np.array([np.sqrt(1 - cosine ** 2)])]


def tuner_of(cosines, clock=None, total=2000, **options):
    clock = clock or Clock()
    switched = []
    tuner = lodfs.FidelityTuner(Fake(clock, cosines), items=1000, total=total, clock=clock,
                                switch=switched.append,
                                **({"likeness": likeness(), "epoch": 50} | options))
    return tuner, clock, switched


def train(tuner, clock, steps, loss=lambda step: 1 / (1 + step / 20), begin=0):
    for step in range(begin, begin + steps):
        clock.now += 1
        tuner.step(loss(step))

# SPDX-License-Identifier: Apache-2.0
"""The levels among which a tuner chooses."""

_FACTOR = 1.25  # the factor in bytes from one level to the next


def _name(level):
    return "full" if level.last == "full" else level.fidelity


def ladder(likeness, bound):
    """The names of the levels, the lowest first and full last, and the choice by likeness alone.

    From full down, each level has at most 1 / 1.25 of the bytes of the one above; the lowest
    fidelity is always a level. A level whose MS-SSIM is below `bound` by two standard errors is
    left out.
    """
    allowed = [level for level in likeness.levels
               if level.last == "full" or level.mssim + level.within >= bound]
    taken = [allowed[-1]]
    for level in reversed(allowed[:-1]):
        if taken[-1].share >= _FACTOR * level.share or level is allowed[0]:
            taken.append(level)
    names = [_name(level) for level in reversed(taken)]
    # The static choice: the level chosen by likeness, or the next higher one in the ladder.
    at = next(i for i, level in enumerate(likeness.levels) if _name(level) == likeness.fidelity)
    static = next(_name(level) for level in reversed(taken) if likeness.levels.index(level) >= at)
    return names, static

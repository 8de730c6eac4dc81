# SPDX-License-Identifier: Apache-2.0
"""A probe: compares the gradients at lower fidelities with those at full."""
import time

import numpy as np


def _flat(gradient):
    arrays = gradient if isinstance(gradient, (list, tuple)) else [gradient]
    return np.concatenate([np.asarray(array, np.float64).ravel() for array in arrays])


def _cosine(one, other):
    """Returns the cosine of two gradients; None if one of them is 0 or not finite."""
    norm = np.sqrt(one @ one) * np.sqrt(other @ other)
    return float(one @ other / norm) if np.isfinite(norm) and norm > 0 else None


def compare(gradients, names, items, shape, seed, affordable=None, clock=time.monotonic):
    """Returns {name: (cosine with full, its standard error)} over groups of items; None if not
    finite.

    `shape` is the number of groups and their size. Items, and the seed of augmentation, are the
    same for every level. `affordable(seconds of the first gradient)` returns the names, and how
    many groups, for which there is time. If there is time for no group, the result is {}.
    """
    random = np.random.default_rng(seed)
    groups, size = shape
    cosines, done = None, 0
    while done < groups:
        indices = random.choice(items, size, replace=False)
        seed, began = int(random.integers(1 << 31)), clock()
        full = _flat(gradients("full", indices, seed))
        if affordable and not done:
            names, groups = affordable(clock() - began)
            if not groups:
                return {}
        cosines = cosines or {name: [] for name in names}
        done += 1
        for name in names:
            cosines[name].append(_cosine(_flat(gradients(name, indices, seed)), full))
            if cosines[name][-1] is None:
                return None
    return {name: (float(np.mean(values)),
                   float(np.std(values, ddof=1) / np.sqrt(groups)) if groups > 1 else 0.)
            for name, values in cosines.items()}

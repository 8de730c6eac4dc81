# SPDX-License-Identifier: Apache-2.0
"""Who may include whom: arrows down the floors only, and one file a library."""
import os
import re

from tree import FLOORS, OWNERS, PUBLIC, floor_of, includes


def resolve(tree, name, header):
    """The file of the tree that `#include "header"` in `name` means; None if there is none."""
    beside = os.path.normpath(os.path.join(os.path.dirname(name), header))
    for candidate in [beside] + [f"{floor}/{header}" for floor in FLOORS]:
        if candidate in tree.files:
            return candidate
    return None


# What liblodfs, which alone of fs knows single codecs, makes public of them.
PRODUCTS = {"codecs/l3/l3_whole.h", "codecs/toc/dtype.h", "codecs/toc/matrix.h",
            "codecs/toc/toc.h"}
MEASURES = {"codecs/pcr/curve.c"}  # what encoding would give: pack's alone


def is_writer(name):
    base = os.path.basename(name)
    return (name in MEASURES or name.startswith("src/") or "_write." in base
            or base.startswith("encoder."))


def wrong_arrow(name, target):
    """Why file `name` must not include file `target`; None if it may."""
    mine, theirs = floor_of(name), floor_of(target)
    if theirs is None:
        return "is outside the four floors"
    if theirs > mine:
        return f"is on floor {FLOORS[theirs]}, above {FLOORS[mine]}"
    if theirs == mine:
        if FLOORS[mine] == "codecs" and is_writer(target) and not is_writer(name):
            return "is an encoder's header in a decoder"
        return None
    if name.startswith("fs/lodfs") and target in PRODUCTS:
        return None
    seen = PUBLIC.get(FLOORS[mine], {}).get(FLOORS[theirs])
    if seen is not None and os.path.relpath(target, FLOORS[theirs]) not in seen:
        return f"is not among what floor {FLOORS[mine]} may see of {FLOORS[theirs]}"
    if os.path.basename(target) == "encoder.h" and not name.startswith("src/pack/"):
        return "is for src/pack alone"
    return None


def check(tree):
    for name in tree.code():
        if floor_of(name) is None:
            continue
        for line, kind, header in includes(tree.text(name)):
            if kind == "<":
                for library, owner in OWNERS.items():
                    if re.fullmatch(library, header) and not re.fullmatch(owner, name):
                        yield f"{name}:{line}: <{header}> is for {owner} alone"
                continue
            target = resolve(tree, name, header)
            if target is None:
                yield f'{name}:{line}: "{header}" is no file of the project'
                continue
            why = wrong_arrow(name, target)
            if why:
                yield f"{name}:{line}: {target} {why}"

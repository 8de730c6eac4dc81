# SPDX-License-Identifier: Apache-2.0
"""Checks who includes what: arrows go down the layers only, and one file wraps each library."""
import os
import re

from tree import LAYERS, OWNERS, PUBLIC, layer_of, includes, resolve

# Headers of single codecs that liblodfs may use, since it makes their functions public.
PRODUCTS = {"codecs/l3/l3_whole.h", "codecs/toc/shard/dtype.h", "codecs/toc/product/matrix.h",
            "codecs/toc/shard/toc.h"}
MEASURES = {"codecs/pcr/measure/curve.c"}  # encodes in order to measure; for pack only


def is_writer(name):
    base = os.path.basename(name)
    return (name in MEASURES or name.startswith("src/") or "_write." in base
            or base.startswith("encoder."))


def wrong_arrow(name, target):
    """Returns why file `name` must not include file `target`; None if it may."""
    mine, theirs = layer_of(name), layer_of(target)
    if theirs is None:
        return "is outside the layers"
    if theirs > mine:
        return f"is on layer {LAYERS[theirs]}, above {LAYERS[mine]}"
    if theirs == mine:
        if LAYERS[mine] == "codecs" and is_writer(target) and not is_writer(name):
            return "is an encoder's header in a decoder"
        return None
    if name.startswith("fs/api/") and target in PRODUCTS:
        return None
    seen = PUBLIC.get(LAYERS[mine], {}).get(LAYERS[theirs])
    if seen is not None and os.path.relpath(target, LAYERS[theirs]) not in seen:
        return f"is not among what layer {LAYERS[mine]} may see of {LAYERS[theirs]}"
    if os.path.basename(target) == "encoder.h" and not name.startswith("src/pack/"):
        return "is for src/pack alone"
    return None


def check(tree):
    for name in tree.code():
        if layer_of(name) is None:
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

# SPDX-License-Identifier: Apache-2.0
"""Checks modules. A module is a folder with few files. Includes between modules go one way, and so
do calls between files."""
import os
import re
from collections import Counter

from tree import ARCHIVES, MODULE_FILES_MAX, layer_of, includes, resolve


def sizes(tree):
    for module, count in Counter(os.path.dirname(name) for name in tree.files).items():
        if count > MODULE_FILES_MAX and module not in ARCHIVES:
            yield (f"{module or 'the top'}: {count} files, "
                   f"{MODULE_FILES_MAX} are allowed in a module")


def arrows(tree):
    """Returns {module: {module it includes: (file, line) of one such #include}}."""
    found = {}
    for name in tree.code():
        if layer_of(name) is None:
            continue
        for line, kind, header in includes(tree.text(name)):
            target = resolve(tree, name, header) if kind == '"' else None
            if target and os.path.dirname(target) != os.path.dirname(name):
                found.setdefault(os.path.dirname(name), {}).setdefault(
                    os.path.dirname(target), (name, line))
    return found


def reach(found, module):
    """Returns all modules that `module` includes, directly or through others."""
    seen, left = set(), [module]
    while left:
        for other in found.get(left.pop(), {}):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def circles(tree):
    """Yields one include of each pair of modules that include each other, also through others."""
    found = arrows(tree)
    for module in sorted(found):
        for other, (name, line) in sorted(found[module].items()):
            if module < other and module in reach(found, other):
                yield f"{name}:{line}: {module} includes {other}, which leads back to it"


COMMENT = re.compile(r"/\*.*?\*/", re.S)
DEFINED = re.compile(r"^(?!extern|static|typedef)[a-z][\w \n*]*?\b(lod_\w+)(?:\(|[][\w]* =)", re.M)
USED = re.compile(r"(?<!struct )(?<!enum )\blod_\w+")


def calls(tree):
    """Returns {source: {source: a name that the first takes from the second}}."""
    texts = {name: COMMENT.sub("", tree.text(name)) for name in tree.files
             if name.endswith(".c") and layer_of(name) is not None}
    makers = {}
    for name, text in texts.items():
        for word in DEFINED.findall(text):
            makers.setdefault(word, set()).add(name)
    found = {}
    for name, text in texts.items():
        for word in USED.findall(text):
            owners = makers.get(word, set())
            for other in owners if name not in owners else ():
                found.setdefault(name, {})[other] = word
    return found


def call_circles(tree):
    """Yields a call of each circle of files that call each other."""
    found, told = calls(tree), set()
    for name in sorted(found):
        back = [other for other in sorted(found[name]) if name in reach(found, other)]
        if back and name not in told:
            told |= {name} | {other for other in reach(found, name) if name in reach(found, other)}
            yield f"{name}: uses {found[name][back[0]]} of {back[0]}, which leads back to it"


def check(tree):
    yield from sizes(tree)
    yield from circles(tree)
    yield from call_circles(tree)

# SPDX-License-Identifier: Apache-2.0
"""Checks rooms. A room is a folder: it has few files. Arrows between rooms go one way, and so do
calls between files."""
import os
import re
from collections import Counter

from tree import ARCHIVES, ROOM_FILES_MAX, floor_of, includes, resolve


def sizes(tree):
    for room, count in Counter(os.path.dirname(name) for name in tree.files).items():
        if count > ROOM_FILES_MAX and room not in ARCHIVES:
            yield f"{room or 'the top'}: {count} files, {ROOM_FILES_MAX} are allowed in a room"


def arrows(tree):
    """Returns {room: {room it includes: (file, line) of one such #include}}."""
    found = {}
    for name in tree.code():
        if floor_of(name) is None:
            continue
        for line, kind, header in includes(tree.text(name)):
            target = resolve(tree, name, header) if kind == '"' else None
            if target and os.path.dirname(target) != os.path.dirname(name):
                found.setdefault(os.path.dirname(name), {}).setdefault(
                    os.path.dirname(target), (name, line))
    return found


def reach(found, room):
    """Returns all rooms that arrows from `room` lead to."""
    seen, left = set(), [room]
    while left:
        for other in found.get(left.pop(), {}):
            if other not in seen:
                seen.add(other)
                left.append(other)
    return seen


def circles(tree):
    """Yields the arrows that close a circle of rooms; the first of each pair of rooms."""
    found = arrows(tree)
    for room in sorted(found):
        for other, (name, line) in sorted(found[room].items()):
            if room < other and room in reach(found, other):
                yield f"{name}:{line}: {room} includes {other}, which leads back to it"


COMMENT = re.compile(r"/\*.*?\*/", re.S)
DEFINED = re.compile(r"^(?!extern|static|typedef)[a-z][\w \n*]*?\b(lod_\w+)(?:\(|[][\w]* =)", re.M)
USED = re.compile(r"(?<!struct )(?<!enum )\blod_\w+")


def calls(tree):
    """Returns {source: {source: a name that the first takes from the second}}."""
    texts = {name: COMMENT.sub("", tree.text(name)) for name in tree.files
             if name.endswith(".c") and floor_of(name) is not None}
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

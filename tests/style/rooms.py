# SPDX-License-Identifier: Apache-2.0
"""Checks rooms. A room is a folder: it has few files, and the arrows between rooms go one way."""
import os
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


def check(tree):
    yield from sizes(tree)
    yield from circles(tree)

# SPDX-License-Identifier: Apache-2.0
"""
A model of a file system that loses power. It replays the calls that log_calls.c recorded, and lists
the states that a reboot may find after each of them. It guarantees as much as POSIX and no more:

- The bytes and the length of a file are durable after fsync of the file. Each later write is kept
  or lost, in any order, whole or torn at any byte. A file may have its new length before its bytes;
  the bytes are then zeros, or older contents of the blocks.
- A change of a name is durable after fsync of its folder. fsync of a file does not keep its name,
  and fsync of a folder does not keep the bytes of its files. Later changes of a folder are kept or
  lost, in any order.
- A rename is one change: the new name replaces the old one, or nothing changes. It does not wait
  for the bytes of the file. To another folder it is two changes, one of each folder.
- A lost folder takes everything below it along. syncfs makes everything durable.
- A mode or time that a program sets for a file is durable after fsync, as its length is.

Not modelled: modes and times of folders and links, and disks that lie about a flush.
"""
import itertools
import struct

HEAD = struct.Struct("<BBHIQQQQ")
CREATE, FOLDER, WRITE, SIZE, SYNC, SYNC_ALL, RENAME, REMOVE, LINK, SYMLINK, RIGHTS = \
    range(1, 12)
PAGE = 4096


def read_calls(path):
    """Returns [(kind, inode, inode 2, offset, name, name 2, data)] of a log."""
    calls, at = [], 0
    with open(path, "rb") as file:
        log = file.read()
    while at < len(log):
        kind, _, name, name2, inode, inode2, offset, count = HEAD.unpack_from(log, at)
        ends = list(itertools.accumulate((at + HEAD.size, name, name2, count)))
        calls.append((kind, inode, inode2, offset,
                      *(log[a:b] for a, b in zip(ends, ends[1:]))))
        at = ends[-1]
    return calls


class Data(bytes):
    """The contents of a file in a state, with (mode, time in ns) if the program has set them."""
    rights = None


class File:
    """A file: its durable bytes, and the writes since: (offset, data), or (length, None)."""

    def __init__(self, data=b""):
        self.data, self.pending = data, []
        self.rights = self.rights_now = None

    def sync(self):
        self.data, self.pending = self.after(self.pending), []
        self.rights = self.rights_now

    def with_rights(self, data, safe=False):
        data = Data(data)
        data.rights = self.rights if safe else self.rights_now
        return data

    def after(self, writes):
        data = bytearray(self.data)
        for offset, part in writes:
            if part is None:
                data = data[:offset].ljust(offset, b"\0")
            else:
                data = data.ljust(offset, b"\0")
                data[offset:offset + len(part)] = part
        return bytes(data)

    def torn(self, chance, step):
        """Returns contents in which each write is torn at a multiple of `step`: its beginning or
        its end is kept."""
        for offset, part in self.pending:
            if part is None:
                yield offset, None
                continue
            cut = chance.randrange(len(part) // step + 1) * step
            if chance.random() < .5:
                yield offset, part[:cut]
            else:
                yield offset + cut, part[cut:]

    def found(self, chance):
        """Returns contents that a reboot may find, the most likely first."""
        if not self.pending:
            return [self.data]
        whole, writes = self.after(self.pending), self.pending
        noise = chance.randbytes(len(whole))
        found = [whole, self.data,
                 self.after([(len(whole), None)]),  # the length without the bytes
                 self.after([(0, noise)]),          # older contents of the blocks
                 self.after(self.torn(chance, PAGE)), self.after(self.torn(chance, 1)),
                 self.after(chance.sample(writes, len(writes) // 2))]
        found += [self.after(writes[:i] + writes[i + 1:]) for i in range(len(writes))]
        return list(dict.fromkeys(found))


class Folder:
    """A folder: its durable names, and the changes since: {name: node or None}."""
    rights_now = None

    def __init__(self):
        self.names, self.pending = {}, []

    def sync(self):
        self.names, self.pending = self.after(self.pending), []

    def after(self, changes):
        names = dict(self.names)
        for change in changes:
            names.update(change)
        return {name: node for name, node in names.items() if node is not None}


class Link:
    """A symbolic link. Its target is durable when its name is."""

    def __init__(self, target):
        self.target, self.pending = target, []

    def sync(self):
        pass


class Disk:
    """All files as the program sees them, and the states that a loss of power may leave."""

    def __init__(self, top, inode):
        """`top`: a Folder whose entries are durable; `inode`: its number in the recorded calls."""
        self.top = top
        self.nodes = {inode: top}  # by the number they have now
        self.every = [top]         # those whose number was given to another one too

    def add(self, folder, names_of_inodes):
        """Adds durable nodes: {name: (inode, node)}."""
        for name, (inode, node) in names_of_inodes.items():
            folder.names[name] = node
            self.keep(inode, node)

    def keep(self, inode, node):
        self.nodes[inode] = node
        self.every.append(node)

    def find(self, folder, name):
        return folder.after(folder.pending).get(name)

    def play(self, call):
        """Replays one call. Returns whether it concerns a file or folder of this disk."""
        kind, inode, inode2, offset, name, name2, data = call
        node = self.nodes.get(inode)
        if kind == SYNC_ALL:
            for each in self.every:
                each.sync()
        elif kind == CREATE and not name:
            self.keep(inode2, File())
        elif node is None:
            return False
        elif kind in (CREATE, FOLDER, LINK):
            if kind != LINK:
                self.keep(inode2, Folder() if kind == FOLDER else File())
            node.pending.append({name: self.nodes[inode2]})
        elif kind == SYMLINK:
            node.pending.append({name: Link(name2)})
        elif kind == REMOVE:
            node.pending.append({name: None})
        elif kind == RENAME:
            self.rename(node, name, self.nodes.get(inode2), name2)
        elif kind == SYNC:
            node.sync()
        elif kind == RIGHTS:
            node.rights_now = inode2, struct.unpack("<q", struct.pack("<Q", offset))[0]
        else:
            node.pending.append((offset, data if kind == WRITE else None))
        return True

    def rename(self, folder, name, to, name2):
        found = self.find(folder, name)
        if to is None or not found:
            raise NotImplementedError("a rename from or to a folder outside of the disk")
        if to is folder:
            folder.pending.append({name: None, name2: found})
        else:
            folder.pending.append({name: None})
            to.pending.append({name2: found})

    def now(self):
        """Returns {path: bytes, or None for a folder} as the program sees it."""
        return tree_of(self.top, lambda folder: folder.after(folder.pending),
                       lambda file: file.after(file.pending))

    def unsafe(self):
        """Returns (folders, files) with changes that may be lost."""
        nodes = [node for node in self.every if node.pending]
        return ([node for node in nodes if isinstance(node, Folder)],
                [node for node in nodes if isinstance(node, File)])

    def every_state(self, chance, most):
        """
        Yields the states of all subsets of the folders' changes, in which each file in turn has the
        contents of `found`. If there are more than `most`, yields `most` / 10 random states.
        """
        folders, files = self.unsafe()
        changes = sum(len(folder.pending) for folder in folders)
        if 2 ** (changes + len(files)) > most:
            yield from (self.any_state(chance) for _ in range(most // 10))
            return
        subsets = [[folder.after(subset) for length in range(len(folder.pending) + 1)
                    for subset in itertools.combinations(folder.pending, length)]
                   for folder in folders]
        contents = [file.found(chance) for file in files]
        choices = set(itertools.product(*(range(min(2, len(found))) for found in contents)))
        for i, found in enumerate(contents):
            whole = [0] * len(contents)
            choices |= {tuple(whole[:i] + [k] + whole[i + 1:]) for k in range(len(found))}
        for names in itertools.product(*subsets):
            for choice in sorted(choices):
                yield self.state(folders, names, files,
                                 [found[k] for found, k in zip(contents, choice)])

    def any_state(self, chance):
        """Returns a random state."""
        folders, files = self.unsafe()
        likely = chance.choice((.1, .5, .9))
        set_before = [file for file in files if chance.random() > likely]  # modes and times lost
        names = [folder.after([change for change in folder.pending if chance.random() < likely])
                 for folder in folders]
        return self.state(folders, names, files, [chance.choice(file.found(chance))
                                                  if chance.random() > likely else
                                                  file.after(file.pending) for file in files],
                          set_before)

    def state(self, folders, names, files, contents, set_before=()):
        names, contents = dict(zip(folders, names)), dict(zip(files, contents))
        return tree_of(self.top, lambda folder: names.get(folder, folder.names),
                       lambda file: file.with_rights(contents.get(file, file.data),
                                                     file in set_before))


def tree_of(top, names_of, bytes_of):
    found, left = {}, [(b"", top)]
    while left:
        path, node = left.pop()
        if isinstance(node, Folder):
            found[path] = None
            left += [(path + b"/" + name if path else name, child)
                     for name, child in names_of(node).items()]
        else:
            found[path] = bytes_of(node) if isinstance(node, File) else ("link", node.target)
    return found

# SPDX-License-Identifier: Apache-2.0
"""
failing_writers.py repair|unpack|outputs|skipping: as failing.py, for the other commands that
write. After any failing call there is the right result, or an error message and a state from which
the same command, run again, makes the right result. A pack with --skip-unreadable leaves out what
it cannot read.
"""
import errno
import os
import shutil
import stat
import subprocess
import sys

from failing import clean_error, contents, counts, pack_command, run, ways
from mounted import Results, Work, lodfs
from small import read
from tiny import make_source

def failed(done, way):
    """Returns a list of errors about a run that did not succeed; it may have been killed."""
    killed = way.endswith(":kill") and done is not None and done.returncode == -9
    return [] if killed else clean_error(done, way)


def each(results, name, found, kinds, once):
    """Tries every way of every call; `once(way)` returns a list of errors."""
    for call, *hows in kinds:
        wrong, tried = [], 0
        for _, _, way in ways(found, [(call, *hows)]):
            wrong += [f"{way}: {what}" for what in once(way)]
            tried += 1
        results.add(f"{name} with failing {call} is right or can be repeated: {tried} runs", wrong)
        if not found.get(call):
            results.add(f"{name} calls {call}", ["it does not, so no failure was tried"])


# -------------------------------------------------------------------------------------- unpack

UNPACK = (("open", errno.EIO, errno.EMFILE, "kill"), ("pread", errno.EIO, errno.EINTR, "short"),
          ("write", errno.ENOSPC, errno.EIO, errno.EINTR, "short", "kill"),
          ("fsync", errno.EIO, errno.ENOSPC), ("mkdir", errno.ENOSPC, errno.EEXIST),
          ("link", errno.EIO, errno.EMLINK, "kill"), ("unlink", "kill"),
          ("chmod", errno.EPERM), ("utimes", errno.EPERM),
          ("stat", errno.EIO), ("thread", errno.EAGAIN), ("malloc", errno.ENOMEM))
UNPACK_NAMED = (("open", errno.EIO, "kill"), ("write", errno.ENOSPC, "short", "kill"),
                ("rename", errno.EIO, errno.EINVAL, "kill"), ("unlink", "kill"))


def tree(folder):
    """Returns {path: (mode, time, links, bytes or target)}, all that unpack restores."""
    found = {}
    top = os.fsencode(folder)
    for path, folders, names in os.walk(top):
        for name in [b"", *folders, *names] if path == top else folders + names:
            if name.startswith(b".lodfs-unpack"):
                continue  # the mark of an unpack that is not complete
            full = os.path.join(path, name)
            st = os.lstat(full)
            data = os.readlink(full) if stat.S_ISLNK(st.st_mode) else \
                read(full) if stat.S_ISREG(st.st_mode) else None
            links = 0 if stat.S_ISDIR(st.st_mode) else st.st_nlink
            found[os.path.relpath(full, top)] = (st.st_mode, st.st_mtime_ns, links, data)
    return found


def unpack(work, results):
    source, store, folder = f"{work}/source", f"{work}/store", f"{work}/folder"
    make_source(source, 3, 4)
    lodfs(*pack_command(source, store))
    command = ["unpack", "-q", "-j2", store, folder]
    found = counts(work, command)
    wanted = tree(folder)

    def once(way):
        shutil.rmtree(folder, ignore_errors=True)
        done = run(command, fail=way)
        got = tree(folder) if os.path.isdir(folder) else {}
        if done is not None and done.returncode == 0:
            # if no more hard links can be made, the file is written again
            same = got == wanted or (f":{errno.EMLINK}" in way and
                                     {name: row[-1] for name, row in got.items()} ==
                                     {name: row[-1] for name, row in wanted.items()})
            return [] if same else ["unpack succeeds, but the tree differs"]
        wrong = failed(done, way)
        if got:  # killed or not, each file that has its final name must be complete
            wrong += [f"{name} has other bytes" for name, row in got.items()
                      if row[-1] != wanted[name][-1]]
        if got == wanted and way.endswith(":kill"):
            return wrong  # killed after all work was done
        again = lodfs(*command, check=False)
        left = [name for name in os.listdir(folder) if name.startswith(".lodfs-unpack")]
        return wrong + ([] if again.returncode == 0 and tree(folder) == wanted and not left
                        else [f"a second run makes a different tree: {again.stderr!r}, {left}"])

    each(results, "unpack", found, UNPACK, once)
    os.environ["LODFS_NO_TMPFILE"] = "1"
    found["rename"] = found["write"]
    each(results, "unpack without O_TMPFILE", found, UNPACK_NAMED, once)


# -------------------------------------------------------------------------------------- repair

NO_DAMAGE = (f":{errno.EMFILE}", f":{errno.ENOMEM}")  # errors that do not mean damage
REPAIR = (("open", errno.EIO, errno.EMFILE, "kill"), ("pread", errno.EIO, errno.EINTR, "short"),
          ("pwrite", errno.ENOSPC, errno.EIO, errno.EINTR, "short", "kill"),
          ("fsync", errno.EIO, errno.EINTR, "kill"), ("rename", errno.EIO, errno.ENOSPC, "kill"),
          ("stat", errno.EIO), ("flock", errno.ENOLCK), ("malloc", errno.ENOMEM))


def spoil(store, how):
    if how == "index":
        with open(f"{store}/index", "r+b") as file:
            file.seek(65536 + 50)
            file.write(b"spoilt")
    elif how == "manifest":
        os.remove(f"{store}/manifest.json")
    else:
        os.remove(f"{store}/manifest.json")
        os.truncate(f"{store}/index", 5000)


def repair_once(store, copy, how, wanted, way):
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(store, copy)
    spoil(copy, how)
    done = run(["repair", copy], fail=way)
    wrong = [] if done is not None and done.returncode == 0 else failed(done, way)
    got = {name: data for name, data in contents(copy).items() if not name.endswith(b".tmp")}
    if done is not None and done.returncode == 0:
        return [] if got == wanted else ["repair succeeds, but the store differs"]
    if done is not None and done.returncode == 3 and way.endswith(NO_DAMAGE):
        wrong.append("a record is given up although only memory or handles ran out")
    records = [name for name in wanted if name.startswith(b"records/")]
    if any(got.get(name) != wanted[name] for name in records):
        wrong.append("repair changed a record")
    again = lodfs("repair", copy, check=False)
    got = contents(copy)
    sound = again.returncode in (0, 3) and all(got.get(name) == wanted[name] for name in wanted)
    return wrong + ([] if sound else
                    [f"a second run does not repair it: {again.stdout + again.stderr!r:.300}"])


def repair(work, results):
    source, store, copy = f"{work}/source", f"{work}/store", f"{work}/copy"
    make_source(source, 3, 4)
    lodfs(*pack_command(source, store))
    wanted = contents(store)
    for how in ("index", "manifest", "both"):
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(store, copy)
        spoil(copy, how)
        found = counts(work, ["repair", copy])
        kinds = REPAIR if how == "both" else [kind for kind in REPAIR if found.get(kind[0])]
        each(results, f"repair of {how}", found, kinds,
             lambda way, how=how: repair_once(store, copy, how, wanted, way))


# ------------------------------------------------------------------------------------- outputs

def outputs(work, results):
    """Every command exits with 1 and one message if its output cannot be written."""
    source, store = f"{work}/source", f"{work}/store"
    make_source(source, 3, 4)
    lodfs(*pack_command(source, store))
    for number, command in enumerate((
            ["ls", "-lR", store], ["info", store], ["info", "--json", store], ["verify", store],
            ["verify", "--json", store], ["version"], ["--help"], ["repair", store],
            ["unpack", store, f"{work}/unpacked"], ["pack", source, f"{work}/packed"],
            ["pack", "--dry-run", source, f"{work}/dry"])):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([os.environ["LODFS"], *command], stdin=subprocess.DEVNULL,
                                  stdout=full, stderr=subprocess.PIPE, check=False, timeout=240)
        wrong = [] if done.returncode == 1 and done.stderr.count(b"\n") == 1 else \
            [f"exit {done.returncode}, prints {done.stderr!r:.300}"]
        results.add(f"{number}: {command[0]} reports a full disk", wrong)


# ------------------------------------------------------------------------------------ skipping

EQUALS = {"first", "equal", "linked"}  # names of one item, which is read from one of them


def skip_once(work, wanted, way):
    """Yields errors; the last value is the names that were packed."""
    for folder in ("store", "unpacked"):
        shutil.rmtree(f"{work}/{folder}", ignore_errors=True)
    done = run(["pack", "-q", "-j1", "--skip-unreadable", f"{work}/skipped", f"{work}/store"],
               fail=way)
    if done is None or done.returncode not in (0, 3):
        yield f"{way}: pack ends with {done}"
        return
    lodfs("verify", "-q", f"{work}/store")
    lodfs("unpack", "-q", f"{work}/store", f"{work}/unpacked")
    got = {name.decode(): data for name, data in contents(f"{work}/unpacked").items()}
    if any(data != wanted[name] for name, data in got.items()):
        yield f"{way}: wrong bytes"
    if (done.returncode == 3) != (len(got) < len(wanted)):
        yield f"{way}: exit {done.returncode}, and {sorted(got)} are packed"
    yield set(got)


def skipping(work, results):
    """A file that can be read while it is compared with others, and no more when it is packed,
    takes its equals and hard links with it."""
    os.mkdir(f"{work}/skipped")
    for name, data in (("first", os.urandom(200_000)), ("other", b"other\n")):
        with open(f"{work}/skipped/{name}", "wb") as file:
            file.write(data)
    shutil.copy(f"{work}/skipped/first", f"{work}/skipped/equal")
    os.link(f"{work}/skipped/first", f"{work}/skipped/linked")
    wanted = {name.decode(): data for name, data in contents(f"{work}/skipped").items()}
    os.environ["LODFS_FAIL_FILE"] = "/skipped"
    reads = counts(work, ["pack", "-q", "-j1", f"{work}/skipped", f"{work}/store"])["pread"]
    wrong, packed = [], []
    for number in range(1, reads + 1):
        *errors, last = skip_once(work, wanted, f"pread:{number}:{errno.EIO}")
        wrong += [line for line in [*errors, last] if isinstance(line, str)]
        packed.append(last)
    if not any(names == wanted.keys() - EQUALS for names in packed):
        wrong.append("no failure was between comparing and packing")
    results.add(f"pack --skip-unreadable with failing reads: {reads} runs", wrong)


def main():
    results = Results()
    with Work() as work:
        {"repair": repair, "unpack": unpack, "outputs": outputs,
         "skipping": skipping}[sys.argv[1]](work, results)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The Python package in worker processes: fork, spawn, forkserver, PyTorch's DataLoader with each.

Also what is pickled, copied, compared and printed, file objects, and that no thread is started.
"""
import contextlib
import copy
import errno
import hashlib
import io
import multiprocessing
import os
import pickle
import sys
import tempfile
import threading

import stores
from mounted import HANG_S, Results, skip

try:
    import numpy as np
except ImportError:
    skip("there is no NumPy")

sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs

METHODS = ("fork", "spawn", "forkserver")
EPOCHS = {"fork": int(os.environ.get("LODFS_EPOCHS", "50")), "spawn": 2, "forkserver": 2}
TABLE = "big-endian.toc"
PIECE = 60_000


def digest(data):
    return hashlib.sha256(data).hexdigest()


def files_of(store, folder=""):
    """Paths of all files."""
    for entry in store.list(folder):
        path = f"{folder}/{entry.name}" if folder else entry.name
        if entry.kind == "folder":
            yield from files_of(store, path)
        else:
            yield path


def read_in_pieces(file):
    return b"".join(iter(lambda: file.read(PIECE), b""))


def use(held):
    """Everything that a worker reads through the objects that it was given."""
    store, file, table, batches, scaled = held
    v = np.arange(table.shape[1], dtype=float)
    return [[(path, digest(store.read(path))) for path in files_of(store)], file.tell(),
            digest(file.read()), digest(table @ v), digest(batches @ v), digest(scaled @ v),
            digest(np.asarray(table))]


def hold(store):
    file, table = store.open("q3/plain.npy"), store.table(TABLE)
    file.seek(1000)
    return store, file, table, table.batch(1, 2), table * 2.5


# ---------------------------------------------------------------------------------- processes

def answer(queue, held):
    queue.put(use(held))


def in_process(context, held):
    """Returns the answer of a process that gets them as arguments. With fork they are not pickled.
    """
    queue = context.Queue()
    process = context.Process(target=answer, args=(queue, held))
    process.start()
    try:
        found = queue.get(timeout=HANG_S)
        process.join(HANG_S)
        return found if process.exitcode == 0 else [f"exit {process.exitcode}"]
    finally:
        process.kill()


@contextlib.contextmanager
def readers(store):
    """Threads that read all the while, so that forks find the store at work."""
    over, paths = threading.Event(), list(files_of(store))

    def work(number):
        while not over.is_set():
            number += 1
            with store.open(paths[number % len(paths)]) as file:
                read_in_pieces(file)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()


def processes(path):
    with lodfs.open(path) as store:
        held = hold(store)
        wanted = use(held)
        for method in METHODS:
            held[1].seek(1000)
            context = multiprocessing.get_context(method)
            with readers(store) if method == "fork" else contextlib.nullcontext():
                for _ in range(10 if method == "fork" else 1):
                    found = in_process(context, held)
                    if found != wanted:
                        yield f"{method}: {found}, not {wanted}"
            with context.Pool(2) as pool:
                for found in pool.map_async(use, [held] * 4).get(HANG_S):
                    if found != wanted:
                        yield f"{method}, a pool: {found}, not {wanted}"


def in_child(work):
    """The result of work() in a forked child, or the words of its OSError."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = work()
        except OSError as error:
            said = f"{type(error).__name__} {error.errno} {error.strerror}"
        os.write(writing, str(said).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    return said


def places(path, other, work):
    """A child opens the store where it was, wherever it stands itself, and no other one."""
    before = os.getcwd()
    os.chdir(os.path.dirname(path))
    store = lodfs.open(os.path.basename(path))
    os.chdir(before)
    with store:
        wanted = digest(store.read("plain.npy"))

        def elsewhere():
            os.chdir("/")
            return digest(store.read("plain.npy"))

        def moved(to):
            os.rename(path, f"{work}/aside")
            try:
                if to:
                    os.rename(to, path)
                try:
                    return store.read("plain.npy")
                finally:
                    if to:
                        os.rename(path, to)
            finally:
                os.rename(f"{work}/aside", path)

        if in_child(elsewhere) != wanted:
            yield "it is not found from another folder"
        said = in_child(lambda: moved(other))
        if not said.startswith(f"LodfsError {errno.ESTALE} ") or "another store" not in said:
            yield f"another store in its place: {said}"
        said = in_child(lambda: moved(None))
        if not said.startswith("FileNotFoundError") or "after a fork" not in said:
            yield f"no store in its place: {said}"
        if digest(store.read("plain.npy")) != wanted:
            yield "the parent reads something else"


def threads_now():
    return len(os.listdir("/proc/self/task"))


def no_threads(*locations):
    for location in locations:
        before = threads_now()
        with lodfs.open(location) as store:
            paths = list(files_of(store))
            for path in paths + paths[:3]:
                with store.open(path) as file:
                    read_in_pieces(file)
            if threads_now() != before:
                yield f"{location}: {threads_now() - before} threads were started"


# ---------------------------------------------------------------------------------- DataLoader

class Pictures:
    """A dataset of digests of pictures' pixels; the store is opened in the parent."""

    def __init__(self, path, fidelity):
        self.store, self.fidelity = lodfs.open(path), fidelity
        self.names = list(files_of(self.store))

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        import PIL.Image
        with self.store.open(f"{self.fidelity}/{self.names[index]}") as file:
            return digest(PIL.Image.open(file).convert("RGB").tobytes())


class Products:
    """A dataset of products of batches of a table, and of ranges of its file."""

    def __init__(self, path):
        self.store = lodfs.open(path)
        self.table = self.store.table(TABLE)
        self.v = np.ones(self.table.shape[1])
        self.names = [name for name in files_of(self.store) if name.endswith(".npy")]

    def __len__(self):
        return self.table.batches

    def __getitem__(self, index):
        ranges = [self.store.read(name, offset=index * PIECE, bytes=PIECE) for name in self.names]
        return digest(self.table.batch(index) @ self.v) + digest(b"".join(ranges))


def epochs(dataset, method, meanwhile=contextlib.nullcontext()):
    from torch.utils.data import DataLoader
    wanted = [dataset[i] for i in range(len(dataset))]
    loader = DataLoader(dataset, batch_size=2, num_workers=2, timeout=HANG_S,
                        multiprocessing_context=method)
    with meanwhile:
        for epoch in range(EPOCHS[method]):
            if [one for batch in loader for one in batch] != wanted:
                yield f"epoch {epoch} of {method}: something else"
                return


def loaders(results, photographs, pngs, tables):
    try:
        import PIL.Image
        from torch.utils.data import ConcatDataset
    except ImportError as error:
        print(f"SKIP: DataLoader: {error}")
        return
    del PIL
    datasets = {"photographs": Pictures(photographs, "q4"), "PNGs": Pictures(pngs, "full"),
                "tables": Products(tables)}
    for name, dataset in datasets.items():
        results.add(f"DataLoader, fork, {EPOCHS['fork']} epochs of {name}",
                    epochs(dataset, "fork", readers(dataset.store)))
    # Each worker of spawn imports PyTorch anew: it gets all datasets.
    for method in METHODS[1:]:
        results.add(f"DataLoader, {method}, {EPOCHS[method]} epochs of {', '.join(datasets)}",
                    epochs(ConcatDataset(datasets.values()), method))


# ---------------------------------------------------------------------------------- objects

def expect(what, found, wanted):
    if found != wanted:
        yield f"{what}: {found!r}, not {wanted!r}"


def same_again(thing, path):
    """Pickles and copies of an object that stays open are equal to it."""
    pickled = pickle.loads(pickle.dumps(thing))
    for what, again in (("a pickle", pickled), ("a copy", copy.copy(thing)),
                        ("a deep copy", copy.deepcopy(thing))):
        if again != thing or hash(again) != hash(thing) or type(again) is not type(thing):
            yield f"{what} of {thing!r}: {again!r}"
    if path not in repr(thing) and "lodfs.toc" not in repr(thing):
        yield f"shown as {thing!r}"


def objects(path, other):
    store = lodfs.open(path)
    table = store.table(TABLE)
    on_disk = lodfs.toc.from_bytes(store.read(f"{TABLE}/shard-00000.toc"))
    for thing in (store, table, table * 2.0, table.batch(1, 2), table.T, table.batch(0).T, on_disk):
        yield from same_again(thing, path)
    yield from expect("stores of one folder", lodfs.open(f"{path}/../store-of-tables"), store)
    different = [store, lodfs.open(other), table, store.table("random.toc"), table * 2.0,
                 table * 3.0, table.batch(0), table.batch(1), table.batch(0, 2), table.T, "", None]
    for i, one in enumerate(different):
        for two in different[i + 1:]:
            if one == two:
                yield f"{one!r} equals {two!r}"
    store.close()
    yield from expect("a closed store", repr(store), f"<lodfs.Store {path!r}, closed>")
    yield from expect("a table of a closed store", pickle.loads(pickle.dumps(table)), table)
    error = pickle.loads(pickle.dumps(lodfs.LodfsError(errno.EIO, "sentence")))
    yield from expect("an error", (error.errno, error.strerror), (errno.EIO, "sentence"))


def raises(kind, call):
    try:
        return f"no {kind.__name__} but {call()!r}"
    except kind:
        return None


def files(path, source):
    store = lodfs.open(path)
    with open(f"{source}/plain.npy", "rb") as file:
        data = file.read()
    file, model = store.open("q2/plain.npy"), io.BytesIO(data)
    yield from expect("its name, mode and size", (file.name, file.mode, file.size),
                      ("q2/plain.npy", "rb", len(data)))
    steps = [("read", 10), ("seek", -7, 1), ("read", 100_000), ("tell",), ("seek", -50, 2),
             ("read",), ("read", 5), ("seek", len(data) + 9), ("read", 5), ("tell",), ("seek", 0),
             ("readline",), ("seek", 77), ("read", -1), ("seek", 3), ("readall",), ("read", 0)]
    for name, *arguments in steps:
        wanted = getattr(model, "read" if name == "readall" else name)(*arguments)
        yield from expect(f"{name}{arguments}", getattr(file, name)(*arguments), wanted)
    into = bytearray(5000)
    file.seek(1234)
    yield from expect("readinto", (file.readinto(memoryview(into)[10:]), bytes(into[10:])),
                      (4990, data[1234:1234 + 4990]))
    again, twin = pickle.loads(pickle.dumps(file)), copy.copy(file)
    yield from expect("a pickled file goes on", again.read(20), data[6224:6244])
    yield from expect("so does a copy, by itself", (twin.read(9), file.tell()),
                      (data[6224:6233], 6224))
    yield from expect("a buffered one", list(io.BufferedReader(store.open("text.csv")))[0],
                      b'size,"kind, of",weight\r\n')
    yield from expect("NumPy", digest(np.load(store.open("big-endian.npy"))),
                      digest(np.load(f"{source}/big-endian.npy")))
    yield from expect("full without a fidelity", store.open("plain.npy").name, "full/plain.npy")
    yield from expect("a path of the source", store.open("plain.npy", "q7").name, "q7/plain.npy")
    store.close()
    file.seek(0)
    yield from expect("a file outlives its store", file.read(), data)
    wrong = [raises(ValueError, lambda: file.seek(-1)), raises(ValueError, lambda: file.seek(0, 9)),
             raises(TypeError, lambda: file.readinto(b"no")),
             raises(ValueError, lambda: store.list()),
             raises(io.UnsupportedOperation, lambda: file.write(b"")),
             raises(ValueError, lambda: pickle.dumps(store))]
    file.close()
    file.close()
    wrong += [raises(ValueError, call) for call in (file.read, file.tell, lambda: file.seek(0),
                                                    lambda: file.readinto(into))]
    yield from filter(None, wrong)


def errors(path):
    with lodfs.open(path) as store:
        yield from filter(None, [
            raises(FileNotFoundError, lambda: store.open("q4/nothing")),
            raises(IsADirectoryError, lambda: store.open("q4/sub")),
            raises(NotADirectoryError, lambda: store.list("plain.npy")),
            raises(ValueError, lambda: store.open("plain.npy", "q11")),
            raises(ValueError, lambda: store.read("plain.npy", offset=-1)),
            raises(ValueError, lambda: store.read("plain.npy\0.txt")),
            raises(ValueError, lambda: store.link("plain.npy")),
            raises(OverflowError, lambda: lodfs.open(path, cache_bytes=-1)),
            raises(OverflowError, lambda: lodfs.open(path, cache_bytes=1 << 64))])
        with store.open("plain.npy") as file:
            file.seek(1 << 64)
            yield from filter(None, [raises(OverflowError, lambda: file.readinto(bytearray(8)))])
        for long in ("n" * 256, "sub/" + "n" * 300, "a/" * 2048):
            try:
                yield f"{long[:9]}..: {store.stat(long)}"
            except OSError as error:
                yield from expect("a name that is too long", error.errno, errno.ENAMETOOLONG)
                yield from expect("why", error.strerror.endswith("': File name too long"), True)
        yield from filter(None, [raises(FileNotFoundError, lambda: store.stat("n" * 255))])


def main():
    results = Results()
    multiprocessing.set_forkserver_preload(["__main__", "torch.utils.data"])  # imported once
    with tempfile.TemporaryDirectory(prefix="lodfs-processes-") as work:
        packed = {}
        for name in ("photographs", "pngs", "tables"):
            getattr(stores, f"make_{name}")(f"{work}/{name}")
            packed[name] = stores.pack(f"{work}/{name}", f"{work}/store-of-{name}")
        photographs, pngs, tables = packed.values()
        results.add("no thread is started", no_threads(*packed.values()))
        results.add("pickles, copies, equality", objects(tables, pngs))
        results.add("file objects", files(tables, f"{work}/tables"))
        results.add("errors are Python's own", errors(tables))
        results.add("where a child finds its store", places(tables, pngs, work))
        results.add("processes of every kind", processes(tables))
        loaders(results, photographs, pngs, tables)
    return results.finish()


if __name__ == "__main__":
    sys.exit(main())

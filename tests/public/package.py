# SPDX-License-Identifier: Apache-2.0
"""The Python package against NumPy: stores read at a fidelity, tables multiplied as they are.

Without arguments it tests the modules of the source tree with the library of the build; installed
ones are tested with the argument "installed"."""
import copy
import importlib
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
import threading

try:
    import numpy as np
except ImportError:
    print("SKIP: there is no NumPy")
    sys.exit(77)

if sys.argv[1:] != ["installed"]:
    sys.path.insert(0, os.path.join(os.environ["SOURCE_ROOT"], "src", "python"))

import lodfs


def raises(kind, call):
    try:
        call()
    except kind as error:
        return str(error)
    raise AssertionError(f"no {kind.__name__}")


def check_store(store, source):
    names = {entry.name: entry for entry in store.list()}
    assert {"plain.npy", "plain.toc", "text.csv", "sub"} <= set(names)
    assert names["sub"].kind == "folder" and names["plain.npy"].kind == "file"
    assert "plain.toc" not in {entry.name for entry in store.list("", "original")}
    for path in ("plain.npy", "big-endian.npy", "text.csv", "sub/sparse.libsvm", "empty.npy"):
        data = source.joinpath(path).read_bytes()
        assert store.stat(path).bytes == len(data)
        for fidelity in ("q1", "full", "original"):
            assert store.read(path, fidelity) == data
        assert store.read(path, offset=100, bytes=1000) == data[100:1100]
        with store.open(f"q3/{path}") as file:
            assert file.read(5) == data[:5] and file.size == len(data)
    assert "no such file" in raises(FileNotFoundError, lambda: store.read("nothing"))
    assert "q11" in raises(ValueError, lambda: store.read("plain.npy", "q11"))
    assert "called 5" in raises(ValueError, lambda: store.read("plain.npy", 5))


def close(a, b, tolerance=1e-9):
    assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
    assert np.allclose(a, b, rtol=tolerance, atol=tolerance)


def check_products(table, dense):
    rng = np.random.default_rng(3)
    rows, columns = dense.shape
    v, w = rng.normal(size=columns), rng.normal(size=rows)
    m, n = rng.normal(size=(columns, 5)), rng.normal(size=(4, rows))
    close(table @ v, dense @ v)
    close(w @ table, w @ dense)
    close(table @ m, dense @ m)
    close(n @ table, n @ dense)
    close(table @ np.asfortranarray(m), dense @ m)
    close(table @ m[:, 1], dense @ m[:, 1])
    close((table * 2.5) @ v, 2.5 * dense @ v)
    close((2.5 * table) @ v, 2.5 * dense @ v)
    close(table @ v.astype("f4"), (dense @ v).astype("f4"), 1e-3)
    close(n.astype("f4") @ table, (n @ dense).astype("f4"), 1e-2)
    assert (table @ np.ones(columns, int)).dtype == np.float64
    batch = table.batch(1, 2)
    part = dense[batch.start:batch.start + batch.shape[0]]
    close(batch @ v, part @ v)
    close(n[:, :len(part)] @ batch, n[:, :len(part)] @ part)
    assert "product" in raises(ValueError, lambda: table @ w)
    assert "axes" in raises(ValueError, lambda: table @ np.ones((columns, 1, 1)))


def check_operator(table, dense):
    """The calls that SciPy's solvers and scikit-learn's estimators make."""
    rows, columns = dense.shape
    chance = np.random.default_rng(7)
    v, w = chance.random((columns, 1)), chance.random((rows, 2))
    close(table.matvec(v[:, 0]), dense @ v[:, 0])
    close(table.matvec(v), dense @ v)
    close(table.rmatvec(w[:, :1]), dense.T @ w[:, :1])
    close(table.matmat(v), dense @ v)
    close(table.rmatmat(w), dense.T @ w)
    close(table.T @ w, dense.T @ w)
    close(v.T @ table.T, v.T @ dense.T)
    assert table.T.shape == (columns, rows) and table.T.T is table and table.ndim == 2
    batch = table.batch(1)
    close(batch.T @ w[:len(batch)], dense[batch.start:][:len(batch)].T @ w[:len(batch)])
    assert np.asarray(batch).tobytes() == table.rows(batch.start, len(batch)).tobytes()
    try:
        from scipy.sparse.linalg import aslinearoperator, lsqr
    except ImportError:
        print("SKIP: SciPy is not installed")
        return
    close(aslinearoperator(table).H @ w[:, 0], dense.T @ w[:, 0])
    close(lsqr(aslinearoperator(table), dense @ v[:, 0], atol=0, btol=0)[0], v[:, 0], 1e-6)


def check_misuse(path, dense):
    """Errors are those that NumPy users know, and none is a crash."""
    table, v = lodfs.toc.open(path), np.ones(dense.shape[1])
    raises(TypeError, lambda: table @ (v * 1j))
    raises(TypeError, lambda: table @ v.astype("U"))
    raises(TypeError, lambda: table * "2")
    raises(TypeError, lambda: table.batch(.5))
    raises(ValueError, lambda: table @ 2.0)
    raises(ValueError, lambda: table.rows(0, len(table) + 1))
    raises(ValueError, lambda: table.__array__(copy=False))
    assert table.rows(-5).tobytes() == table.rows(len(table) - 5, 5).tobytes()
    for other in (v.astype(">f8"), np.repeat(v, 2)[::2], list(v), v[::-1], v.astype(object)):
        close(table @ other, dense @ v)
    assert (table @ v.astype(">f4")).dtype == np.float32
    assert np.asarray(table).dtype == table.dtype and (table * .5).dtype == np.float64
    raises(ValueError, (table * 1.0).rows)
    again = pickle.loads(pickle.dumps(table * 2.0))
    close(again @ v, 2 * dense @ v)
    assert copy.copy(table) is table and copy.deepcopy(table) is table
    batch = table.batch(0)
    table.close()
    for use in (lambda: table @ v, lambda: batch @ v, table.rows, table.to_dense, lambda: table * 2,
                lambda: table.batch(0), lambda: table.nbytes, lambda: np.asarray(table)):
        assert "closed" in raises(ValueError, use)
    assert "closed" in repr(table)


def check_rows(table, array):
    """Indices, iteration and sums give what NumPy gives, and unpack no other row.

    The test fails if a slice unpacks the rows between its steps, or negative numbers count from
    elsewhere.
    """
    asked = []
    unpack = table._unpack
    table._unpack = lambda first, count: asked.append(count) or unpack(first, count)
    mask, last = np.arange(len(array)) % 97 == 3, len(array) - 1
    for key in (5, -1, np.int16(7), slice(5, 10), slice(-3, None), slice(None, None, 500),
                slice(40, 20, -1), slice(20, 40, -1), slice(9, 9), slice(90, 0, -7), [3, 1, 3, -2],
                np.array([], int), mask, (3, 4), (slice(5, 10), 2), (slice(5, 10), slice(1, 9, 3)),
                ([1, 9, 2], [0, 3, -1]), ([5, 2], 1), (mask, slice(2)), (..., 3), (4, ...)[:1],
                (slice(2, 4), [1, 0]), range(4, 9)):
        del asked[:]
        found, wanted = table[key], array[key]
        assert np.shape(found) == np.shape(wanted), key
        assert np.asarray(found).tobytes() == np.ascontiguousarray(wanted).tobytes(), key
        rows = array[key[0] if isinstance(key, tuple) and key[0] is not ... else
                     slice(None) if isinstance(key, tuple) else key]
        assert sum(asked) <= (1 if rows.ndim == 1 else len(rows)), (key, asked)
    for key in (last + 1, -last - 2, [0, last + 1], mask[1:], (0, 0, 0), None, 1.5, [.5],
                (0, array.shape[1])):
        raises(IndexError, lambda key=key: table[key])
    batches = list(table.iter_batches(2))
    assert sum(len(batch) for batch in batches) == len(array) and len(batches) > 1
    assert b"".join(np.asarray(batch).tobytes() for batch in batches) == array.tobytes()
    assert batches[1][-1].tobytes() == array[batches[1].start + len(batches[1]) - 1].tobytes()
    for number, row in enumerate(table):
        assert row.tobytes() == array[number].tobytes()
    assert number == last
    dense = array.astype("f8")
    for made, wanted in ((-table, -dense), (table / 4, dense / 4), ((table / 3).T, dense.T / 3),
                         (-batches[1], -dense[batches[1].start:][:len(batches[1])])):
        close(np.asarray(made), wanted)
    for of, wanted in ((table, dense), (table.T, dense.T), (table / -2, dense / -2)):
        for axis in (None, 0, 1, -1):
            close(of.sum(axis), wanted.sum(axis))
            close(np.sum(of, axis=axis), wanted.sum(axis))
            close(of.mean(axis), wanted.mean(axis))
        close(of.dot(wanted[0]), wanted @ wanted[0])
        close(np.asarray(of.dot(3)), 3 * wanted)
    raises(ZeroDivisionError, lambda: table / 0)
    raises(TypeError, lambda: table / "2")
    raises(ValueError, lambda: table.sum(2))


def check_tables(store, source):
    for path in ("big-endian", "random", "small"):
        array = np.load(source / f"{path}.npy")
        with store.table(f"{path}.toc") as table:
            assert table.shape == array.shape and table.dtype == array.dtype
            assert table.rows().tobytes() == array.tobytes()
            assert table.rows(5, 7).tobytes() == array[5:12].tobytes()
            assert np.array_equal(table.to_dense(), array.astype("f8"), equal_nan=True)
            assert len(table) == len(array) and np.asarray(table).shape == array.shape
    plain = np.load(source / "plain.npy")
    table = store.table("plain.toc")
    assert table.rows().tobytes() == plain.tobytes(), "payloads of NaN and -0.0 too"
    assert store.table("empty.toc").shape == (0, 30)
    big = np.load(source / "big-endian.npy").astype("f8")
    check_products(store.table("big-endian.toc"), big)
    check_products(store.table("random.toc"), np.load(source / "random.npy").astype("f8"))
    random = np.load(source / "random.npy").astype("f8")
    check_operator(store.table("random.toc"), random)
    check_rows(store.table("random.toc"), np.load(source / "random.npy"))
    assert "x.toc" in raises(OSError, lambda: store.table("plain.npy"))
    again = pickle.loads(pickle.dumps(store.table("random.toc")))
    assert again == store.table("random.toc") and again.rows(3, 4).tobytes() == random[3:7].astype(
        "u1").tobytes()
    text = store.table("text.toc")
    assert text.shape == (7000, 5) and text.to_dense()[1, 1:4].tolist() == [0, 1, 0]
    data = store.read("big-endian.toc/shard-00001.toc")
    one = lodfs.toc.from_bytes(data)
    close(one @ np.ones(40), big[5000:] @ np.ones(40))
    raises(OSError, lambda: lodfs.toc.from_bytes(data[:-1]))
    return data, big


def check_threads(path, big):
    """Products of one table by several threads are those of one."""
    table, v = lodfs.toc.open(path), np.arange(40.0)
    wanted, wrong = big[5000:] @ v, []

    def work():
        for _ in range(20):
            if not np.allclose(table @ v, wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def main():
    with tempfile.TemporaryDirectory(prefix="lodfs-python-") as folder:
        source, store = pathlib.Path(folder, "source"), pathlib.Path(folder, "store")
        subprocess.run([os.environ["MAKE_TABLES"], source], check=True)
        subprocess.run([os.environ["LODFS"], "pack", "-q", "--scans=default", "--tables=*",
                        "--one-hot", source, store], check=True)
        with lodfs.open(store) as opened:
            check_store(opened, source)
            data, big = check_tables(opened, source)
        assert "closed" in raises(ValueError, lambda: opened.list())
        shard = pathlib.Path(folder, "copied.toc")
        shard.write_bytes(data)
        check_threads(shard, big)
        check_misuse(shard, big[5000:])
        assert "no such folder" in raises(FileNotFoundError, lambda: lodfs.open(store / "none"))
    assert callable(importlib.import_module("lodfs.torch").loader)
    print(f"lodfs {lodfs.version()} of {os.path.dirname(lodfs.__file__)}: as NumPy has it")


main()

# SPDX-License-Identifier: Apache-2.0
"""Training on tables: mini-batch SGD on batches in five forms, in memory and beyond it."""
import array
import json
import os
import subprocess
import tempfile

from results import Part, cell, ratios
from systems import Server, command

FORMS = (("dense", "plain", "dense (OpenBLAS)"), ("csr", "peer", "CSR"),
         ("zstd", "peer", "zstd -3"), ("lz4", "peer", "lz4"), ("toc", "ours", "TOC"))
MODELS = ("logistic", "svm", "network")
TABLES = (("flows", 100_000), ("census", 32_000), ("counts", 62_000), ("strokes", 10_000))
EPOCHS, EPOCHS_FILE = 5, 5
MEMORY = "/sys/fs/cgroup/memory"  # cgroup v1
LARGE, LARGE_ROWS, LIMIT_BYTES = "flows", 400_000, 96 << 20
MOUNTED, MOUNT_OPTIONS = "lodfs: ", "cache_size=16M,gpu=off"
DENSE, SHARDS = "dense .npy (OpenBLAS)", f"{MOUNTED}x.toc, kept by liblodfs"
LARGE_SIDES = ((DENSE, "npy", "plain"), ("CSR", "csr", "peer"), ("zstd -3", "zstd", "peer"),
               ("lz4", "lz4", "peer"), ("TOC in a file, read each epoch", "toc", "ours"),
               (f"{MOUNTED}x.npy (OpenBLAS)", "npy", "ours"), (SHARDS, "shards", "ours"))
NEAR = 1e-9
INTRO = ("Milliseconds of an epoch of mini-batch SGD, 250 rows a batch, one thread, its CPU time:"
         " logistic regression, a linear SVM and a network with one hidden layer of 20. The batches"
         " are dense rows for OpenBLAS, compressed sparse rows, dense rows under zstd or lz4 that"
         " are decompressed for each step, or TOC shards of 20 batches that are multiplied as they"
         " are. Ratio: dense bytes by the form's. All forms end with the same weights (to 1e-9)."
         " The last table is larger than the memory that trainer, server and page cache have"
         " together, everything is cold at first, and time is elapsed time: what fits once it is"
         " compressed is read in the first epoch only.")


class Trainer:
    def __init__(self, bench, part):
        self.program, self.work, self.part = bench.options.train_table, bench.work, part
        self.weights = {}

    def run(self, table, rows, form, model, *file, epochs=EPOCHS):
        path = os.path.join(self.work, "weights")
        # one thread: this compares forms, not the number of cores that OpenBLAS uses
        done = subprocess.run([self.program, table, str(rows), form, model, str(epochs),
                               path, *file], check=True, stdout=subprocess.PIPE,
                              env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
        with open(path, "rb") as weights:
            self.same((table, rows, model, epochs), array.array("d", weights.read()), form)
        return json.loads(done.stdout)

    def same(self, key, weights, form):
        """Checks that weights equal the first form's, but for rounding."""
        first = self.weights.setdefault(key, weights)
        size = max(map(abs, first))
        worst = max(abs(a - b) for a, b in zip(first, weights)) / size
        assert worst <= NEAR, f"{form} ends with other weights than dense on {key}: {worst}"


def in_memory(bench, part, trainer, table, rows):
    """Adds a row for each form: its ratio and each model's epoch."""
    found = {}
    for _ in range(bench.rounds):
        for model in MODELS:
            for form, _, _ in FORMS:
                got = trainer.run(table, rows, form, model)
                found.setdefault(form, got)
                part.sample(f"{table}|{form}|{model}", min(got["epoch_ms"]))
    lines = []
    for form, role, label in FORMS:
        cells = [cell(part.samples(f"{table}|{form}|{m}"), "{:.2f}") for m in MODELS]
        lines.append((label, role, [cell([found[form]["ratio"]], "{:.1f}"), *cells]))
    part.table(f"{os.path.basename(table)}, in memory: ms an epoch",
               ["ratio", *MODELS], lines)
    dense = part.samples(f"{table}|dense|logistic")
    toc = part.samples(f"{table}|toc|logistic")
    if table in ("flows", "census", "counts"):
        part.goal(f"{table}: logistic epoch, times as fast as dense", ratios(dense, toc),
                  at_least=1)
        part.goal(f"{table}: logistic epoch, times as fast as zstd",
                  ratios(part.samples(f"{table}|zstd|logistic"), toc), at_least=5)
    name = os.path.basename(table)
    return [(f"{name}: {label}", role, cells[1:]) for label, role, cells in lines]


class MemoryLimit:
    """A cgroup whose processes and their page cache together have `size` bytes."""

    def __init__(self, size):
        self.path, self.size = os.path.join(MEMORY, f"lodfs-bench-{os.getpid()}"), size
        self.processes = f"{self.path}/cgroup.procs"

    def __enter__(self):
        os.mkdir(self.path)
        with open(f"{self.path}/memory.limit_in_bytes", "w", encoding="ascii") as file:
            file.write(str(self.size))
        return self

    def under(self):
        return ["sh", "-c", f'echo $$ >{self.processes} && exec "$@"', "sh"]

    def __exit__(self, *_):
        os.rmdir(self.path)


def cool(folder):
    """Drops all files of the folder from the page cache."""
    for parent, _, names in os.walk(folder):
        for name in names:
            file = os.open(os.path.join(parent, name), os.O_RDONLY)
            os.fsync(file)
            os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(file)


class Beyond:
    """The table as a .npy, its store, and epochs of both in less memory than the table takes."""

    def __init__(self, bench, part, trainer, folder):
        self.bench, self.part, self.trainer = bench, part, trainer
        self.rows = LARGE_ROWS // 2 if bench.quick else LARGE_ROWS
        self.source, self.store, self.point, self.file = (
            os.path.join(folder, f"large-{name}") for name in ("source", "store", "mount",
                                                                   "file"))
        self.npy = os.path.join(self.source, "table.npy")
        self.found = {}
        os.mkdir(self.source)
        self.run("npy", self.npy)
        command(bench.options.lodfs, "pack", "-q", self.source, self.store)

    def run(self, form, *where):
        return self.trainer.run(LARGE, self.rows, form, "logistic", *where, epochs=EPOCHS_FILE)

    def one(self, name, form):
        cool(self.source)
        cool(self.store)
        with MemoryLimit(LIMIT_BYTES) as limit:
            if name.startswith(MOUNTED):
                server = Server("lodfs", "ours", [self.bench.options.lodfs, "mount", "-f", "-o",
                                                  MOUNT_OPTIONS, self.store], self.point,
                                under=limit.under())
                server.start()
                try:
                    there = "table.npy" if form == "npy" else "table.toc"
                    got = self.run(form, f"{self.point}/full/{there}", limit.processes)
                finally:
                    server.stop()
            else:
                got = self.run(form, self.npy if form == "npy" else self.file, limit.processes)
        self.found[name] = got
        self.part.sample(f"large|{name}", {"first": got["epoch_ms"][0],
                                           "further": min(got["epoch_ms"][1:]),
                                           "all": sum(got["epoch_ms"])})

    def report(self):
        size = self.found[DENSE]["bytes"]
        self.part.table(
            f"{LARGE}, {self.rows:,} rows, {size / 1e6:.0f} MB dense on disk, {LIMIT_BYTES >> 20} "
            f"MiB of memory for trainer, server and page cache: logistic regression, elapsed ms",
            ["MB read", "first epoch", "a further one", f"all {EPOCHS_FILE}"],
            [(name, role, [cell([self.found[name]["bytes"] / 1e6], "{:.1f}"),
                           *(cell(self.part.samples(f"large|{name}", field), "{:.1f}")
                             for field in ("first", "further", "all"))])
             for name, _, role in LARGE_SIDES])
        for field, what, goal in (("further", "a further epoch", 8), ("all", "all epochs", 1)):
            self.part.goal(f"beyond memory, shards through lodfs: {what}, times as fast as a dense"
                           " .npy", ratios(self.part.samples(f"large|{DENSE}", field),
                                           self.part.samples(f"large|{SHARDS}", field)),
                           at_least=goal)


def beyond_memory(bench, part, trainer):
    if not os.access(MEMORY, os.W_OK) or not os.path.isdir(MEMORY):
        part.skip("a table larger than memory", "there is no memory controller of cgroup v1 here")
        return
    # not in /tmp, which may be in memory
    with tempfile.TemporaryDirectory(prefix="lodfs-bench-", dir=bench.options.out) as folder:
        beyond = Beyond(bench, part, trainer, folder)
        for _ in range(bench.slow_rounds + 2):
            for name, form, _ in LARGE_SIDES:
                beyond.one(name, form)
        beyond.report()


def measure(bench):
    part = Part("tables", "Training on tables", INTRO)
    if not bench.options.train_table:
        part.skip("training on tables", "libopenblas-dev, liblz4-dev or libzstd-dev is missing")
        return part.data
    trainer = Trainer(bench, part)
    charted = []
    tables = list(TABLES[:2] if bench.quick else TABLES)
    tables += [(path, 0) for path in os.environ.get("LODFS_BENCH_TABLES", "").split(":") if path]
    for table, rows in tables:
        charted += in_memory(bench, part, trainer, table, rows)
    part.bars("an epoch in memory", "ms", MODELS, charted, log=True)
    beyond_memory(bench, part, trainer)
    return part.data

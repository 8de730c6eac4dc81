# SPDX-License-Identifier: Apache-2.0
"""Training on tables: mini-batch SGD on batches in five forms, in memory and beyond it."""
import array
import json
import os
import subprocess

from results import Part, cell, ratios

FORMS = (("dense", "plain", "dense (OpenBLAS)"), ("csr", "peer", "CSR"),
         ("zstd", "peer", "zstd -3"), ("lz4", "peer", "lz4"), ("toc", "ours", "TOC"))
MODELS = ("logistic", "svm", "network")
TABLES = (("flows", 100_000), ("census", 32_000), ("counts", 62_000), ("strokes", 10_000))
EPOCHS, EPOCHS_FILE = 5, 3
MEMORY = "/sys/fs/cgroup/memory"  # cgroup v1
LARGE, LARGE_ROWS, LIMIT_BYTES = "flows", 400_000, 96 << 20
NEAR = 1e-9
INTRO = ("Milliseconds of an epoch of mini-batch SGD, 250 rows a batch, one thread, its CPU time:"
         " logistic regression, a linear SVM and a network with one hidden layer of 20. The batches"
         " are dense rows for OpenBLAS, compressed sparse rows, dense rows under zstd or lz4 that"
         " are decompressed for each step, or TOC shards of 20 batches that are multiplied as they"
         " are. Ratio: dense bytes by the form's. All forms end with the same weights (to 1e-9)."
         " The last table lies in a file, the process has less memory than that, and time is"
         " elapsed time.")


class Trainer:
    def __init__(self, bench, part):
        self.program, self.work, self.part = bench.options.train_table, bench.work, part
        self.weights = {}

    def run(self, table, rows, form, model, *file, epochs=EPOCHS):
        path = os.path.join(self.work, "weights")
        # one thread: forms are compared, not how many cores OpenBLAS takes
        done = subprocess.run([self.program, table, str(rows), form, model, str(epochs),
                               path, *file], check=True, stdout=subprocess.PIPE,
                              env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
        with open(path, "rb") as weights:
            self.same((table, rows, model, epochs), array.array("d", weights.read()), form)
        return json.loads(done.stdout)

    def same(self, key, weights, form):
        """As near to the first form's as rounding lets them be."""
        first = self.weights.setdefault(key, weights)
        size = max(map(abs, first))
        worst = max(abs(a - b) for a, b in zip(first, weights)) / size
        assert worst <= NEAR, f"{form} ends with other weights than dense on {key}: {worst}"


def in_memory(bench, part, trainer, table, rows):
    """A row a form: its ratio and each model's epoch."""
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
    """A cgroup whose processes and their page cache have `size` bytes together."""

    def __init__(self, size):
        self.path, self.size = os.path.join(MEMORY, f"lodfs-bench-{os.getpid()}"), size

    def __enter__(self):
        os.mkdir(self.path)
        with open(f"{self.path}/memory.limit_in_bytes", "w", encoding="ascii") as file:
            file.write(str(self.size))
        return f"{self.path}/cgroup.procs"

    def __exit__(self, *_):
        os.rmdir(self.path)


def beyond_memory(bench, part, trainer):
    if not os.access(MEMORY, os.W_OK) or not os.path.isdir(MEMORY):
        part.skip("a table larger than memory", "there is no memory controller of cgroup v1 here")
        return
    rows = LARGE_ROWS // 2 if bench.quick else LARGE_ROWS
    file, size = os.path.join(bench.work, "table"), 0
    found = {}
    for _ in range(bench.slow_rounds):
        for form, _, _ in FORMS:
            with MemoryLimit(LIMIT_BYTES) as group:
                found[form] = trainer.run(LARGE, rows, form, "logistic", file, group,
                                          epochs=EPOCHS_FILE)
            part.sample(f"large|{form}", min(found[form]["epoch_ms"]))
            size = max(size, found[form]["bytes"])
    part.table(f"{LARGE}, {rows:,} rows, {size / 1e6:.0f} MB dense in a file, "
               f"{LIMIT_BYTES >> 20} MiB of memory: ms an epoch of logistic regression",
               ["MB read", "ms"],
               [(label, role, [cell([found[form]["bytes"] / 1e6], "{:.1f}"),
                               cell(part.samples(f"large|{form}"), "{:.1f}")])
                for form, role, label in FORMS])
    part.goal("beyond memory: logistic epoch, times as fast as dense",
              ratios(part.samples("large|dense"), part.samples("large|toc")), at_least=8)


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

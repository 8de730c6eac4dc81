# SPDX-License-Identifier: Apache-2.0
"""check_tables.py TRAIN_TABLE LODFS: small tables trained on in all forms, also below a mount, must
end with the same weights."""
import os
import sys
import tempfile

from part_tables import FORMS, MODELS, TABLES, Trainer
from results import Part
from systems import Server, command


class Bench:
    class options:  # pylint: disable=invalid-name
        train_table = sys.argv[1]


def mounted(trainer, work):
    """Packs a .npy and returns it from a mount: the rows, and the shards."""
    source, store, point = (os.path.join(work, name) for name in ("source", "store", "point"))
    os.mkdir(source)
    rows = 2500
    first = trainer.run("flows", rows, "npy", "svm", f"{source}/table.npy")
    command(sys.argv[2], "pack", "-q", source, store)
    server = Server("lodfs", "ours", [sys.argv[2], "mount", "-f", store], point)
    server.start()
    try:
        rebuilt = trainer.run("flows", rows, "npy", "svm", f"{point}/full/table.npy")
        shards = trainer.run("flows", rows, "shards", "svm", f"{point}/full/table.toc")
    finally:
        server.stop()
    assert first["bytes"] == rebuilt["bytes"] > 4 * shards["bytes"] > 0
    return 3


def main():
    runs = 0
    with tempfile.TemporaryDirectory() as work:
        bench = Bench()
        bench.work = work
        trainer = Trainer(bench, Part("tables", "", ""))
        for table, _ in TABLES:
            for model in MODELS:
                for form, _, _ in FORMS:
                    found = trainer.run(table, 1100, form, model, epochs=3)
                    again = trainer.run(table, 1100, form, model, f"{work}/file", epochs=3)
                    assert found["bytes"] == again["bytes"] and len(again["epoch_ms"]) == 3
                    runs += 2
        if os.geteuid() == 0 and os.path.exists("/dev/fuse"):
            runs += mounted(trainer, work)
    print(f"{runs} runs, the same weights in all forms")


if __name__ == "__main__":
    main()

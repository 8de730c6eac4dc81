# SPDX-License-Identifier: Apache-2.0
"""check_tables.py TRAIN_TABLE: small tables trained on in all forms end with the same weights."""
import sys
import tempfile

from part_tables import FORMS, MODELS, TABLES, Trainer
from results import Part


class Bench:
    class options:  # pylint: disable=invalid-name
        train_table = sys.argv[1]


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
    print(f"{runs} runs, the same weights in all forms")


if __name__ == "__main__":
    main()

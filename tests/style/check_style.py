#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_style.py ROOT CHECK: prints a line for each breach of the rules; exit 1 if there are any.
"""
import importlib
import os
import sys

from tree import Tree


def main():
    root, name = os.path.realpath(sys.argv[1]), sys.argv[2]
    tree = Tree(root)
    if not tree.code():
        print(f"no C file under {root}: nothing was checked")
        return 1
    found = list(importlib.import_module(name).check(tree))
    print("\n".join(found))
    print(f"{len(tree.files)} files, {len(found)} lines to mend")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

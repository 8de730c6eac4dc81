#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one breach of each rule in a small tree of its own and sees that it is found."""
import importlib
import os
import shutil
import sys
import tempfile

from tree import Tree

HEAD = "/* SPDX-License-Identifier: Apache-2.0 */\n"
CLEAN = {
    ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\nBreakBeforeBraces: Linux\n",
    "gpu/pool.h": HEAD + "int pool;\n",
    "codecs/codec.h": HEAD + '#include "pool.h"\n',
    "codecs/encoder.h": HEAD + '#include "codec.h"\n',
    "codecs/hash.c": HEAD + "#include <xxhash.h>\n",
    "fs/view.h": HEAD + '#include "codec.h"\n',
    "src/pack/walk.c": HEAD + '#include "encoder.h"\n#include "view.h"\n',
    "README.md": "# A head line\nSee [notes](notes.md#a-heading) and [above](#a-head-line).\n",
    "notes.md": "# A heading\n",
}
LONG = HEAD + "int f(void)\n{\n" + "    pool();\n" * 70 + "}\n"

# check, file, its text with the breach, a word of the expected line
BREACHES = [
    ("includes", "gpu/pool.c", HEAD + '#include "codec.h"\n', "above gpu"),
    ("includes", "codecs/raw.c", HEAD + '#include "view.h"\n', "above codecs"),
    ("includes", "codecs/plan.c", HEAD + '#include "encoder.h"\n', "encoder's header in a decoder"),
    ("includes", "fs/reader.c", HEAD + '#include "encoder.h"\n', "may see of codecs"),
    ("includes", "src/ls.c", HEAD + '#include "encoder.h"\n', "src/pack alone"),
    ("includes", "src/ls.c", HEAD + '#include "none.h"\n', "no file of the project"),
    ("includes", "src/ls.c", HEAD + "#include <fuse_lowlevel.h>\n", "is for fs/fuse"),
    ("includes", "fs/reader.c", HEAD + "#include <jpeglib.h>\n", "is for codecs/pcr"),
    ("sizes", "src/ls.c", LONG, "f has 73 lines"),
    ("sizes", "src/ls.c", HEAD + "int a;\n" * 400, "401 lines"),
    ("sizes", "src/ls.c", HEAD + "/* " + "a" * 100 + " */\n", "columns"),
    ("text", "src/ls.c", "int a;\n", "no SPDX line"),
    ("text", "tool", "#!/bin/sh\ntrue\n", "no SPDX line"),
    ("text", "fs/pool.h", HEAD + "int pool;\n", "same file name"),
    ("text", "src/ls.c", HEAD + "/* TO" "DO: later */\n", "does not belong"),
    ("text", "notes.md", "# A heading\nThe /wo" "rk/ folder\n", "does not belong"),
    ("text", "notes.md", "# A heading\nSee [it](gone.md).\n", "leads nowhere"),
    ("text", "notes.md", "# Another heading\n", "no heading"),
    ("compile", "src/ls.c", HEAD + "int  a;\n", "clang-format"),
    ("compile", "fs/reader.h", HEAD + "int f(struct none *n, size_t bytes);\n", "compile alone"),
    ("compile", "codecs/up.h", HEAD + '#include "view.h"\n', "compile alone"),
]


def run(check, extra):
    root = tempfile.mkdtemp(prefix="lodfs-style-")
    try:
        for name, text in {**CLEAN, **extra}.items():
            path = os.path.join(root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return list(importlib.import_module(check).check(Tree(os.path.realpath(root))))
    finally:
        shutil.rmtree(root)


def main():
    failed = 0
    for check in ("includes", "sizes", "text", "compile"):
        found = run(check, {})
        if found:
            print(f"{check}: finds breaches in a clean tree: {found}")
            failed += 1
    for check, name, text, word in BREACHES:
        found = run(check, {name: text})
        if len(found) != 1 or word not in found[0]:
            print(f"{check}: {name}, '{word}': found {found}")
            failed += 1
    print(f"{len(BREACHES)} breaches planted, {failed} checks wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants one breach of each rule in a small tree of its own and checks that it is found."""
import importlib
import os
import shutil
import sys
import tempfile

from tree import Tree

HEAD = "/* SPDX-" "License-Identifier: Apache-2.0 */\n"  # in two, as it is not of this file
CLEAN = {
    ".clang-format": "BasedOnStyle: LLVM\nIndentWidth: 4\nBreakBeforeBraces: Linux\n",
    "gpu/pool.h": HEAD + "int pool;\n",
    "codecs/codec.h": HEAD + '#include "pool.h"\n',
    "gpu/gpu.h": HEAD + "int gpu;\n",
    "codecs/encoder.h": HEAD + '#include "codec.h"\n',
    "codecs/hash.c": HEAD + "#include <xxhash.h>\n",
    "fs/view.h": HEAD + '#include "codec.h"\n',
    "src/pack/source/walk.c": HEAD + '#include "encoder.h"\n#include "view.h"\n',
    "README.md": "# A head line\nSee [notes](notes.md#a-heading) and [above](#a-head-line).\n",
    "notes.md": "# A heading\n",
    "elsewhere/free.md": "Who" "ever reads this reads no rule of english.py.\n",
}
SENTENCE = "word " * 20 + "end"  # 21 words
LONG = HEAD + "int f(void)\n{\n" + "    pool();\n" * 70 + "}\n"

# check, file or {file: text}, its text with the breach, a word of the expected message
BREACHES = [
    ("includes", "gpu/pool.c", HEAD + '#include "codec.h"\n', "above gpu"),
    ("includes", "codecs/raw.c", HEAD + '#include "view.h"\n', "above codecs"),
    ("includes", "codecs/plan.c", HEAD + '#include "encoder.h"\n', "encoder's header in a decoder"),
    ("includes", "fs/read/reader.c", HEAD + '#include "encoder.h"\n', "may see of codecs"),
    ("includes", "src/ls.c", HEAD + '#include "encoder.h"\n', "src/pack alone"),
    ("includes", "src/ls.c", HEAD + '#include "none.h"\n', "no file of the project"),
    ("includes", "src/ls.c", HEAD + "#include <fuse_lowlevel.h>\n", "is for fs/"),
    ("includes", "fs/read/reader.c", HEAD + "#include <jpeglib.h>\n", "is for codecs/pcr"),
    ("includes", "fs/store/store.c", HEAD + '#include "view.h"\n', "above fs/store"),
    ("includes", "fs/store/store.c", HEAD + '#include "gpu.h"\n', "may see of gpu"),
    ("rooms", {"fs/frames/up.h": HEAD + '#include "view.h"\n',
               "fs/view.c": HEAD + '#include "frames/up.h"\n'}, None, "leads back"),
    ("rooms", {f"gpu/a{i}.c": HEAD for i in range(29)}, None, "31 files"),
    ("rooms", {"gpu/a.c": HEAD + "int lod_a(void)\n{\n    return lod_b();\n}\n",
               "gpu/b.c": HEAD + "int lod_b(void)\n{\n    return lod_c[0];\n}\n",
               "gpu/c.c": HEAD + "const int lod_c[] = {lod_a};\n"}, None, "uses lod_b of gpu/b.c"),
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
    ("man_pages", "man/page.1", ".Dd today\n.Dt PAGE 1\n.Os\n.Sh NAME\na\\*[none]\n", "none"),
    ("man_pages", "man/decisions/001-a.md", "# 001: A\n", "has no line"),
    ("english", "demo/page.md", f"- A list.\n- {SENTENCE} {SENTENCE}. It. It. It.\n", "42 words"),
    ("english", "demo/page.md", f"# A head line\n{SENTENCE}.\n\nIt. A {SENTENCE}.\n", "median"),
    ("english", "demo/page.md", f"| a | {SENTENCE} {SENTENCE} |\n", "in a cell"),
    ("english", "demo/page.7",
     f".Sh A\n{SENTENCE}\n.Pa {SENTENCE}\nend. It.\nIt.\n", "43 words"),
    ("english", "gpu/pool.c", HEAD + f"/*\n * A {SENTENCE},\n * {SENTENCE}. */\n", "43 words"),
    ("english", "gpu/pool.c", HEAD + "/* What the pool does. */\n", "begins with"),
    ("english", "gpu/pool.c", HEAD + "int a; /* Who waits. */\n", "begins with"),
    ("english", "gpu/a.py", '"""Makes a.\n\nWhat is made is kept."""\n', "begins with"),
    ("english", "demo/page.md", "# A head line\nIt. What a thread has waits.\n", "begins with"),
    ("english", "gpu/a.py", "a = 1  # kept; what is not kept is lost\n", "; what is"),
    ("english", "gpu/pool.c", HEAD + "/* Threads are for who waits. */\n", "for who waits"),
    ("english", "demo/page.md", "# A head line\nNo" "body waits.\n", "No" "body"),
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
    for check in ("includes", "rooms", "sizes", "text", "compile", "english", "man_pages"):
        found = run(check, {})
        if found:
            print(f"{check}: finds breaches in a clean tree: {found}")
            failed += 1
    for check, name, text, word in BREACHES:
        found = run(check, name if text is None else {name: text})
        if len(found) != 1 or word not in found[0]:
            print(f"{check}: {name}, '{word}': found {found}")
            failed += 1
    print(f"{len(BREACHES)} breaches planted, {failed} checks wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Checks that clang-format changes no C file, and that every header compiles alone on its layer."""
import re
import subprocess

from tree import LAYERS, layer_of


def formatted(tree):
    files = [f for f in tree.code() if f.endswith((".c", ".h"))]
    if not files:
        return
    done = subprocess.run(["clang-format", "--dry-run", "-Werror"] + files, cwd=tree.root,
                          stderr=subprocess.PIPE, text=True, check=False)
    for line in done.stderr.splitlines():
        if "error:" in line:
            yield line


def headers(tree):
    libraries = subprocess.run(["pkg-config", "--cflags", "fuse3"], stdout=subprocess.PIPE,
                               text=True, check=True).stdout.split()
    for name in tree.headers():
        paths = [f"-I{tree.path(layer)}" for layer in LAYERS[:layer_of(name) + 1]]
        command = ["cc", "-std=gnu11", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-Wall",
                   "-Wextra", "-Werror", "-fsyntax-only", "-x", "c", *paths, *libraries,
                   "-include", tree.path(name), "/dev/null"]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        missing = re.search(r"(cuda|nvrtc)\.h: No such file", done.stderr)
        if missing:  # CUDA's own: Debian has it in non-free only
            print(f"SKIP: {name} alone: {missing.group()}")
        elif done.returncode != 0:
            yield f"{name}: does not compile alone: {done.stderr.strip().splitlines()[0]}"


def check(tree):
    yield from formatted(tree)
    yield from headers(tree)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py NAME FILE OUTPUT: a C source whose constant NAME[] is the file and a NUL, and NAME_bytes
its size; with "-" for FILE, a constant of no bytes."""
import sys


def lines(data):
    for start in range(0, len(data), 20):
        yield "    " + " ".join(f"{byte}," for byte in data[start:start + 20])


def main(name, path, output):
    data = b"" if path == "-" else open(path, "rb").read()
    kind = "char" if path.endswith(".cl") else "unsigned char"
    with open(output, "w", encoding="ascii") as out:
        out.write("#include <stddef.h>\n")
        out.write(f"extern const {kind} {name}[];\nextern const size_t {name}_bytes;\n")
        out.write(f"const {kind} {name}[] = {{\n" + "\n".join(lines(data + b"\0")) + "\n};\n")
        out.write(f"const size_t {name}_bytes = {len(data)};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

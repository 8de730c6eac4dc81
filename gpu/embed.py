#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py NAME FILE... OUTPUT: writes a C source that defines NAME[], the files one after another
and a NUL, and NAME_bytes, their size without the NUL."""
import sys


def lines(data):
    for start in range(0, len(data), 20):
        yield "    " + " ".join(f"{byte}," for byte in data[start:start + 20])


def main(name, *files):
    *inputs, output = files
    data = b"".join(open(path, "rb").read() for path in inputs)
    kind = "char" if inputs[0].endswith(".cl") else "unsigned char"
    with open(output, "w", encoding="ascii") as out:
        out.write("#include <stddef.h>\n")
        out.write(f"extern const {kind} {name}[];\nextern const size_t {name}_bytes;\n")
        # CUDA's driver reads an embedded binary in words of several bytes
        out.write(f"_Alignas(16) const {kind} {name}[] = {{\n")
        out.write("\n".join(lines(data + b"\0")) + "\n};\n")
        out.write(f"const size_t {name}_bytes = {len(data)};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

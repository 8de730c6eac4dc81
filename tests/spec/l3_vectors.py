# SPDX-License-Identifier: Apache-2.0
"""Decodes streams of the encoder, and the test vectors of FORMAT.md, with the decoder in
l3_spec.py.

l3_vectors.py PROGRAM FORMAT.md SEED: PROGRAM is l3_streams. Both decoders must agree on damaged
streams.
"""
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import l3_spec

COUNT = 60
DAMAGES = 3


def ours(program, folder, data):
    """Returns the C decoder's samples, or None for a malformed stream."""
    path = folder / "stream"
    path.write_bytes(data)
    done = subprocess.run([program, "read", path], stdout=subprocess.PIPE, check=False)
    assert done.returncode in (0, 2), done.returncode
    return done.stdout if done.returncode == 0 else None


def theirs(data):
    try:
        return l3_spec.Stream(data).raw()
    except l3_spec.Malformed:
        return None


def vectors(text):
    """Yields (stream, samples) of each fenced block under the heading Test vectors."""
    section = text.split("#### Test vectors")[1].split("\n## ")[0].split("\n### ")[0]
    for block in re.findall(r"```\n(.*?)```", section, re.S):
        stream, samples = block.split("=>")
        stream = re.sub(r"[ ]{2,}[^0-9a-f\n][^\n]*", "", stream)
        yield bytes.fromhex(stream), [int(n) for n in samples.split()]


def check_vectors(program, folder, text):
    count = 0
    for data, samples in vectors(text):
        stream = l3_spec.Stream(data)
        assert [v for row in stream.pixels for pixel in row for v in pixel] == samples, data.hex()
        assert ours(program, folder, data) == stream.raw(), data.hex()
        count += 1
    assert count >= 5, "the vectors are missing"
    return count


def main():
    program, document, seed = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    chance, malformed = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        done = check_vectors(program, folder, document.read_text(encoding="utf-8"))
        subprocess.run([program, "make", folder, str(seed), str(COUNT)], check=True)
        for number in range(COUNT):
            data = (folder / f"{number}.l3").read_bytes()
            raw = (folder / f"{number}.raw").read_bytes()
            assert l3_spec.Stream(data).raw() == raw, f"seed {seed}, stream {number}"
            done += 1
            for _ in range(DAMAGES):
                damaged = bytearray(data)
                damaged[chance.randrange(8, len(data))] ^= 1 << chance.randrange(8)
                expected = theirs(bytes(damaged))
                assert ours(program, folder, bytes(damaged)) == expected, \
                    f"seed {seed}, stream {number}, {damaged.hex()}"
                malformed += expected is None
                done += 1
    assert malformed > COUNT // 2
    print(f"tests: {done} passed, 0 failed")


if __name__ == "__main__":
    main()

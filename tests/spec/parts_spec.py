# SPDX-License-Identifier: Apache-2.0
"""Keys and parts, computed only from FORMAT.md. As a program it compares the table there."""
import re
import sys

try:
    import xxhash
except ImportError:
    print("skipped: there is no Python module xxhash (Debian: python3-xxhash)")
    sys.exit(77)


def seed_of(pack):
    seed = pack.get("seed")
    whole = isinstance(seed, (int, float)) and seed == int(seed) and 0 <= seed <= 2**53
    return int(seed) if whole else 0


def key(name, seed):
    """Returns the key of a name: the hash of all before its last dot."""
    return xxhash.xxh3_64_intdigest(name.rpartition(b".")[0] if b"." in name else name, seed)


def part(name_key, count):
    return name_key * count >> 64


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        rows = re.findall(r"^\| `([^`]*)` \| (\d+) \| ([0-9a-f]{16}) \| ([\d, ]+) \|$", file.read(),
                          re.MULTILINE)
    assert len(rows) >= 8, "the table of FORMAT.md was not found"
    for name, seed, wanted, parts in rows:
        name = name.encode().replace(b"\\xff", b"\xff")
        assert f"{key(name, int(seed)):016x}" == wanted, name
        assert [part(int(wanted, 16), n) for n in (1, 2, 7, 64, 1000, 1024)] == \
            [int(number) for number in parts.split(",")], name
    print(f"{len(rows)} keys and their parts computed again")


if __name__ == "__main__":
    main()

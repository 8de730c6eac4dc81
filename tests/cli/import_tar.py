#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`pack --from=tar`: tars that Python's tarfile writes, and tars that are bad."""
import io
import os
import subprocess
import sys
import tarfile

from containers import LODFS, Tests, photographs

FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)


def info(name, data=b"", **fields):
    made = tarfile.TarInfo(name)
    made.size, made.mtime = len(data), 1_600_000_000
    for key, value in fields.items():
        setattr(made, key, value)
    return made


def tar(files, form=tarfile.GNU_FORMAT, **options):
    """Returns a tar of (name or TarInfo, bytes)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form, encoding="utf-8",
                      errors="surrogateescape", **options) as file:
        for name, data in files:
            file.addfile(info(name, data) if isinstance(name, str) else name, io.BytesIO(data))
    return out.getvalue()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def members(t):
    """Names, sizes, modes and times come out as they went in."""
    photos = photographs(3)
    names = {"a/0.jpg": photos[0], "a/0.txt": b"a caption\n", "a/0.cls": b"17",
             "b/1.jpg": photos[1], "b/empty": b"", "top.jpg": photos[2],
             "x/" + "n" * 200 + ".bin": os.urandom(70_000), "d" * 90 + "/" + "e" * 90: b"prefix",
             "ä/ü.txt": b"not ASCII", "odd\nname": b"odd"}
    expected = {name.encode(): data for name, data in names.items()}
    folders = {os.path.dirname(name).encode(): None for name in names if "/" in name}
    for form in FORMATS:
        files = {n: d for n, d in names.items()
                 if form != tarfile.USTAR_FORMAT or n[0] not in "xä"}
        listed = [(f"./{name}" if name.startswith("a/") else name, data)
                  for name, data in files.items()]
        write("x.tar", tar(listed, form))
        facts, _ = t.pack("x.tar", f"names-{form}")
        t.check(facts["files"] == len(files) and facts["left_out"] == [], "counts")
        wanted = {n.encode(): d for n, d in files.items()}
        wanted.update((f, None) for f in folders if any(n.startswith(f + b"/") for n in wanted))
        t.check(t.tree(f"names-{form}") == wanted, f"members of format {form} differ")
    t.check(t.tree("names-1") == {**expected, **folders}, "not all of the names were tried")


def root_without_a_name(t):
    """tarfile writes the folder that a user adds under the name "" as "/"."""
    os.makedirs("given/cat", exist_ok=True)
    write("given/cat/0.jpg", *photographs(1))
    for form in FORMATS:
        with tarfile.open("x.tar", "w", format=form) as file:
            file.add("given", arcname="")
        t.pack("x.tar", f"root-{form}")
        t.check(set(t.tree(f"root-{form}")) == {b"cat", b"cat/0.jpg"}, "a folder called /")


def labels(t):
    """Files .cls give the pictures of their stem a label, in whichever order they come."""
    photos = [*photographs(7)]
    write("x.tar", tar([
        ("0.jpg", photos[0]), ("0.cls", b"17"), ("a/1.cls", b"3\n"), ("a/1.jpg", photos[1]),
        ("a/1.txt", b"no picture"), ("a/1.x/2.jpg", photos[2]), ("a/3.seg.jpg", photos[3]),
        ("a/3.cls", b"2147483647"), ("a/4.cls", b"2147483648"), ("a/4.jpg", photos[4]),
        ("a/5.cls", b"dog"), ("a/5.jpg", photos[5]), ("a/6.x.cls", b"1"), ("a/6.jpg", photos[6]),
        ("a/7.cls", b"7")], tarfile.PAX_FORMAT))
    t.pack("x.tar", "labels")
    t.check(t.labels("labels") == {
        "0.jpg": 17, "a/1.jpg": 3, "a/1.x/2.jpg": -1, "a/3.seg.jpg": 2147483647, "a/4.jpg": -1,
        "a/5.jpg": -1, "a/6.jpg": -1}, f"labels of files .cls: {t.labels('labels')}")
    write("x.tar", tar([("cat/0.jpg", photos[0]), ("cat/0.cls", b"0"), ("dog/1.jpg", photos[1]),
                        ("dog/1.cls", b"1")]))
    facts, _ = t.pack("x.tar", "follow")
    t.check(t.labels("follow") == {"cat/0.jpg": 0, "dog/1.jpg": 1}, "labels that folders give")


def attributes(t):
    folder = info("d", type=tarfile.DIRTYPE, mode=0o750, mtime=1_500_000_000)
    odd = info("d/f", b"12345", mode=0o640, mtime=1_400_000_000.5)
    write("x.tar", tar([(folder, b""), (odd, b"12345"), ("e/f", b"5"), (
        info("d/l", type=tarfile.SYMTYPE, linkname="f", mtime=1_300_000_000), b""), (
        info("d/p", type=tarfile.FIFOTYPE), b"")], tarfile.PAX_FORMAT))
    facts, _ = t.pack("x.tar", "attributes")
    t.check([(f["path"], f["why"]) for f in facts["left_out"]] == [("d/p", "a fifo")],
            f"pipes are named: {facts['left_out']}")
    t.tree("attributes")
    t.check(os.lstat("attributes.out/d/l").st_mtime == 1_300_000_000, "the link's time")
    st = os.stat("attributes.out/d")
    t.check(st.st_mode & 0o777 == 0o750 and st.st_mtime == 1_500_000_000, "the folder's attributes")
    st = os.stat("attributes.out/d/f")
    t.check(st.st_mode & 0o777 == 0o640 and st.st_mtime == 1_400_000_000.5, "the file's")
    t.check(os.stat("attributes.out/e").st_mode & 0o777 == 0o755, "those of a folder without one")


def times_of_all(t):
    """A global header has the time of the members that have no other."""
    with tarfile.open("x.tar", "w", format=tarfile.PAX_FORMAT,
                      pax_headers={"mtime": "1200000000.25"}) as file:
        for name, own in (("all", {}), ("own", {"mtime": "1100000000.5"}), ("none", {"mtime": ""})):
            made = info(name, b"5")
            made.mtime, made.pax_headers = 1_000_000_000, own
            file.addfile(made, io.BytesIO(b"5"))
    t.pack("x.tar", "times")
    t.tree("times")
    found = [os.stat(f"times.out/{name}").st_mtime for name in ("all", "own", "none")]
    t.check(found == [1_200_000_000.25, 1_100_000_000.5, 1_000_000_000], f"times are {found}")


def link(name, target):
    return info(name, type=tarfile.LNKTYPE, linkname=target), b""


def hard_links(t):
    """Hard links are further names of their file, as in a folder."""
    os.makedirs("linked/a")
    photo = photographs(1)[0]
    write("linked/a/one.jpg", photo)
    write("linked/t", b"text")
    long = "n" * 120
    for file, name in (("a/one.jpg", "a/two.jpg"), ("a/one.jpg", "0.jpg"), ("t", long)):
        os.link(f"linked/{file}", f"linked/{name}")
    for form in ("gnu", "posix"):
        subprocess.run(["tar", "-cf", "links.tar", f"--format={form}", "-C", "linked", "."],
                       check=True)
        facts, _ = t.pack("links.tar", form)
        t.check(not facts["left_out"] and facts["hard_links"] == 3, f"{form}: {facts}")
        t.check(t.tree(form) == {b"a": None, b"t": b"text", long.encode(): b"text",
                                 **dict.fromkeys((b"0.jpg", b"a/one.jpg", b"a/two.jpg"), photo)},
                f"{form}: a name of a hard link is lost")
        t.check(os.path.samefile(f"{form}.out/0.jpg", f"{form}.out/a/two.jpg") and
                os.stat(f"{form}.out/t").st_nlink == 2, f"{form}: unpack makes hard links")
    facts, _ = t.pack("links.tar", "excluded", "--exclude=t")
    t.check(t.tree("excluded").get(long.encode()) == b"text", "a file left out keeps others")
    write("chain.tar", tar([("f", b"x"), link("g", "f"), link("h", "g"), link("i", "h")]))
    t.pack("chain.tar", "chain", "--exclude=[fg]")
    t.check(t.tree("chain") == {b"h": b"x", b"i": b"x"}, "so does a link that is left out")
    write("chain.tar", tar([("f", b"x"), symlink("s", "f"), link("g", "s"), link("h", "g")]))
    t.pack("chain.tar", "chain-s", "--exclude=[sg]")
    t.check(t.tree("chain-s") and links_of("chain-s.out") == {"h": "f"}, "and a symbolic link")
    os.mkdir("linked-shards")
    for i in (0, 1):
        write(f"linked-shards/{i}.tar", tar([("f", b"%d" % i), link("g", "./f"), link("h", "g")]))
    t.pack("linked-shards", "separate")
    t.check(t.tree("separate") == {b"0": None, b"1": None, **{
        b"%d/%s" % (i, name): b"%d" % i for i in (0, 1) for name in (b"f", b"g", b"h")}},
        "links are those of their container")
    t.same_bytes("linked-shards")
    t.in_parts("linked-shards")


def bad_links(t):
    """A link to no file is refused, and --skip-unreadable leaves it out."""
    for target in ("missing", "d", "../f", "/f", "bad", "turn", ""):
        t.refuse("bad.tar", tar([("f", b"x"), ("d/g", b"x"), link("turn", "bad"),
                                 link("bad", target)]), "bad.tar: record",
                 "is a hard link to a file that the container does not have")
    facts, _ = t.pack("bad.tar", "kept", "--skip-unreadable", code=3)
    t.check(sorted(f["path"] for f in facts["left_out"]) == ["bad", "turn"], "bad links are named")
    t.check(t.tree("kept") == {b"f": b"x", b"d": None, b"d/g": b"x"}, "files beside bad links")
    t.refuse("bad.tar", tar([("f", b"x"), link("f", "f")]), "'f' is there twice")


def symlink(name, target):
    return info(name, type=tarfile.SYMTYPE, linkname=target), b""


def links_of(folder):
    return {os.path.relpath(os.path.join(path, name), folder): os.readlink(os.path.join(path, name))
            for path, folders, names in os.walk(folder) for name in folders + names
            if os.path.islink(os.path.join(path, name))}


def symbolic_links(t):
    """Symbolic links stay links, as those of a folder do."""
    os.makedirs("soft/a/" + "n" * 110)
    write("soft/a/f", b"text")
    for name, target in (("a/here", "f"), ("up", "a/../a/f"), ("folder", "a"), ("none", "nothing"),
                         ("long", "a/" + "n" * 110), ("a/two", "../up")):
        os.symlink(target, f"soft/{name}")
    os.link("soft/up", "soft/a/up too", follow_symlinks=False)
    for form in ("gnu", "posix"):
        subprocess.run(["tar", "-cf", "soft.tar", f"--format={form}", "-C", "soft", "."],
                       check=True)
        facts, _ = t.pack("soft.tar", f"soft-{form}")
        subprocess.run([LODFS, "unpack", "-q", f"soft-{form}", f"soft-{form}.out"], check=True)
        t.check(links_of(f"soft-{form}.out") == {**links_of("soft"), "a/up too": "a/../a/f"} and
                facts["symlinks"] == 7 and not facts["left_out"],
                f"{form}: {links_of(f'soft-{form}.out')} of {facts}")
    os.remove("soft/none")
    subprocess.run(["tar", "-cf", "soft.tar", "-C", "soft", "."], check=True)
    t.same_bytes("soft.tar")
    t.in_parts("soft.tar")


def bad_symbolic_links(t):
    """A link that leaves the source is refused, and --skip-unreadable leaves it out."""
    for target in ("/etc/passwd", "../f", "d/../../f", "d/up/.."):
        t.refuse("bad.tar", tar([("f", b"x"), symlink("d/up", ".."), symlink("bad", target)]),
                 "bad.tar: record 2", "is a symbolic link that leaves the source", "--dereference")
    write("bad.tar", tar([("f", b"x"), symlink("bad", "/f"), symlink("good", "f")]))
    facts, _ = t.pack("bad.tar", "soft-kept", "--skip-unreadable", code=3)
    t.check([f["path"] for f in facts["left_out"]] == ["bad"] and facts["symlinks"] == 1,
            f"bad links are named: {facts}")
    t.refuse("bad.tar", tar([symlink("d", "e"), ("d/f", b"x")]), "'d' is there twice",
             "a symbolic link in", "a folder in")
    # a pipe of the same path does not hide where a link leads
    pipe = info("e/e/a", type=tarfile.FIFOTYPE), b""
    t.refuse("bad.tar", tar([pipe, ("t/f", b"x"), symlink("e/e/a", "../../t"), pipe,
                             symlink("b", "e/e/a/../..")]), "'b' is a symbolic link that leaves")
    _, err = t.pack("soft.tar", "followed", "--symlinks=follow", code=2)
    t.check("tar --dereference" in err, err)


def many_containers(t):
    """Containers of a folder are joined; equal names move each below a folder of its stem."""
    os.mkdir("shards")
    for i in range(3):
        write(f"shards/s-{i}.tar", tar([(f"c/{i}.txt", b"%d" % i), ("c/", b"")]))
    write("shards/s.idx", b"0 0\n")
    write("shards/.hidden", b"no tar")
    t.pack("shards", "joined")
    t.check(t.tree("joined") == {b"c": None, b"c/0.txt": b"0", b"c/1.txt": b"1", b"c/2.txt": b"2"},
            "containers of a folder are joined")
    write("shards/s-3.tar", tar([("c/1.txt", b"another")]))
    t.pack("shards", "apart")
    t.check(t.tree("apart") == {
        **{b"s-%d" % i: None for i in range(4)}, **{b"s-%d/c" % i: None for i in range(4)},
        **{b"s-%d/c/%d.txt" % (i, i): b"%d" % i for i in range(3)}, b"s-3/c/1.txt": b"another"},
        "containers with equal names have folders of their own")
    t.same_bytes("shards")
    t.in_parts("shards")
    write("shards/other", b"no tar at all\n")
    _, err = t.pack("shards", "refused", code=1)
    t.check("'other' is not a tar" in err, err)


def bad_names(t):
    for name, words in (("a/../b", "'..'"), ("..", "'..'"), ("n" * 256, "a name has 255 bytes"),
                        ("/".join(["p" * 255] * 16) + "/x", "4,095")):
        t.refuse("bad.tar", tar([("ok", b"x"), (name, b"y")]), "bad.tar: record 1 at byte 1024",
                 words)
    absolute = bytearray(tar([("xabs", b"y")]))
    absolute[0:1] = b"/"
    absolute[148:156] = b"%06o\0 " % (sum(absolute[:512]) - sum(absolute[148:156]) + 8 * 32)
    t.refuse("bad.tar", bytes(absolute), "bad.tar: record 0 at byte 0", "an absolute name")
    t.refuse("bad.tar", tar([("a", b"x"), ("b", b"y"), ("./a", b"z")]), "'a' is there twice",
             "record 0 at byte 0", "record 2 at byte 2048")
    t.refuse("bad.tar", tar([("a", b"x"), ("a/b", b"y")]), "'a' is there twice", "a file in",
             "a folder in")


def sparse(t):
    with open("holes", "wb") as file:
        file.truncate(1 << 20)
        file.write(b"x")
    for form in ("gnu", "posix"):
        subprocess.run(["tar", "-cSf", "sparse.tar", f"--format={form}", "holes"], check=True)
        with open("sparse.tar", "rb") as file:
            t.refuse("bad.tar", file.read(), "bad.tar: record 0 at byte 0", "sparse file")


def skipping(t):
    """--skip-unreadable keeps what is before the damage, and says what is left out."""
    data = bytearray(tar([(f"{i}.txt", b"%d" % i * 600) for i in range(9)]))
    at = data.index(b"5.txt")
    data[at + 1:at + 2] = b"!"
    t.refuse("bad.tar", bytes(data), f"bad.tar: record 5 at byte {at}", "wrong checksum",
             "--skip-unreadable")
    facts, _ = t.pack("bad.tar", "skipped", "--skip-unreadable", code=3)
    left = facts["left_out"]
    t.check(len(left) == 1 and left[0]["path"] == "bad.tar" and f"byte {at}" in left[0]["why"] and
            f"{len(data) - at} bytes" in left[0]["why"], f"what is left out: {left}")
    t.check(t.tree("skipped") == {b"%d.txt" % i: b"%d" % i * 600 for i in range(5)},
            "the members before the damage are kept")


def main():
    t = Tests("tar")
    members(t)
    root_without_a_name(t)
    labels(t)
    attributes(t)
    times_of_all(t)
    hard_links(t)
    bad_links(t)
    symbolic_links(t)
    bad_symbolic_links(t)
    many_containers(t)
    bad_names(t)
    sparse(t)
    skipping(t)
    good = tar([(f"{i}.txt", b"%d" % i * 300) for i in range(9)])
    t.compressed_and_pipes("good.tar", good)
    t.cut("good.tar", good)
    facts = t.same_bytes("good.tar")
    t.check(facts["files"] == 9, "the dry run counts files")

    big = tar([(f"{i}.bin", os.urandom(1_000_000)) for i in range(12)])
    write("big.tar", big)

    def changed(now):
        write("big.tar", big + bytes(512) if now else big)
        os.utime("big.tar", (1_650_000_000,) * 2)
    changed(False)
    t.resume("big.tar", changed)
    t.same_bytes("big.tar")
    t.in_parts("big.tar")

    write("none.tar", tar([(f"d{i % 100}/{i}", b"") for i in range(100_000)]))
    t.peak("none.tar", "none", 200_000)

    # The store may lie beside the container, but not in a folder of containers.
    os.mkdir("beside")
    write("beside/x.tar", good)
    t.pack("beside/x.tar", "beside/store")
    done = subprocess.run([LODFS, "pack", "--from=tar", "beside", "beside/store2"],
                          capture_output=True)
    t.check(done.returncode == 1, "a store in its own source")
    t.end()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Stores for the tests of `lodfs report`: hostile names, one photograph, none."""
import glob
import os
import shutil
import subprocess

import level_images
import stores

HOSTILE = ('"><script>alert(1)<\u202e'.encode(), b"' onload='x", b"&amp;&lt;b&gt;",
           b"a\xff\x01\n\x1b[31m.jpg", "\u202egpj.exe".encode(), b"<" * 120, b"]]>-->",
           "\u5199\u771f.jpg".encode(), b"{{7*7}}%s%n%pE")


def make_photographs(folder):
    """Twelve photographs of about 450 pixels, which are compared in a moment."""
    subprocess.run([os.environ["PHOTOGRAPHS"], folder, "12", "3", "0", "40"], check=True,
                   stdout=subprocess.DEVNULL)


def hostile(work):
    """Makes a store in which the folder, photographs and tables have names that contain HTML."""
    source = os.fsencode(f"{work}/hostile")
    make_photographs(f"{work}/made")
    names = sorted(os.path.join(path, name) for path, _, files in os.walk(f"{work}/made")
                   for name in files)
    os.makedirs(source + b"/" + HOSTILE[0])
    for path, name in zip(names, HOSTILE):
        os.rename(path, source + b"/" + HOSTILE[0] + b"/" + name)
    with open(source + b"/" + HOSTILE[0] + b"/<i>whole", "wb") as file:
        file.write(b"text")
    shutil.rmtree(f"{work}/made")
    stores.make_tables(f"{work}/tables")
    table = next(name for name in sorted(os.listdir(f"{work}/tables")) if name.endswith(".npy"))
    os.rename(f"{work}/tables/{table}", source + b"/<td>.npy")
    return stores.pack(f"{work}/hostile", f"{work}/<h2>&store'")


def one(work):
    make_photographs(f"{work}/some")
    path = next(os.path.join(path, name) for path, _, files in os.walk(f"{work}/some")
                for name in files if name.endswith(".jpg"))
    os.makedirs(f"{work}/one")
    os.rename(path, f"{work}/one/1.jpg")
    return stores.pack(f"{work}/one", f"{work}/one.lodfs")


def pngs(work):
    stores.make_pngs(f"{work}/pngs")
    return stores.pack(f"{work}/pngs", f"{work}/pngs.lodfs")


def mixed_pngs(work):
    """A photograph as a JPEG, and PNGs that have most of the bytes."""
    stores.make_pngs(f"{work}/mixed")
    make_photographs(f"{work}/few")
    os.rename(sorted(glob.glob(f"{work}/few/**/*.jpg", recursive=True))[0],
              f"{work}/mixed/1.jpg")
    return stores.pack(f"{work}/mixed", f"{work}/mixed-pngs.lodfs")


def levels(work):
    """A lossless image with lower fidelities."""
    os.makedirs(f"{work}/photograph")
    with open(f"{work}/photograph/1.png", "wb") as file:
        file.write(level_images.png(level_images.photo(1, 176, 144, 3), 176, 2))
    return stores.pack(f"{work}/photograph", f"{work}/levels.lodfs", "--levels=*")


def tables(work):
    stores.make_tables(f"{work}/only-tables")
    return stores.pack(f"{work}/only-tables", f"{work}/tables.lodfs")


def empty(work):
    os.makedirs(f"{work}/empty")
    return stores.pack(f"{work}/empty", f"{work}/empty.lodfs")

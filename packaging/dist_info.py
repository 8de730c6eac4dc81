#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""dist_info.py VERSION FOLDER: writes FOLDER/lodfs-VERSION.dist-info from pyproject.toml, by which
fsspec and pip find a package that pip did not install."""
import pathlib
import sys
import tomllib


def main(version, folder):
    root = pathlib.Path(__file__).resolve().parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = pathlib.Path(folder) / f"lodfs-{version}.dist-info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n"
        f"Summary: {project['description']}\nRequires-Python: {project['requires-python']}\n",
        encoding="utf-8")
    points = "".join(f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in rows.items())
                     for group, rows in project.get("entry-points", {}).items())
    (info / "entry_points.txt").write_text(points, encoding="utf-8")


main(*sys.argv[1:])

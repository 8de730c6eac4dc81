# SPDX-License-Identifier: Apache-2.0
"""Checks sizes: functions up to 70 lines, files up to 400, lines up to 100 columns; see
exceptions.txt."""
import json
import subprocess

FUNCTION_LINES_MAX = 70
FILE_LINES_MAX = 400
COLUMNS_MAX = 100
MEASURED = (".c", ".h", ".inc", ".cl", ".cu", ".py", ".sh")


def exceptions(tree):
    """Returns {file or file:function: lines allowed}; every line must give its reason."""
    allowed = {}
    name = "tests/style/exceptions.txt"
    if name not in tree.files:
        return allowed
    for line in tree.text(name).splitlines():
        if line.strip() and not line.startswith("#"):
            what, lines, reason = line.split(None, 2)
            assert reason, line
            allowed[what] = int(lines)
    return allowed


def functions(tree):
    """Yields (file, function, lines) of every C function."""
    files = [tree.path(f) for f in tree.code()]
    if not files:
        return
    command = ["ctags", "--output-format=json", "--languages=C", "--langmap=C:+.cl.cu",
               "--kinds-C=f", "--fields=+ne", "-f", "-", "-L", "-"]
    out = subprocess.run(command, input="\n".join(files), text=True, check=True,
                         stdout=subprocess.PIPE).stdout
    for line in out.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag" and "end" in tag:
            yield tag["path"][len(tree.root) + 1:], tag["name"], tag["end"] - tag["line"] + 1


def check(tree):
    allowed = exceptions(tree)
    for name in tree.files:
        text = tree.text(name)
        if not name.endswith(MEASURED) and not text.startswith("#!"):
            continue
        lines = text.split("\n")
        if len(lines) - 1 > allowed.get(name, FILE_LINES_MAX):
            yield f"{name}: {len(lines) - 1} lines, {FILE_LINES_MAX} are allowed"
        for number, line in enumerate(lines, 1):
            if len(line) > COLUMNS_MAX:
                yield f"{name}:{number}: {len(line)} columns, {COLUMNS_MAX} are allowed"
    for name, function, count in functions(tree):
        if count > allowed.get(f"{name}:{function}", FUNCTION_LINES_MAX):
            yield f"{name}: {function} has {count} lines, {FUNCTION_LINES_MAX} are allowed"

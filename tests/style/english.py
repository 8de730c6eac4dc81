# SPDX-License-Identifier: Apache-2.0
"""Checks the English of comments and documents, in the folders that follow the rules already.

- A sentence outside tables and code has at most 40 words; the median of a document is at most 20.
- A table cell has at most 40 words.
- No sentence but a question begins with a bare What or Who, and no clause has one as its subject.
- The words in WORDS do not occur.

It does not read the strings of programs. It finds patterns only: a text can pass and be bad.
"""
import ast
import re
import statistics

# Folders and files where the rules hold. To switch another one on, add its line and mend what is
# found; everything below it is then checked.
FOLDERS = [
    "CHANGELOG.md",
    "README.md",
    "check",
    "codecs/*",
    "codecs/l3",
    "codecs/likeness",
    "codecs/pcr",
    "codecs/toc",
    "demo",
    "fs/*",
    "fs/api",
    "fs/dataset",
    "fs/framecache",
    "fs/frames",
    "fs/fuse",
    "fs/mount",
    "fs/read",
    "fs/shard",
    "fs/store/*",
    "fs/store/backend",
    "fs/store/framing",
    "fs/store/index",
    "fs/store/memory",
    "fs/order",
    "fs/store/record",
    "fs/store/http",
    "fs/store/keys",
    "fs/store/remote",
    "fs/store/repair",
    "fs/store/sample",
    "fs/store/tier",
    "fs/store/verify",
    "fs/survey",
    "fs/views",
    "gpu",
    "man",
    "meson.build",
    "packaging",
    "quickstart",
    "src",
    "tests/bench",
    "tests/cli",
    "tests/fuzz",
    "tests/hostile",
    "tests/levels",
    "tests/loaders",
    "tests/meson.build",
    "tests/model",
    "tests/packages",
    "tests/mount",
    "tests/met",
    "tests/public",
    "tests/remote",
    "tests/report",
    "tests/scale",
    "tests/spec",
    "tests/style",
    "tests/threads",
    "tests/tools",
    "tests/unit/*",
    "tests/unit/codecs",
    "tests/unit/fs",
    "tests/unit/gpu",
    "tests/unit/src",
    "tests/unit/store",
    "tests/usage",
]
SENTENCE_WORDS_MAX = 40
MEDIAN_WORDS_MAX = 20
CELL_WORDS_MAX = 40

# Written in two parts, so that this list does not find itself.
WORDS = re.compile(r"\b(?:some" r"body|no" r"body|who" r"ever)\b", re.IGNORECASE)

# "What is not kept is removed": a clause that begins with the pronoun as its subject. A question
# after a verb, as in "says what is missing", is good English and does not match.
VERBS = ("is|was|are|were|has|had|can|could|may|must|might|will|would|does|did|asks|begins|belongs|"
         "changes|comes|costs|decodes|depends|differs|ends|fails|fits|follows|gives|goes|happens|"
         "holds|keeps|knows|lies|looks|makes|matters|needs|opens|points|reads|remains|runs|says|"
         "serves|shows|stands|stays|takes|tells|uses|waits|wants|works|writes")
CLAUSE = re.compile(rf"(?:^|[.;:,(] |\b(?:of|for|from|by|to|with|than|and|or|but|in) )"
                    rf"(?:what|who|whatever) (?:{VERBS})\b", re.IGNORECASE)
BEGINS = re.compile(r"(?:What|Who|Whoever|Whatever)\b(?!.*\?)")

C_FILES = (".c", ".h", ".inc", ".cl", ".cu")
HASH_FILES = (".py", ".sh", ".txt", "meson.build")
MAN_PAGE = re.compile(r"\.[1-8]$")
# Macros of mdoc(7) that continue a sentence; all others end it.
INLINE = set("Ar Cm Dq Dv Em Er Ev Fl Fn Li Nm No Ns Op Pa Pq Ql Sy Va Xr".split())


def is_covered(name):
    """Returns whether the rules hold in this file; FOLDER/* means the files of that folder only."""
    for folder in FOLDERS:
        if folder.endswith("/*"):
            if name.rpartition("/")[0] == folder[:-2]:
                return True
        elif name == folder or name.startswith(folder + "/"):
            return True
    return False


class Text:
    """Prose at a line of a file: a paragraph, a list item, a comment or a table cell."""

    def __init__(self, line, words, kind):
        self.line, self.words, self.kind = line, " ".join(words.split()), kind

    def sentences(self):
        return [s for s in re.split(r"(?<=[.!?])[)\"]* (?=[A-Z`(\[*\"])", self.words) if s]


def count(sentence):
    """Returns the number of words; signs alone do not count."""
    return sum(1 for word in sentence.split() if re.search(r"\w", word))


def paragraphs(line, lines, kind):
    """Yields the paragraphs and list items of a text whose first line has number `line`.

    Lines indented by four or more, and those with columns, are code or drawings.
    """
    found, first = [], line
    for number, text in enumerate(lines + [""], line):
        is_item = re.match(r"\s*(?:[-*]|\d+\.) ", text)
        is_code = text.startswith("    ") or re.search(r"\S {3,}\S", text)
        if found and (is_item or is_code or not text.strip()):
            yield Text(first, " ".join(found), kind)
            found = []
        if text.strip() and not is_code:
            first = first if found else number
            found.append(re.sub(r"^\s*(?:[-*]|\d+\.) ", "", text) if is_item else text.strip())


def comments_of_c(text):
    """Yields (line, lines) of every comment of a C file; strings are skipped."""
    token = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|//[^\n]*"
    for match in re.finditer(token, text, re.DOTALL):
        if match[0][0] == "/":
            lines = [re.sub(r"^\s*(?:/\*+|\*+/|\* ?|//) ?|\s*\*+/$", "", line, count=1)
                     for line in match[0].removesuffix("*/").split("\n")]
            yield text.count("\n", 0, match.start()) + 1, lines


def comments_of_hash(text):
    """Yields (line, lines) of the comments of a Python or shell file that begin with #."""
    found, first = [], 0
    for number, line in enumerate(text.split("\n") + [""], 1):
        match = re.match(r"\s*#(?!!) ?(.*)", line) or re.match(r"[^\"'#]*\s# (.*)", line)
        alone = re.match(r"\s*#", line)
        if found and not (match and alone):
            yield first, found
            found = []
        if match:
            first = first if found else number
            found.append(match[1])
            if not alone:
                yield first, found
                found = []


def docstrings(text):
    """Yields (line, lines) of the docstrings of a Python file; nothing of other files."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            words = ast.get_docstring(node)
            if words:
                yield node.body[0].lineno, words.split("\n")


def document(text):
    """Yields the paragraphs and table cells of a Markdown text."""
    run, first, in_code = [], 1, False
    for number, line in enumerate(text.split("\n") + ["#"], 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
            line = "#"
        if in_code or line.startswith(("#", "|")):
            yield from paragraphs(first, run, "document")
            run = []
            if line.startswith("|") and not in_code:
                for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                    yield Text(number, cell, "cell")
            continue
        first = first if run else number
        run.append(re.sub(r"^ {1,3}(?! )", "", line))


def man_page(text):
    """Yields the paragraphs of an mdoc page."""
    run, first, literal = [], 1, False
    for number, line in enumerate(text.split("\n") + [".Pp"], 1):
        macro, *rest = line[1:].split() if line.startswith(".") and len(line) > 1 else [""]
        literal = macro == "Bd" or rest == ["SYNOPSIS"] or literal and macro not in ("Ed", "Sh")
        if literal or line.startswith(".") and macro not in INLINE:
            yield Text(first, " ".join(run), "document")
            run = []
        elif not line.startswith(('.\\"', ".")) or rest:
            first = first if run else number
            words = rest if macro else [line]
            run += [word for word in words if word not in INLINE]


def texts(name, text):
    """Yields every Text of a file."""
    if name.endswith(".md"):
        yield from document(text)
    elif MAN_PAGE.search(name):
        yield from man_page(text)
    elif name.endswith(C_FILES):
        for line, lines in comments_of_c(text):
            yield from paragraphs(line, lines, "comment")
    elif name.endswith(HASH_FILES) or text.startswith("#!"):
        for line, lines in comments_of_hash(text):
            yield from paragraphs(line, lines, "comment")
        for line, lines in docstrings(text):
            yield from paragraphs(line, lines, "comment")


def breaches(text):
    """Yields what is wrong with one Text."""
    limit = CELL_WORDS_MAX if text.kind == "cell" else SENTENCE_WORDS_MAX
    for sentence in [text.words] if text.kind == "cell" else text.sentences():
        if count(sentence) > limit:
            yield f"{count(sentence)} words, {limit} are allowed in a {text.kind}: {sentence[:50]}"
    claims = " ".join(s for s in text.sentences() if not s.endswith("?"))
    if any(map(BEGINS.match, text.sentences())):
        yield f"a sentence begins with a bare pronoun: {text.words[:50]}"
    elif CLAUSE.search(claims):
        yield f"a clause has a bare pronoun as its subject: {CLAUSE.search(claims)[0]}"
    for word in WORDS.findall(text.words):
        yield f"the word '{word}' does not belong here"


def check(tree):
    for name in filter(is_covered, tree.files):
        words = []
        for text in texts(name, tree.text(name)):
            for breach in breaches(text):
                yield f"{name}:{text.line}: {breach}"
            if text.kind == "document":
                words += map(count, text.sentences())
        if words and statistics.median(words) > MEDIAN_WORDS_MAX:
            yield (f"{name}: the median sentence has {statistics.median(words):g} words, "
                   f"{MEDIAN_WORDS_MAX} are allowed")

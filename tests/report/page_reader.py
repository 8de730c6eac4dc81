# SPDX-License-Identifier: Apache-2.0
"""Reads a page of `lodfs report` with Python's html.parser, and says what is wrong with it."""
import base64
import html.parser
import re

VOID = {"meta", "img", "link", "br", "hr"}
DRAWN = {"line", "circle", "polyline"}  # of SVG, closed by themselves
KNOWN = VOID | DRAWN | {
    "html", "head", "title", "style", "body", "header", "main", "section", "footer", "h1", "h2",
    "h3", "p", "span", "em", "b", "i", "small", "bdi", "code", "pre", "ul", "ol", "li", "dl", "div",
    "dt", "dd", "figure", "figcaption", "details", "summary", "table", "thead", "tbody", "tr", "th",
    "td", "svg", "g", "text"}
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Page(html.parser.HTMLParser):
    """`wrong` lists the faults; `text` is all text, `answer` that of h1, `images` the JPEGs."""

    def __init__(self, source):
        super().__init__(convert_charrefs=True)
        self.wrong, self.open, self.ids, self.labels, self.heading = [], [], set(), set(), 0
        self.text, self.answer, self.style, self.title = "", "", "", ""
        self.images, self.policy = [], None
        self.feed(source)
        self.close()
        self.wrong += [f"{tag} stays open" for tag in self.open]
        self.wrong += [f"no id {name}" for name in self.labels - self.ids]
        if self.policy != POLICY:
            self.wrong.append(f"the policy is {self.policy}")
        if re.search(r"url\(|@import|expression", self.style):
            self.wrong.append("the style loads something")

    def handle_decl(self, decl):
        if decl != "DOCTYPE html":
            self.wrong.append(f"declaration {decl}")

    def handle_starttag(self, tag, attrs):
        self.begin(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.begin(tag, attrs)
        if tag not in DRAWN:
            self.wrong.append(f"{tag} cannot close itself")

    def begin(self, tag, attrs):
        attributes = dict(attrs)
        if tag not in KNOWN:
            self.wrong.append(f"element {tag}: {attrs}")
        if len(attributes) != len(attrs):
            self.wrong.append(f"{tag} has an attribute twice")
        for name, value in attrs:
            self.check_attribute(tag, name, value or "")
        if tag == "img" and not attributes.get("alt"):
            self.wrong.append("a picture without alt")
        if tag == "th" and attributes.get("scope") not in ("row", "col"):
            self.wrong.append("a th without scope")
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.heading + 1:
                self.wrong.append(f"{tag} follows h{self.heading}")
            self.heading = int(tag[1])
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]

    def check_attribute(self, tag, name, value):
        if name.startswith("on") or name in ("srcset", "action", "background", "data", "poster"):
            self.wrong.append(f"{tag} has {name}")
        if name in ("src", "href"):
            head, _, data = value.partition(",")
            if tag != "img" or head != "data:image/jpeg;base64":
                self.wrong.append(f"{tag} refers to {value[:60]}")
            else:
                self.images.append(base64.b64decode(data, validate=True))
        if name == "id":
            if value in self.ids:
                self.wrong.append(f"id {value} twice")
            self.ids.add(value)
        if name == "aria-labelledby":
            self.labels.add(value)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes nothing")

    def handle_comment(self, data):
        self.wrong.append(f"comment {data[:40]}")

    def handle_data(self, data):
        self.text += data
        if "h1" in self.open:
            self.answer += data
        if "style" in self.open:
            self.style += data
        if "title" in self.open:
            self.title += data


def read(path):
    """The page in a file, which has to be UTF-8."""
    with open(path, encoding="utf-8", errors="strict") as file:
        return Page(file.read())

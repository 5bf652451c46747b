"""What is sent to the page, and what is read on it."""

import html
import io
import re
import sqlite3
from html.parser import HTMLParser

from indexer.paper import Paper
from webui.session_file import FILE

PAPER = Paper("neural", "Neural ranking", "An abstract.", 2019, ("Ada Lovelace",), doi="10.1/x", citations=("bm25",))


def sent(files):
    return {"file": [(io.BytesIO(data), name) for name, data in files.items()]}


class Text(HTMLParser):
    """What is read on a page, its elements, its links by their text, and the values of its fields by name."""

    def __init__(self, source):
        super().__init__()
        self.text, self.links, self.elements, self.values, self._link, self._area = "", [], [], {}, None, None
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.elements.append((tag, found))
        if tag == "a":
            self._link = [found, ""]
        if tag == "input" and found.get("type") not in {"checkbox", "file"}:
            self.values.setdefault(found.get("name"), found.get("value") or "")
        if tag == "textarea":
            self._area = found["name"]

    def handle_data(self, data):
        self.text += data
        if self._link:
            self._link[1] += data
        if self._area:
            self.values.setdefault(self._area, data.removeprefix("\n"))

    def handle_endtag(self, tag):
        if tag == "a" and self._link:
            self.links.append(tuple(self._link))
            self._link = None
        if tag == "textarea":
            self._area = None

    def named(self, tag):
        """The attributes of every element of that name."""
        return [attributes for name, attributes in self.elements if name == tag]


def listed(page):
    """Ids of the papers of a list."""
    return [html.unescape(one) for one in re.findall(r'<li class="result" data-id="([^"]*)"', page)]


def everything(folder):
    """All bytes of the files of a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())


def left(folder):
    """All bytes of a folder of sessions once its database is closed, which takes what was deleted out of its log."""
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return everything(folder)

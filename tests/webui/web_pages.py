"""What is sent to the page, and what is read on it."""

import html
import io
import re
from html.parser import HTMLParser

from indexer.paper import Paper

PAPER = Paper("neural", "Neural ranking", "An abstract.", 2019, ("Ada Lovelace",), doi="10.1/x", citations=("bm25",))


def sent(files):
    return {"file": [(io.BytesIO(data), name) for name, data in files.items()]}


class Text(HTMLParser):
    """What is read on a page, its elements, and its links by their text."""

    def __init__(self, source):
        super().__init__()
        self.text, self.links, self.elements, self._link = "", [], [], None
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "a":
            self._link = [dict(attributes), ""]

    def handle_data(self, data):
        self.text += data
        if self._link:
            self._link[1] += data

    def handle_endtag(self, tag):
        if tag == "a" and self._link:
            self.links.append(tuple(self._link))
            self._link = None

    def named(self, tag):
        """The attributes of every element of that name."""
        return [attributes for name, attributes in self.elements if name == tag]


def listed(page):
    """Ids of the papers of a list."""
    return [html.unescape(one) for one in re.findall(r'<li class="result" data-id="([^"]*)"', page)]


def everything(folder):
    """All bytes of the files of a folder."""
    return b"".join(file.read_bytes() for file in folder.iterdir())

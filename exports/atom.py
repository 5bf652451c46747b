"""An Atom feed (RFC 4287) of papers that entered watched lists."""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote
from xml.etree import ElementTree

from common.names import joined
from common.text import one_line
from exports.citation import citation_line, ended
from exports.links import safe_link
from exports.reason_sentences import retraction
from indexer.paper import Paper

_ATOM = "http://www.w3.org/2005/Atom"
_NOT_XML = re.compile("[\ufffe\uffff]")  # beside control characters, which no title has here
_IN_ADDRESS = "!#$%&'()*+,/:;=?@[]~"


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One paper of one list."""

    watch: str
    draft: str  # its title
    paper: Paper
    reported_as: str  # the id that the paper had then: an entry stays the same under another one
    when: str  # ISO 8601 with a time zone


def feed(feed_id: uuid.UUID, updated: str, entries: Sequence[FeedEntry]) -> str:
    """The feed as a document, the newest entries first.

    Args:
        feed_id: Tells it from other feeds, always the same.
        updated: When it changed last where there is no entry; ISO 8601 with a time zone.
        entries: What it holds.
    """
    root = ElementTree.Element("feed", xmlns=_ATOM)
    _add(root, "id", feed_id.urn)
    _add(root, "title", "citescout: papers that entered your lists")
    _add(root, "updated", max([updated, *(entry.when for entry in entries)]))
    _add(_add(root, "author"), "name", "citescout")
    for entry in entries:
        node = _add(root, "entry")
        _add(node, "id", uuid.uuid5(feed_id, f"{entry.watch}\0{entry.reported_as}").urn)
        _add(node, "title", one_line(entry.paper.title) or entry.paper.id)
        _add(node, "updated", entry.when)
        citation = joined(citation_line(entry.paper), ended(retraction(entry.paper)))
        if link := safe_link(entry.paper):
            _add(node, "link", rel="alternate", href=quote(link, safe=_IN_ADDRESS))
        else:  # RFC 4287, 4.1.2: one of both has to be there
            _add(node, "content", citation, type="text")
        _add(node, "category", term=_clean(entry.watch))
        draft = one_line(entry.draft) or entry.watch
        _add(node, "summary", f"A paper to cite in “{draft}”: {citation}")
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _add(parent: ElementTree.Element, name: str, text: str = "", **attributes: str) -> ElementTree.Element:
    node = ElementTree.SubElement(parent, name, attributes)
    node.text = _clean(text) or None
    return node


def _clean(text: str) -> str:
    return _NOT_XML.sub("", one_line(text))

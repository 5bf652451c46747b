"""Jupyter notebooks → the Markdown of their cells; of code only the captions of what it shows are text."""

import re

from common.errors import SourceError
from indexer.readers.json_records import mapping, objects, parse_json
from manuscripts.markdown_dialects import captions, group, labels_in

_CITE = re.compile(r"<(\w+)\b[^<>]*\bdata-cite=[\"']([^\"']*)[\"'][^<>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)


def markdown(content: str) -> str:
    """The text of a notebook; its metadata in YAML may be a raw cell.

    `<cite data-cite="key">`, or any other tag, cites as Pandoc does, and labels of code are those of MyST.

    Raises:
        SourceError: it is damaged.
    """
    try:
        notebook = mapping(parse_json(content.encode("utf-8", "replace")))
    except ValueError:
        raise SourceError("the notebook is damaged: no valid JSON") from None
    texts = []
    for cell in objects(notebook.get("cells")):
        source = cell.get("source")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source or "")
        if cell.get("cell_type") == "markdown" or (cell.get("cell_type") == "raw" and text.startswith("---")):
            texts.append(_CITE.sub(lambda cite: group(cite[2]), text))
        elif cell.get("cell_type") == "code":
            texts += (f"({label})=" for label in labels_in(text))
            texts += (" ".join(caption.split()) for caption in captions("", text))
    return "\n\n".join(texts)

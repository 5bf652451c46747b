"""Pages of a paper on trees, by how their lines are set."""

from collections.abc import Sequence

from pdf_files import pdf_of_pages

from manuscripts import read_manuscript
from manuscripts.manuscript import Manuscript

TITLE = (18, 780, "Trees and how they grow in towns")
ABSTRACT = [(10, 740, "Abstract"), (10, 728, "We ask why trees grow.")]
INTRODUCTION = (10, 710, "1 Introduction")
TEXTS = (
    ("Oaks are old trees, and many of them", "stand in towns. Some are cut."),
    ("Elms are rarer, and grow in parks.", "Beetles have killed most of them in the", "years between the wars."),
    ("Birches come first. They need light,", "and little else."),
)


def lines_of(*paragraphs: tuple[str, ...], top: float, indent: float = 0, gap: float = 0, step: float = 12) -> list:
    """The lines of paragraphs whose first line is indented, or which have a gap between them."""
    found = []
    for paragraph in paragraphs:
        for place, text in enumerate(paragraph):
            found.append((10, top, text, 60 + (indent if place == 0 else 0)))
            top -= step
        top -= gap
    return found


def read(*pages: list) -> Manuscript:
    return read_manuscript(pdf_of_pages(*pages))


def with_list(
    listed: Sequence[tuple], text: Sequence[tuple] = tuple(lines_of(*TEXTS, top=690, indent=15))
) -> Manuscript:
    """A paper of one page whose text stands above a heading and the lines of a list."""
    return read([TITLE, *ABSTRACT, INTRODUCTION, *text, (12, 520, "References"), *listed])


def paragraphs(found: Manuscript) -> list[str]:
    return [paragraph.text for section in found.sections for paragraph in section.paragraphs]

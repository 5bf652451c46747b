"""A list of references as it is printed, and what is read of a text above it."""

from manuscripts.manuscript import Manuscript
from manuscripts.reading import read

LIST = """
Doe, A. B. (2001). Of trees and of graphs. Acta, 3(2), 1-9. https://doi.org/10.1000/1999
Doe, A. B., & Roe, C. (2001). How graphs grow. Acta, 4, 2003-2010.
Doe, A. B., Roe, C., & Poe, E. (2005). How trees fall. Acta, 5.
Müller-Lyer, F. (1889a). On lines. Acta, 1.
Müller-Lyer, F. (1889b). On other lines. Acta, 1.
O'Brien, J., & van der Berg, K. (2010). On walks. Acta, 9.
van der Berg, K. (2012). On long walks. Acta, 10.
World Health Organization. (2019). Report on trees. WHO Press.
R Core Team. (2020). R: A language for computing. Vienna.
Smith, Z. (in press). On leaves. Acta.
Cabrera Perez, R., May, S., & Ho, K. (2019). On roots. Acta.
May, S., & Ho, K. (2017). On bark. Acta.
"""


def text_of(body: str, listed: str = LIST) -> Manuscript:
    return read(f"On trees\n\nAbstract\n\nWe ask why trees grow.\n\n{body}\n\nReferences\n{listed}".encode())


def sentence_of(body: str, **more: str) -> tuple[str, list[tuple[str, ...]], list[str]]:
    """The text of a paragraph behind one that cites twice, its keys and its forms."""
    found = text_of(f"Trees grow (Doe, 2001; Doe et al., 2005).\n\n{body}", **more)
    paragraph = found.sections[-1].paragraphs[-1]
    marks = [mark for sentence in paragraph.sentences for mark in sentence.marks]
    return paragraph.text, [mark.keys for mark in marks], [mark.form for mark in marks]

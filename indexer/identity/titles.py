"""Titles: one key for all spellings of a title, and which titles say too little to distinguish papers."""

import re
import unicodedata

from common.text import unaccented, with_names_of_letters
from indexer.identity.retractions import without_mark

# Letters of a key from which on papers of one year with this title are one paper, whoever wrote them. Below, subjects
# such as "Burning mouth syndrome" are the title of several papers, so that the first author has to agree.
DISTINCTIVE_LETTERS = 25
_IDEOGRAPH_LETTERS = 3  # an ideograph says about as much as three letters

_ASCII_WORD = re.compile("[0-9a-z]+")  # a short cut for most titles
_ARTICLES = {"a", "an", "the"}
_MU = re.compile("(?<![α-ω])μ+(?![α-ω])")  # also before a letter: "μCT" and "μ-CT" have one key

# Titles of parts of a journal: as keys, without their article.
_GENERIC = frozenset(
    """
    abstract abstracts acknowledgement acknowledgements acknowledgments addendum advertisement afterword
    announcement announcements appendix authorindex authorreply authorsreply backmatter bibliography bookreview
    bookreviews briefcommunication callforpapers closingremarks comment commentary comments conclusion conclusions
    conferencereport contents contributors correction corrections correspondence corrigenda corrigendum discussion
    editorial editorialboard editorialcomment editorialnote editorsnote epilogue errata erratum foreword forward
    frontmatter generaldiscussion glossary guesteditorial guesteditorsintroduction guidelinesforsubmission inbrief
    index inmemoriam inthisissue introduction introductiontothespecialissue invitedcommentary issueinformation
    keynote letter letters letterstotheeditor lettertotheeditor listofcontributors masthead news notavailable notes
    noticeofretraction obituary openingremarks oralpresentations overview panel posterpresentations preface
    presidentialaddress proceedings prologue publicationsreceived references rejoinder reply researchhighlights
    response retraction retractionnote review reviews speakerabstracts specialissue specialissueeditorial
    subjectindex summary tableofcontents titlepage untitled welcome workshopreport
    """.split()  # noqa: SIM905 - as a list it would be three times as long
)


def title_words(title: str) -> list[str]:
    """The words of a title as `written_words` has them, Greek letters that are symbols spelled out."""
    words = written_words(title)
    if title.isascii():
        return words
    spelled = _MU.sub(lambda found: " mu" * len(found[0]) + " ", " ".join(words))
    return with_names_of_letters(spelled).split()


def written_words(text: str) -> list[str]:
    """The words of a text in lower case without accents and punctuation, compatibility forms (NFKC) resolved."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    text = unaccented(unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold()).casefold())
    text = "".join(letter if unicodedata.category(letter)[0] in "LNM" else " " for letter in text)
    return unicodedata.normalize("NFKC", text).split()


def title_key(title: str) -> str:
    """All letters and digits of a title in one spelling, without a leading article; "" for a title without any.

    "&" is "and". Of a retracted paper it is that of the title which the paper had before.
    """
    words = title_words(without_mark(title).replace("&", " and "))
    return "".join(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def is_generic(key: str) -> bool:
    """Is this title key one that says nothing, such as `editorial`? Numbers at its end do not change that."""
    return not key or key.rstrip("0123456789") in _GENERIC


def is_distinctive(key: str) -> bool:
    """Is this title key so long that papers of one year which bear it are one paper?"""
    letters = sum(_IDEOGRAPH_LETTERS if unicodedata.category(letter) == "Lo" else 1 for letter in key)
    return letters >= DISTINCTIVE_LETTERS and not is_generic(key)

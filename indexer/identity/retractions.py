"""What titles say of retractions: which papers were retracted, and which records only say so of another, or correct it.

Only what publishers write is recognised, for "Retraction of the brain" and "Correction for attenuation" are papers.
"""

import re
from collections.abc import Iterable

# "RETRACTED: …", "[Retracted] …", "WITHDRAWN: …"; of Web of Science "… (Retracted article. See vol. 375, pg. 445)", and
# in Chinese "被撤回的出版物: …".
_AHEAD = re.compile(
    r"\W*(?:retracted(?: (?:article|paper|chapter))?\s*:|withdrawn (?:article|paper)\s*:|(?-i:WITHDRAWN)\s*:"
    r"|(?<=\[)(?:retracted|withdrawn)(?: (?:article|paper|chapter))?\s*\]:?|被撤回的出版物\s*[:：])\s*",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"\s*[(\[](?:retracted|withdrawn)(?: (?:article|paper)\b[^()\[\]]*)?[)\]]\W*$", re.IGNORECASE)

# IEEE puts this before the title of the paper itself; elsewhere it is that of a notice.
_IEEE_DOI, _IEEE_MARK = "10.1109/", re.compile(r"\W*notice of retraction\b", re.IGNORECASE)

_OPENS = "[\"“”„«‘'`]"
_NOTICE = re.compile(
    r"\W*(?:"
    r"(?:(?:notice|statement) of (?:retraction|removal|withdrawal)"
    r"|(?:retraction|removal|withdrawal) (?:note|notice|statement)|retraction|(?:editorial )?expression of concern"
    r"|(?:(?:author|publisher)(?:['’]?s['’]?)? )?correction(?! of))"
    rf"(?: (?:to|of|for|on))?\s*(?::|[.\]]?$|{_OPENS})"
    r"|(?:retraction|removal|withdrawal) notice to\b"
    r"|(?:retraction|correction) for [^:]{2,80}\bet al\b"
    rf"|(?:errat(?:um|a)|corrigend(?:um|a))\s*(?:[:.\]–—]|-\s|$|{_OPENS}|(?:to|for|zu|zum|zur)\b)"
    r")",
    re.IGNORECASE,
)
# Web of Science has a correction by the title of the paper, and where that stands: "(vol 406, pg 378, 2000)". Books
# have "(Vol. 2, …)".
_CORRECTED = re.compile(
    r"\((?:retraction of )?(?-i:vol|VOL) [^\s(),]+, ?(?:pg (?:no )?|art no )?[\w–-]*\d[\w–-]*, (?:19|20)\d\d\)\W*$",
    re.IGNORECASE,
)
# How notices of retractions begin, and what Web of Science puts behind their titles.
_RETRACTING = re.compile(
    r"(?:\W*(?:(?:notice|statement) of retraction|retraction(?: (?:note|notice|statement))?)"
    r"(?: (?:to|of|on|for(?: [^:]{2,80}?\bet al\b[\s.,]*)?))?\b[\s:]*)+",
    re.IGNORECASE,
)
_WHERE = re.compile(r"\(retraction of .*", re.IGNORECASE | re.DOTALL)
# Kinds of PubMed, Web of Science and Scopus, of papers and of notices.
_RETRACTED = {"retracted publication", "withdrawn publication", "retracted"}
_NOTICES = {
    "retraction of publication", "retraction notice", "retraction", "published erratum", "erratum", "correction",
    "correction, addition", "expression of concern",
}  # fmt: skip


def says_retracted(title: str, doi: str = "") -> bool:
    """Whether a title says of its own paper, which has this DOI, that it was retracted or withdrawn."""
    return without_mark(title) != title or (_IEEE_DOI in doi and _IEEE_MARK.match(title) is not None)


def without_mark(title: str) -> str:
    """The title without such a mark at its beginning or end."""
    lowered = title.lower()
    if not any(word in lowered for word in ("retracted", "withdrawn", "撤回")):
        return title  # as nearly all are
    ahead = _AHEAD.match(title)
    return _BEHIND.sub("", title[ahead.end() :] if ahead else title) or title


def is_notice(title: str) -> bool:
    """Whether a record retracts or corrects another, as "Erratum to: …" does, and is itself nothing to cite."""
    return bool(_NOTICE.match(title) or ("(" in title and _CORRECTED.search(title)))


def retracted_by(title: str) -> str:
    """The title of the paper of which a notice with this title says that it was retracted; "" for other titles."""
    begun = _RETRACTING.match(title) if is_notice(title) else None
    return _WHERE.sub("", title[begun.end() :]) if begun else ""


def is_retracted_kind(kinds: Iterable[str]) -> bool:
    """Whether one of these kinds of publication, as databases name them, is that of a retracted paper."""
    return not _RETRACTED.isdisjoint(map(str.casefold, kinds))


def is_notice_kind(kinds: Iterable[str]) -> bool:
    """Whether one of these kinds of publication, as databases name them, is that of such a record."""
    return not _NOTICES.isdisjoint(map(str.casefold, kinds))

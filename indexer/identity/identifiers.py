"""DOI, arXiv id and PMID in one spelling each, whatever prefix, address or punctuation they came with."""

import hashlib
import html
import re
from urllib.parse import unquote

from common.errors import SourceError

_MAX = 1_000  # characters that are looked at; the longest DOIs have some 250
_DOI = re.compile(r"10\.\d{4,9}(?:\.\d+)*/\S+", re.ASCII)
_ALONE = re.compile(r"(?:doi:\s*)?10\.\d{4,9}(?:\.\d+)*/\S+", re.IGNORECASE | re.ASCII)
# What tells the articles of an issue apart in a SICI (ANSI/NISO Z39.56), of which publishers made DOIs until about
# 2005, many without the word: "<0130:DNF>2.0.CO;2", "<391::AID-ASI1>3.0.CO;2-9".
OF_ARTICLE = r"<[^\s\"<>]+:[^\s\"<>]*>\d\.\d\.[a-z]{2};\d(?:-[\w#])?"
_OF_ARTICLE = re.compile(rf"[^\"<>]+{OF_ARTICLE}", re.ASCII)
# Without it: "10.1002/(sici)…", "10.1175/1520-0469(1963)020", or with "2.0.co;2" where "<0130:dnf>" went as a tag.
_OF_ISSUE = re.compile(
    r"10\.\d{4,9}/(?:\(sici\)[^<]*|\d{4}-\d{3}[\dx]\([12]\d{3}[\d/]*\)\d+(?::[\d/+-]+)?(?:\.\d\.[a-z]{2};.*)?)",
    re.ASCII,
)
DOI_ADDRESS = re.compile(r"https?://(?:dx\.|www\.)?doi\.org/", re.IGNORECASE)
# Line breaks of a PDF or a bibliography style fall behind these: "10.1016/j.cell. 2020.01.001", "10.1000/ abc".
_BROKEN = re.compile(r"(?<=\d)\s+(?=/)|(?<=[/_-])\s+|(?<=\.)\s+(?=\d)")
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(\S+)", re.IGNORECASE | re.ASCII)
# Landing pages of publishers carry the DOI within a longer path.
_PAGE = re.compile(r"/(?:abstract|full|fulltext|pdf|epdf|meta|html?)$|\.pdf$")
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<"}

_ARXIV_NUMBER = r"(?P<new>\d\d(?:0[1-9]|1[0-2])\.\d{4,5})|(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[a-z]{2})?/(?P<old>\d{7})"
_ARXIV_ALONE = re.compile(rf"(?:{_ARXIV_NUMBER})(?:v\d+)?(?:\.pdf)?(?:\s*\[[\w.-]*\])?", re.IGNORECASE | re.ASCII)
# The number has to follow at once, so that a DOI such as 10.48550/arxiv.… or another site's path is not cut up.
_ARXIV_NAMED = re.compile(
    rf"(?:\barxiv\s*:\s*|\b(?:arxiv|ar5iv)(?:\.labs\.arxiv)?\.org/(?:abs|pdf|html|format)/)"
    rf"(?:arxiv:)?(?:{_ARXIV_NUMBER})(?:v\d+)?(?![\d/])",
    re.IGNORECASE | re.ASCII,
)
_AROUND_ARXIV = re.compile(r"(?:https?://(?:www\.)?)?(?:\.pdf)?", re.IGNORECASE)
_PMID_NAMED = re.compile(  # fewer digits behind the name of PubMed are years, and how many were found there
    r"(?:\b(?:pmid(?:[\s_-]*id)?|pubmed(?:[\s_-]*id|(?=\s*[:=]?\s*\d{5})))\s*(?:[:=]\s*)?"
    r"|\bpubmed\.ncbi\.nlm\.nih\.gov/|\bncbi\.nlm\.nih\.gov/(?:m/)?pubmed/)(\d{1,9})(?!\d)",
    re.IGNORECASE | re.ASCII,
)
_MOST_PMID_DIGITS = 8
_PMID_ALONE = re.compile(
    r"(?:pmid\s*(?::\s*)?|https?://(?:www\.)?(?:pubmed\.ncbi\.nlm\.nih\.gov|ncbi\.nlm\.nih\.gov/(?:m/)?pubmed)/)\d+/?",
    re.IGNORECASE | re.ASCII,
)
# A line or part of a note that is one, such as of Zotero's "Extra" and of Rayyan's notes: in text it may be another's.
_NOTED = re.compile(
    r"(?:doi\s*:\s*(?:(?:https?://)?(?:(?:dx|www)\.)?doi\.org/)?(?:doi[\s:]\s*)?(?P<doi>10\.\S{3,200})|"
    r"pmid\s*:\s*(?P<pmid>\d+)[.,]?|(?P<marked>\d+)\[pmid\])(?:\s+(?:[(\[]|pmc?id\b).*)?",
    re.IGNORECASE | re.ASCII,
)
_BETWEEN_NOTES = re.compile(r"[;|](?!\S)")  # a DOI may have a semicolon
_OF_ANOTHER = re.compile(  # begins what is said of another work
    r"\W*(?:(?:comment(?:ary)?|correction|retraction|reprint(?:ed)?|republi\w+|reply|response|review|translat(?:ion|ed)|"
    r"update|supplement)s? (?:of|on|in|to|for|from)|errat\w+|corrig\w+|see|related|cit(?:es|ing)|preprint|"
    r"original (?:work|article|paper|publication|version))\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_DIGEST_ID = re.compile(r"[a-z]+-[0-9a-f]{16}")
_OPENALEX_ID = re.compile(r"W[1-9]\d{3,}")  # shorter ones are rather another corpus'
_OPENALEX_ADDRESS = re.compile(
    r"(?:https?://)?(?:www\.|api\.|explore\.)?openalex\.org/(?:works/)?(W\d+)/?", re.IGNORECASE | re.ASCII
)


def clean_doi(value: str) -> str:
    """The DOI in `value` in lower case without resolver, prefix, percent-encoding or stray punctuation; "" without one.

    DOIs are compared without regard to case (DOI Handbook, 2.4).
    """
    text = _decoded(value[:_MAX])
    match = _DOI.search(_BROKEN.sub("", " ".join(text.split()).lower()))
    if match is None:
        return ""
    doi = match.group()
    if whole := _OF_ARTICLE.match(doi):
        return whole.group()
    if "(sici)" in doi and "<" in doi:
        return doi.rstrip(".,;:\"'}]")
    doi = re.split(r"[\"<>]|\]\(", doi, maxsplit=1)[0]  # "](" parts the text and the address of a link in Markdown
    if "://" in text:
        doi = re.split(r"[?#&]", doi, maxsplit=1)[0]
        while (shorter := _PAGE.sub("", doi)) != doi:
            doi = shorter
    doi = _without_trailing(doi)
    return "" if doi.endswith("/") else doi


def bare_doi(value: str) -> str:
    """The `clean_doi` of a `value` that is nothing else, such as an id; "" for any other."""
    return clean_doi(value) if value.lower().startswith(("10.", "doi:")) and _ALONE.fullmatch(value) else ""


def lone_doi(value: str) -> str:
    """The same, where the address of a resolver or white space may stand around it."""
    value = value.strip()
    if resolver := DOI_ADDRESS.match(value):
        value = value[resolver.end() :]
        value = _decoded(value) if len(value) <= _MAX else value  # one that was encoded time and again takes long
    return bare_doi(value)


def doi_key(value: str) -> str:
    """The `clean_doi` of `value`, but "" for what does not identify a paper or is covered by another key.

    A SICI that was cut before its `<` is the same for all papers of an issue or a volume; arXiv's own DOIs
    (10.48550/arXiv.X) are left to `arxiv_key`.
    """
    doi = clean_doi(value) if value else ""
    return "" if _ARXIV_DOI.fullmatch(doi) or _OF_ISSUE.fullmatch(doi) else doi


def noted(note: str) -> tuple[str, str]:
    """The DOI and the PMID that a note gives of its work, each "" where it gives none."""
    doi = pmid = ""
    of_another = False
    for line in note.splitlines():
        for place, part in enumerate(map(str.strip, _BETWEEN_NOTES.split(line))):
            if found := _NOTED.fullmatch(part):
                doi = doi or ("" if of_another else clean_doi(found["doi"] or ""))
                pmid = pmid or ("" if of_another else found["pmid"] or found["marked"] or "")
            elif part:
                of_another = bool(_OF_ANOTHER.match(part)) or (of_another and place > 0)
    return doi, pmid


def arxiv_key(value: str) -> str:
    """An arXiv id, such as 1706.03762 or cs/0112017, without prefix, version and subject class; "" without one.

    A bare id has to be the whole of `value`; within other text it must be named (`arXiv:…`, an arXiv address).
    """
    text = " ".join(value[:_MAX].split())
    own_doi = _ARXIV_DOI.search(text)
    match = _ARXIV_ALONE.fullmatch(own_doi.group(1).rstrip(".,;)}]") if own_doi else text) or _ARXIV_NAMED.search(text)
    if match is None:
        return ""
    if match["new"]:
        return match["new"]
    return f"{match['archive']}/{match['old']}".lower()


def pmid_key(value: str, bare: bool = False) -> str:
    """A PubMed id without leading zeros, from an address or `PMID: …`, or bare digits with `bare`; "" without one.

    PMC ids are other numbers and are none.
    """
    text = value[:_MAX].strip()
    match = _PMID_NAMED.search(text)
    digits = match.group(1) if match else text if bare and text.isascii() and text.isdecimal() else ""
    digits = digits.lstrip("0")
    return digits if len(digits) <= _MOST_PMID_DIGITS else ""


def bare_pmid(value: str, bare: bool = False) -> str:
    """The `pmid_key` of a `value` that is nothing else, such as `pmid:123` or PubMed's address; "" for any other."""
    return pmid_key(value, bare) if bare or _PMID_ALONE.fullmatch(value) else ""


def listed_lines(text: str) -> list[tuple[int, str]]:
    """What the lines of a list say, with their numbers from 1; what stands behind # is a comment.

    A DOI may hold a #: a comment begins at the start of a line or behind white space.
    """
    lines = ((number, _COMMENT.sub("", line).strip()) for number, line in enumerate(text.splitlines(), 1))
    return [(number, line) for number, line in lines if line]


def listed_ids(text: str) -> tuple[str, ...]:
    """The DOIs, PMIDs as "PMID:7" and arXiv ids as "arXiv:1706.03762" of a file that holds one a line; none of others.

    Numbers alone are PMIDs where all lines are numbers.

    Raises:
        SourceError: some lines are none, though at least half are: says which is the first.
    """
    lines = listed_lines(text)
    numbers = all(line.isascii() and line.isdecimal() for _, line in lines)
    ids = [_listed_id(line, numbers) for _, line in lines]
    if all(ids):
        return tuple(dict.fromkeys(ids))
    if 2 * sum(map(bool, ids)) < len(ids):
        return ()
    number, line = lines[ids.index("")]
    raise SourceError(f"line {number}: {line[:80]!r} is no DOI, PMID or arXiv id")


def _listed_id(line: str, number: bool) -> str:
    """The same of one line, where a `number` alone is a PMID; "" for another line."""
    if doi := lone_doi(line):
        return doi
    if pmid := bare_pmid(line, number):
        return f"PMID:{pmid}"
    arxiv = _lone_arxiv(line)
    return f"arXiv:{arxiv}" if arxiv else ""


def _lone_arxiv(value: str) -> str:
    """The `arxiv_key` of a `value` that is nothing else, such as arXiv's address; "" for any other."""
    named = _ARXIV_NAMED.search(value)
    if named:
        return arxiv_key(value) if _AROUND_ARXIV.fullmatch(value[: named.start()] + value[named.end() :]) else ""
    return arxiv_key(value) if _ARXIV_ALONE.fullmatch(value) else ""


def pubmed_address(pmid: str) -> str:
    """The address of a paper in PubMed, by which a record keeps its PMID, bare or named; "" for what is none."""
    digits = pmid_key(pmid, bare=True)
    return f"https://pubmed.ncbi.nlm.nih.gov/{digits}/" if digits else ""


def _decoded(text: str) -> str:
    """Without the encodings of HTML, of addresses (either may have been applied twice), and of LaTeX."""
    while (decoded := unquote(html.unescape(text).replace("\\", ""))) != text:
        text = decoded
    return text


def _without_trailing(doi: str) -> str:
    """Without the punctuation of the sentence around it; a bracket stays where the DOI itself opened it."""
    while doi and (doi[-1] in ".,;:'\"’”*" or doi.count(_OPENING.get(doi[-1], doi[-1])) < doi.count(doi[-1])):
        doi = doi[:-1]
    return doi


def digest_id(format: str, title: str, year: str) -> str:
    """An id of title and year; the same record gets the same one wherever it is read."""
    return f"{format}-" + hashlib.sha256(f"{title}\n{year}".encode("utf-8", "replace")).hexdigest()[:16]


def is_openalex_id(id_: str) -> bool:
    """Whether an id is one of OpenAlex' works, such as W2741809807."""
    return _OPENALEX_ID.fullmatch(id_) is not None


def openalex_id(address: str) -> str:
    """The id of the work at an address of OpenAlex, such as https://openalex.org/W2741809807; "" for any other text."""
    found = _OPENALEX_ADDRESS.fullmatch(address)
    return found[1].upper() if found else ""


def is_digest_id(id_: str) -> bool:
    """Whether an id was made of title and year, as by `digest_id`: two papers "Editorial" share one."""
    return _DIGEST_ID.fullmatch(id_) is not None

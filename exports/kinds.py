"""What kind of publication a paper is, derived from its venue: corpora seldom say."""

import re
from dataclasses import dataclass
from typing import Literal

from indexer.paper import Paper

# As BibTeX calls them.
Kind = Literal["article", "inproceedings", "incollection", "book", "phdthesis", "techreport", "misc"]


@dataclass(frozen=True, slots=True)
class Names:
    """What formats call a kind: the first of several words is written, all are read."""

    venue: str  # the field of BibTeX that has it
    csl: tuple[str, ...]
    ris: tuple[str, ...]
    bibtex: tuple[str, ...]


NAMES: dict[Kind, Names] = {
    "article": Names(
        "journal", ("article-journal", "article-magazine", "article-newspaper"), ("JOUR", "JFULL", "MGZN"), ("article",)
    ),
    "inproceedings": Names("booktitle", ("paper-conference",), ("CONF", "CPAPER"), ("inproceedings", "conference")),
    "incollection": Names(
        "booktitle",
        ("chapter", "entry-encyclopedia", "entry-dictionary", "entry"),
        ("CHAP", "ECHAP", "ENCYC", "DICT"),
        ("incollection", "inbook", "inreference", "suppbook", "bookinbook"),
    ),
    "book": Names(
        "series",
        ("book",),
        ("BOOK", "EDBOOK", "EBOOK"),
        ("book", "proceedings", "collection", "reference", "mvbook", "mvcollection", "mvproceedings", "mvreference"),
    ),
    "phdthesis": Names("school", ("thesis",), ("THES",), ("phdthesis", "thesis", "mastersthesis")),
    "techreport": Names("institution", ("report",), ("RPRT",), ("techreport", "report")),
    "misc": Names(
        "howpublished",
        (
            *("article", "dataset", "document", "software", "standard", "webpage", "patent", "manuscript"),
            *("post", "post-weblog"),
        ),
        ("GEN", "DATA", "COMP", "ELEC", "PAT", "UNPB", "MANSCPT", "BLOG"),
        ("misc", "online", "electronic", "www", "dataset", "software", "patent", "unpublished", "manual", "booklet"),
    ),
}
_OF_ANY_KIND = ("GEN", "misc")  # leave it to the venue

_CONFERENCE = re.compile(
    r"\b(proceedings of the \d+|proc\.|conference|workshop|symposium|congress|meeting of|findings of|"
    r"advances in neural information processing systems|lecture notes in|in proceedings)",
    re.IGNORECASE,
)
# Conferences that corpora name by their letters alone, such as "SIGIR" or "NAACL-HLT 2019".
_ACRONYM = re.compile(
    r"\b(AAAI|ACL|AISTATS|CHI|CIKM|CLEF|COLING|COLT|CoNLL|CSCW|CVPR|EACL|ECCV|ECIR|ECML|EMNLP|FOCS|HLT|ICASSP|ICCV|ICDE|"
    r"ICDM|ICLR|ICML|ICTIR|IJCAI|IJCNLP|INFOCOM|Interspeech|ISMIR|JCDL|KDD|LREC|NAACL|NeurIPS|NIPS|OSDI|PODS|RecSys|"
    r"SemEval|SIGIR|SIGKDD|SIGMOD|SoCG|SODA|SOSP|STOC|TREC|UAI|UIST|USENIX|VLDB|WSDM|WWW)\b",
    re.IGNORECASE,
)
_LONGEST_ACRONYM = 30  # characters of a venue that may be named by its letters, with year and track
_UNPUBLISHED = re.compile(r"\b(arxiv|corr|biorxiv|medrxiv|preprint|technical report)\b", re.IGNORECASE)
_MEETING = re.compile(r"\b(conference|workshop|symposium)\b", re.IGNORECASE)
_JOURNAL = re.compile(r"\b(journal|transactions|letters|review|annals|proceedings of the national)\b", re.IGNORECASE)


def kind_called(name: str, form: Literal["csl", "ris", "bibtex"]) -> Kind | None:
    """The kind that a format calls so; None where that does not say."""
    return next((kind for kind, one in NAMES.items() if name in getattr(one, form) and name not in _OF_ANY_KIND), None)


def kind(paper: Paper) -> Kind:
    """In a journal, in proceedings, or neither (a preprint, a report, an unknown venue)."""
    venue = paper.venue.strip()
    if not venue or _UNPUBLISHED.search(venue):
        return "misc"
    if _JOURNAL.search(venue) and not _MEETING.search(venue):
        return "article"
    named_by_letters = len(venue) <= _LONGEST_ACRONYM and _ACRONYM.search(venue)
    return "inproceedings" if named_by_letters or _CONFERENCE.search(venue) else "article"

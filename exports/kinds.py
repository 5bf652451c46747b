"""What kind of publication a paper is, as CSL calls it; derived from its venue where nobody says."""

import re

from indexer.paper import Paper
from indexer.readers.entry_types import NAMES

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


def kind_called(*names: str) -> str:
    """The kind that RIS or BibTeX calls by the first of these names that says one; "" where none does."""
    known = (name for name in names if name not in _OF_ANY_KIND)
    return next(
        (kind for name in known for kind, one in NAMES.items() if name in f"{one.bibtex} {one.ris}".split()), ""
    )


def kind(paper: Paper) -> str:
    """In a journal, in proceedings, or neither (a preprint, a report, an unknown venue)."""
    venue = paper.venue.strip()
    if not venue or _UNPUBLISHED.search(venue):
        return "article"
    if _JOURNAL.search(venue) and not _MEETING.search(venue):
        return "article-journal"
    named_by_letters = len(venue) <= _LONGEST_ACRONYM and _ACRONYM.search(venue)
    return "paper-conference" if named_by_letters or _CONFERENCE.search(venue) else "article-journal"

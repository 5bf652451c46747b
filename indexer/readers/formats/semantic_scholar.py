"""Semantic Scholar: answers of its API, and its corpora as they were published over the years, in JSON.

- The Open Research Corpus until 2020 has `paperAbstract`; the `corpus.json` of Citeomatic (DBLP, PubMed and Open
  Research) has `out_citations`.
- The API (Academic Graph, Recommendations) answers with single papers, lists and pages. Pages of a paper's references
  or citations hold each paper within an object of its own.
- In the datasets of the Academic Graph papers, abstracts and citations lie in files of their own, which are joined by
  corpus id; that is a number in some files and text in others. An edge may be listed more than once, and its cited end
  may be null.
- S2ORC has three shapes. The static releases (allenai/s2orc, 2019 and 2020) describe a paper in a line of `metadata/`.
  The datasets of the API hold one text with annotated spans instead: title and abstract are cut out of it, and the
  bibliography names the cited papers by corpus id. There the text lies under `content`, or, in `s2orc_v2`, under `body`
  and `bibliography`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial

from common.errors import SourceError
from indexer.identity.identifiers import pubmed_address
from indexer.readers.base import Found, Malformed, RawPaper, Reader, papers_of, record_reader
from indexer.readers.head import Head
from indexer.readers.join import Join, temporary_join
from indexer.readers.json_records import (
    JSON_LINES,
    Fields,
    array_records,
    json_records,
    mapping,
    names,
    objects,
    paper_as_named,
    unquoted,
)
from indexer.readers.markup import parted_person, person
from indexer.readers.source import SourceFile


def _of_open_research(fields: Fields) -> RawPaper:
    return paper_as_named(
        fields,
        abstract=fields.get("paperAbstract"),
        venue=fields.get("venue") or fields.get("journalName"),
        url=fields.get("s2Url"),
        citations=fields.get("outCitations"),
    )


S2_2017 = Reader(
    name="s2_2017",
    description="Semantic Scholar Open Research Corpus, 2017 to 2020 (paperAbstract, outCitations)",
    endings=(".json", ".jsonl", ".txt"),
    detect=lambda head: "paperAbstract" in head.keys,
    read=record_reader(json_records, _of_open_research),
    by_line=JSON_LINES,
    companions=("sample-S2-records", "license.txt"),
)


def _of_citeomatic(fields: Fields) -> RawPaper:
    # `title` and `abstract` are cut into lower-case tokens: the texts that the published figures were measured on.
    return paper_as_named(
        fields,
        title=fields.get("title") or fields.get("title_raw"),
        abstract=fields.get("abstract") or fields.get("abstract_raw"),
        url=fields.get("s2_url"),
        citations=fields.get("out_citations"),
    )


CITEOMATIC = Reader(
    name="citeomatic",
    description="Citeomatic's corpus.json of DBLP, PubMed or Open Research (out_citations)",
    endings=(".json", ".jsonl"),
    detect=lambda head: "out_citations" in head.keys,
    read=record_reader(json_records, _of_citeomatic),
    by_line=JSON_LINES,
)


_PAGE = re.compile(r'"(?:data|recommendedPapers)"\s*:\s*\[')
_WITHIN = ("citedPaper", "citingPaper")


def _is_page(head: Head) -> bool:
    return head.text.lstrip()[:1] == "{" and "paperId" not in head.keys and bool(_PAGE.search(head.text))


def paper_of_record(fields: Fields) -> RawPaper:
    """The paper of a record of the API, or of an entry of one of its pages."""
    fields = next((fields[name] for name in _WITHIN if isinstance(fields.get(name), dict)), fields)
    outside = mapping(fields.get("externalIds"))
    return paper_as_named(
        fields,
        id=fields.get("paperId"),
        **_place(fields),
        doi=outside.get("DOI"),
        arxiv=outside.get("ArXiv"),
        url=pubmed_address(str(outside.get("PubMed") or "")) or fields.get("url"),
        # Of what Semantic Scholar could not identify it knows the title alone.
        citations=[cited["paperId"] for cited in objects(fields.get("references")) if cited.get("paperId")],
    )


def _place(fields: Fields) -> Fields:
    """Where a paper appeared: pages are "116 - 135", and the volume of a preprint is its id, such as abs/1706.03762."""
    journal = mapping(fields.get("journal"))
    volume, page = str(journal.get("volume") or ""), str(journal.get("pages") or "")
    return {
        "venue": fields.get("venue") or journal.get("name"),
        "volume": "" if volume.startswith("abs/") else volume,
        "page": "".join(page.split()),
    }


S2_API = Reader(
    name="s2_api",
    description="Semantic Scholar: answers of its API",
    endings=(".json", ".jsonl"),
    detect=lambda head: '"paperId"' in head.text and (_is_page(head) or "paperId" in head.keys),
    read=record_reader(
        lambda file: array_records(file.body, _PAGE) if _is_page(file.head) else json_records(file), paper_of_record
    ),
    by_line=lambda head: head.is_json_lines and not _is_page(head),
)


def _kind(head: Head) -> str | None:
    keys = head.keys
    if {"citingcorpusid", "citedcorpusid"} <= keys:
        return "citations"
    if "corpusid" not in keys or {"content", "body", "bibliography"} & keys:
        return None
    if "title" in keys:
        return "papers"
    return "abstracts" if "abstract" in keys else None


def _read_datasets(files: Sequence[SourceFile]) -> Iterator[Found]:
    papers: list[SourceFile] = []
    with temporary_join() as join:
        for file in files:
            kind = _kind(file.head())
            if kind == "papers":
                papers.append(file)
            elif kind is not None:
                yield from papers_of(_records(file), partial(_store, join, kind))
        if not papers:
            raise SourceError(f"{files[0].name}: abstracts or citations without their papers; name the folder of all")
        join.finish()
        for file in papers:
            yield from papers_of(_records(file), partial(_joined_paper, join))


def _records(file: SourceFile) -> Iterator[tuple[str, Fields | Malformed]]:
    with file.open() as opened:
        for where, fields in json_records(opened):
            yield f"{file.name}: {where}", fields


def _store(join: Join, kind: str, fields: Fields) -> None:
    paper, value = ("corpusid", "abstract") if kind == "abstracts" else ("citingcorpusid", "citedcorpusid")
    if isinstance(fields.get(paper), str | int) and isinstance(fields.get(value), str | int):
        join.add(kind, str(fields[paper]), str(fields[value]))


def _joined_paper(join: Join, fields: Fields) -> RawPaper:
    outside = {key.lower(): value for key, value in mapping(fields.get("externalids")).items()}
    corpus_id = fields.get("corpusid")
    key = str(corpus_id)
    return paper_as_named(
        fields,
        id=corpus_id,
        abstract=fields.get("abstract") or join.value("abstracts", key),
        **_place(fields),
        doi=outside.get("doi"),
        arxiv=outside.get("arxiv"),
        citations=join.values("citations", key),
    )


S2AG = Reader(
    name="s2ag",
    description="Semantic Scholar Academic Graph: a folder with the papers, abstracts and citations datasets",
    endings=(".jsonl", ".json"),
    detect=lambda head: _kind(head) is not None,
    read_together=_read_datasets,
    companions=(
        *("README.txt", "metadata.json", "authors/*", "tldrs/*"),
        *("paper-ids/*", "publication-venues/*", "embeddings*/*"),
    ),
)


_STATIC = {"outbound_citations", "has_outbound_citations", "pmc_id", "s2_pdf_hash", "grobid_parse"}


def _is_s2orc(head: Head) -> bool:
    if "paper_id" in head.keys:
        return bool({"title", "metadata"} & head.keys and {*_STATIC, "metadata"} & head.keys)
    return "corpusid" in head.keys and bool({"content", "body", "bibliography"} & head.keys)


def _of_s2orc(fields: Fields) -> RawPaper:
    return _annotated_paper(fields) if "corpusid" in fields else _static_paper(fields)


def _static_paper(fields: Fields) -> RawPaper:
    described = {**fields, **mapping(fields.get("metadata"))}
    abstract = described.get("abstract")
    return paper_as_named(
        described,
        id=fields.get("paper_id"),
        abstract=abstract.replace(":::", " ") if isinstance(abstract, str) else abstract,  # breaks between parts
        authors=[
            parted_person(author.get("last"), person(author.get("first"), author.get("middle")), author.get("suffix"))
            for author in objects(described.get("authors"))
        ],
        venue=described.get("venue") or described.get("journal"),
        arxiv=described.get("arxiv_id"),
        url=described.get("s2_url"),
        citations=described.get("outbound_citations"),
    )


def _annotated_paper(fields: Fields) -> RawPaper:
    content = mapping(fields.get("content")) or mapping(fields.get("body"))
    text = content.get("text")
    text = text if isinstance(text, str) else ""
    annotations = mapping(content.get("annotations"))
    references = {**annotations, **mapping(mapping(fields.get("bibliography")).get("annotations"))}
    cited = references.get("bibentry") or references.get("bib_entry")
    access = mapping(fields.get("openaccessinfo"))
    outside = mapping(fields.get("externalids")) or mapping(access.get("externalids"))
    outside = {key.lower(): value for key, value in outside.items()}
    corpus_id = fields.get("corpusid")
    return RawPaper(
        id=corpus_id,
        title=fields.get("title") or " ".join(_cut(text, annotations.get("title"))),
        abstract=fields.get("abstract") or " ".join(_cut(text, annotations.get("abstract"))),
        year=fields.get("year"),
        authors=names(fields.get("authors")) or list(_cut(text, annotations.get("author"))),
        venue=" ".join(_cut(text, annotations.get("venue"))),
        doi=outside.get("doi"),
        arxiv=outside.get("arxiv"),
        url=f"https://api.semanticscholar.org/CorpusID:{corpus_id}",
        citations=[mapping(span.get("attributes")).get("matched_paper_id") for span in objects(unquoted(cited))],
    )


def _cut(text: str, annotation: object) -> Iterator[str]:
    for span in objects(unquoted(annotation)):
        start, end = _offset(span.get("start")), _offset(span.get("end"))
        if start is not None and end is not None and start < end:
            yield " ".join(text[start:end].split())


def _offset(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and value >= 0 else None


S2ORC = Reader(
    name="s2orc",
    description="S2ORC: metadata of the static releases, or the s2orc and s2orc_v2 datasets of Semantic Scholar",
    endings=(".jsonl", ".json"),
    detect=_is_s2orc,
    read=record_reader(json_records, _of_s2orc),
    by_line=JSON_LINES,
    companions=("pdf_parses/*", "RELEASE_NOTES", "LICENSE"),
)

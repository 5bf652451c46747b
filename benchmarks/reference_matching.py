"""How well references that are described are matched to papers: half of a corpus is read, all of it is cited.

    python benchmarks/reference_matching.py PAPERS.jsonl.gz METADATA.jsonl.gz

PAPERS have id, title, year and citations; METADATA id, authors and venue. Volumes and pages are made up: a volume a
year and venue, in which papers follow each other with 4 to 20 pages. Records are written as exports and read back. Half
of the papers are left out of them, and half of what is cited is therefore not there. Spellings vary as they do in
databases, see `described`. A match is right if it is a paper that the record cites.
"""

import csv
import gzip
import json
import random
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from common.names import parse_name
from indexer.readers import ReadReport, read_papers
from indexer.readers.fields import NAMESAKE

Paper = dict[str, Any]
SEED = 7


def records(path: Path) -> list[Paper]:
    """The objects of a compressed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def corpus(papers: Path, metadata: Path) -> list[Paper]:
    """Papers with year, title and authors, and with volume, page and DOI that are made up."""
    known = {item["id"]: item for item in records(metadata)}
    rng = random.Random(SEED)  # noqa: S311 - no secret
    found: list[Paper] = []
    next_page: Counter[tuple[str, int]] = Counter()
    for paper in records(papers):
        more = known.get(paper["id"], {})
        if not (paper["year"] and paper["title"] and more.get("authors")):
            continue
        venue = more.get("venue") or "Journal"
        page = next_page[venue, paper["year"]] + 1
        next_page[venue, paper["year"]] += rng.randint(4, 20)
        number = len(found)
        found.append(
            paper
            | {
                "authors": [NAMESAKE.sub("", author) for author in more["authors"]],
                "venue": " ".join(venue.replace(",", " ").split())[:60],
                "volume": paper["year"] - 1950 - len(venue) % 30,
                "page": page,
                "doi": f"10.5555/{number}.{paper['year']}",
            }
        )
    return found


def varied(rng: random.Random, paper: Paper) -> dict[str, str]:
    """What a reference says of the paper."""
    name = parse_name(paper["authors"][0])
    family, initials = name.surname, "".join(word[0] for word in name.given.replace("-", " ").split())
    if rng.random() < 0.3:  # accents are lost
        family = "".join(c for c in unicodedata.normalize("NFKD", family) if not unicodedata.combining(c))
    if rng.random() < 0.3:
        family = family.upper()
    if rng.random() < 0.1:  # particles are joined, or lost
        family = family.replace(" ", "") if rng.random() < 0.5 else family.split()[-1]
    page = paper["page"] + (rng.choice([-10, 1, 10, 100]) if rng.random() < 0.02 else 0)
    title = " ".join(paper["title"].replace(";", ",").split())
    return {
        "family": family,
        "initials": initials[: rng.randint(1, 2)] or "X",
        "year": str(paper["year"] + (rng.choice([-1, 1]) if rng.random() < 0.02 else 0)),
        "volume": "" if rng.random() < 0.05 else str(paper["volume"]),
        "page": "" if rng.random() < 0.05 else str(page),
        "doi": paper["doi"].upper() if rng.random() < 0.5 else "",
        "title": title[: len(title) // 2] if rng.random() < 0.1 else title,
    }


def described(rng: random.Random, paper: Paper, layout: str) -> str:
    """A reference to the paper as exports of that layout have it."""
    known = varied(rng, paper)
    family, initials, year, volume, page = (known[key] for key in ("family", "initials", "year", "volume", "page"))
    if layout == "wos":
        parts = [f"{family} {initials}", year, paper["venue"].upper()[:20]]
        parts += [volume and f"V{volume}", page and f"P{page}", known["doi"] and f"DOI {known['doi']}"]
        return ", ".join(filter(None, parts))
    if layout == "jats":  # half of them are to proceedings, without volume and page
        place = f"<volume>{volume}</volume><fpage>{page}</fpage>" if rng.random() < 0.5 else ""
        return (
            f"<ref><element-citation><name><surname>{escape(family)}</surname></name><year>{year}</year>{place}"
            f"<article-title>{escape(known['title'])}</article-title></element-citation></ref>"
        )
    parts = [f"{family} {'.'.join(initials)}.", known["title"], paper["venue"], volume]
    parts += [page and f"pp. {page}-{page}9", f"({year})"]
    return ", ".join(filter(None, parts)).replace("; ", ", ")


def exported(rng: random.Random, papers: list[Paper], cited: dict[str, Paper], layout: str, folder: Path) -> None:
    """One export of these papers, which cite what is in `cited`."""
    if layout == "jats":
        articles = [_article(rng, paper, cited) for paper in papers]
        (folder / "articles.xml").write_text(f"<articles>{''.join(articles)}</articles>", "utf-8")
        return
    if layout == "wos":
        lines = ["FN Clarivate Analytics Web of Science", "VR 1.0"]
        for paper in papers:
            lines += ["PT J", *_tagged("AU", [_last_first(author) for author in paper["authors"]])]
            lines += [f"TI {' '.join(paper['title'].split())}", f"SO {paper['venue']}"]
            lines += _tagged("CR", [described(rng, cited[id_], layout) for id_ in paper["citations"] if id_ in cited])
            lines += [f"PY {paper['year']}", f"VL {paper['volume']}", f"BP {paper['page']}", f"DI {paper['doi']}"]
            lines += [f"UT {paper['id']}", "ER", ""]
        (folder / "savedrecs.txt").write_text("\n".join([*lines, "EF"]), "utf-8")
        return
    rows = [["Authors", "Title", "Year", "Source title", "Volume", "Page start", "DOI", "References", "EID"]]
    for paper in papers:
        references = "; ".join(described(rng, cited[id_], layout) for id_ in paper["citations"] if id_ in cited)
        authors = "; ".join(map(_last_first, paper["authors"]))
        fields = [authors, paper["title"], paper["year"], paper["venue"], paper["volume"], paper["page"], paper["doi"]]
        rows.append([*fields, references, paper["id"]])
    with (folder / "scopus.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)


def _article(rng: random.Random, paper: Paper, cited: dict[str, Paper]) -> str:
    references = "".join(described(rng, cited[id_], "jats") for id_ in paper["citations"] if id_ in cited)
    authors = "".join(
        f"<contrib><name><surname>{escape(name.surname)}</surname><given-names>{escape(name.given)}</given-names></name>"
        "</contrib>"
        for name in map(parse_name, paper["authors"])
    )
    return (
        f"<article><front><article-meta><article-id pub-id-type='doi'>{paper['doi']}</article-id><title-group>"
        f"<article-title>{escape(paper['title'])}</article-title></title-group><contrib-group>{authors}</contrib-group>"
        f"<pub-date><year>{paper['year']}</year></pub-date><volume>{paper['volume']}</volume><fpage>{paper['page']}"
        f"</fpage></article-meta></front><back><ref-list>{references}</ref-list></back></article>"
    )


def _tagged(tag: str, values: list[str]) -> list[str]:
    return [f"{tag if not place else '  '} {value}" for place, value in enumerate(values)]


def _last_first(author: str) -> str:
    name = parse_name(author)
    return ", ".join(filter(None, (name.surname, name.given)))


def main() -> None:
    """Print precision and recall by layout."""
    papers = corpus(Path(sys.argv[1]), Path(sys.argv[2]))
    by_id = {paper["id"]: paper for paper in papers}
    for layout in ("wos", "scopus", "jats"):
        rng = random.Random(SEED)  # noqa: S311
        kept = [paper for paper in papers if rng.random() < 0.5]
        ids = {paper["id"] for paper in kept}
        with tempfile.TemporaryDirectory() as folder:
            exported(rng, kept, by_id, layout, Path(folder))
            report = ReadReport()
            id_of = {paper["doi"]: paper["id"] for paper in kept} | {id_: id_ for id_ in ids}
            found = {
                id_of[paper.id]: {id_of[cited] for cited in paper.citations if cited in id_of}
                for paper in read_papers([folder], report=report)
            }
        there = {paper["id"]: ids & {*paper["citations"]} - {paper["id"]} for paper in kept}
        given = sum(id_ in by_id for paper in kept for id_ in paper["citations"])
        wanted, said = sum(map(len, there.values())), sum(map(len, found.values()))
        right = sum(len(cited & found[id_]) for id_, cited in there.items())
        print(
            f"{layout}: {len(kept):,} papers, {given:,} references, {wanted:,} of them to papers that are there; "
            f"precision {right / said:.4f}, recall {right / wanted:.4f}; {report.references_found()}"
        )


if __name__ == "__main__":
    main()

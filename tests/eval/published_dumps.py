"""Dumps in the published shapes with every trap that they hold, and the authors' rules, applied line by line.

The rules are those of the converters that Nogueira et al. published with Anserini (Open Research; Citeomatic's DBLP
and PubMed), and of Citeomatic's own conversion of ClusCite's tables. Only a citation of the paper itself, which their
DBLP and PubMed converter leaves in training and development sets though it cannot be found, never counts here.
"""

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Record = dict[str, Any]
YEARS = {"dblp": (1966, 2007, 2008, 2011), "pubmed": (1966, 2008, 2009, 2013)}  # training, development, last of testing


@dataclass
class Expected:
    """What the rules give: gold by query of each part."""

    papers: set[str] = field(default_factory=set)
    gold: dict[str, dict[str, set[str]]] = field(default_factory=lambda: {"train": {}, "dev": {}, "test": {}})
    candidates: set[str] = field(default_factory=set)


def _words(rng: np.random.Generator, count: int) -> str:
    return " ".join(f"word{number}" for number in rng.zipf(1.3, count) % 997)


def open_research(path: Path, seed: int, count: int = 900) -> list[Record]:
    """Lines of papers-2017-02-21.json.gz."""
    rng = np.random.default_rng(seed)
    ids = [f"{number:040x}" for number in rng.permutation(count)]
    lines = []
    for id_ in ids:
        cited = rng.choice([*ids, *["f" * 40] * 30], rng.integers(0, 9)).tolist()
        if rng.random() < 0.1:
            cited += [id_, *cited[:1]]  # itself, and one twice
        line: Record = {
            "id": id_,
            "title": f"Paper {id_[-4:]} on {_words(rng, 4)}",
            "paperAbstract": "" if rng.random() < 0.15 else _words(rng, 30),
            "keyPhrases": [],
            "s2Url": f"https://semanticscholar.org/paper/{id_}",
            "pdfUrls": [],
            "authors": [{"name": "Ann Author", "ids": ["1"]}],
            "inCitations": rng.choice(ids, rng.integers(0, 4)).tolist(),  # no rule reads them
            "outCitations": cited,
            "venue": "",
        }
        if rng.random() > 0.08:
            line["year"] = int(rng.integers(1995, 2017))
        lines += [line] * (2 if rng.random() < 0.03 else 1)  # some lines come twice
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    return lines


def open_research_rules(lines: list[Record]) -> Expected:
    """All dated lines by year, 80/10/10; then those that cite nothing older or as old are no queries."""
    dated = sorted((line for line in lines if "year" in line), key=lambda line: line["year"])
    first = int(len(dated) * 0.8)
    second = first + (len(dated) - first) // 2
    train = {line["id"] for line in dated[:first]}
    dev = {line["id"] for line in dated[first:second]} - train
    years = {line["id"]: line["year"] for line in dated}
    expected = Expected(papers=set(years), candidates=set(years))
    for line in dated:
        cited = {c for c in line["outCitations"] if c in years and c != line["id"] and years[c] <= line["year"]}
        part = "train" if line["id"] in train else "dev" if line["id"] in dev else "test"
        if cited:
            expected.gold[part][line["id"]] = cited
    return expected


def cluscite(seed: int, count: int = 700) -> list[Record]:
    """Papers as ClusCite's tables hold them, some without an abstract and some of years that nobody takes."""
    rng = np.random.default_rng(seed)
    papers = []
    for number in rng.permutation(count).tolist():
        cited = {int(c) for c in rng.integers(0, count + 20, rng.integers(0, 40))} - {number}
        papers.append({
            "id": str(number),
            "title": f"paper {number} on {_words(rng, 4)}",
            "abstract": "" if rng.random() < 0.1 else _words(rng, 30),
            "year": int(rng.choice([1950, 1965, *range(1966, 2015), *list(range(2000, 2014)) * 3])),
            "cited": [str(c) for c in cited],
        })  # fmt: skip
    return papers


def write_tables(papers: list[Record], folder: Path) -> None:
    """ClusCite's tables; the line of a paper without an abstract has its id alone."""
    folder.mkdir(parents=True)
    tables = {
        "papers.txt": [f"{p['id']}\tkey/{p['id']}\t{p['year']}\t{p['title']}" for p in papers],
        "abstracts.txt": [f"{p['id']}\t{p['abstract']}".rstrip() for p in papers],
        "paper_paper.txt": [f"{p['id']}\t{cited}" for p in papers for cited in p["cited"]],
        "paper_author.txt": [f"{p['id']}\tAnn Author" for p in papers],
        "paper_venue.txt": [f"{p['id']}\tKDD" for p in papers],
        "paper_keyphrases.txt": [f"{p['id']}\trandom walk 0.5" for p in papers],
    }
    for name, lines in tables.items():
        (folder / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def write_corpus_json(papers: list[Record], path: Path) -> None:
    """What Citeomatic made of them: no paper without an abstract, and no citation of one."""
    without = {p["id"] for p in papers if not p["abstract"]}
    path.parent.mkdir(parents=True)
    with path.open("w", encoding="utf-8") as file:
        for p in papers:
            if p["id"] not in without:
                cited = [c for c in p["cited"] if c not in without]
                record = {
                    "title": p["title"], "abstract": p["abstract"], "authors": ["Ann Author"], "out_citations": cited,
                    "year": p["year"], "id": p["id"], "venue": "KDD", "in_citation_count": 0,
                    "out_citation_count": len(cited), "key_phrases": [], "title_raw": p["title"].title(),
                    "abstract_raw": p["abstract"].title(), "date": None,
                }  # fmt: skip
                file.write(json.dumps(record) + "\n")


def cluscite_rules(papers: list[Record], name: str) -> Expected:
    """By Citeomatic's years; what development papers cite counts whatever it is, what test papers cite is choosy."""
    first, last_train, dev, last = YEARS[name]
    kept = {p["id"]: p["year"] for p in papers if p["abstract"] and first <= p["year"] <= last}
    expected = Expected(papers=set(kept), candidates={id_ for id_, year in kept.items() if year <= last_train})
    for p in papers:
        if p["id"] not in kept:
            continue
        cited = {c for c in p["cited"] if c in kept}
        part = "train" if p["year"] <= last_train else "dev" if p["year"] == dev else "test"
        if part == "test":
            cited = {c for c in cited if kept[c] <= p["year"]} & expected.candidates
            if len(cited) < 10:
                continue
        if cited:
            expected.gold[part][p["id"]] = cited
    return expected

"""Memory does not grow with the file: the peak of a tenfold file stays that of the small one."""

import json
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from indexer.readers import ReadReport, read_papers

from .samples import ARXIV, OPENALEX_WORK, S2ORC

SMALL, LARGE = 20_000, 200_000  # records
MOST_GROWTH_KIB = 40_000  # a fraction of every large file; the joining formats fill the cache of their database
TEXT = "Words of an abstract that is as long as many are. " * 6


def lines(make):
    return lambda number: json.dumps(make(number)) + "\n"


ONE_FILE = {  # start, record by number, end
    "jsonl": ("", lines(lambda i: {"id": i, "title": "T", "abstract": TEXT, "citations": [i - 1, i - 2]}), ""),
    "citeomatic": ("", lines(lambda i: {"id": i, "title": "T", "abstract": TEXT, "out_citations": [str(i - 1)]}), ""),
    "s2_2017": ("", lines(lambda i: {"id": i, "title": "T", "paperAbstract": TEXT, "outCitations": [str(i - 1)]}), ""),
    "beir": ("", lines(lambda i: {"_id": i, "title": "T", "text": TEXT, "metadata": {}}), ""),
    "s2orc": ("", lines(lambda i: S2ORC | {"paper_id": i, "abstract": TEXT}), ""),
    "openalex": ("", lines(lambda i: OPENALEX_WORK | {"id": f"https://openalex.org/W{i}"}), ""),
    "arxiv": (
        "",
        lines(lambda i: json.loads(ARXIV.replace("\\\\", "")) | {"id": f"{i % 9000 + 1000}.{i:05d}", "abstract": TEXT}),
        "",
    ),
    "aminer_json": (
        "[",
        lambda i: '{"_id": "%d", "title": "T", "n_citation": NumberInt(1), "abstract": "%s"},\n' % (i, TEXT),  # noqa: UP031
        '{"_id": "last", "title": "T"}]',
    ),
    "csl_json": (
        "[",
        lambda i: json.dumps({"id": i, "type": "book", "title": "T", "abstract": TEXT}) + ",",
        '{"id": "last", "title": "T"}]',
    ),
    "aminer_text": ("", lambda i: f"#*T\n#@A;B\n#t2000\n#index{i}\n#%1\n#!{TEXT}\n\n", ""),
    "ris": ("", lambda i: f"TY  - JOUR\nID  - {i}\nTI  - T\nAB  - {TEXT}\nER  - \n", ""),
    "bibtex": ("", lambda i: f"@article{{k{i}, title={{T}}, year=2000, abstract={{{TEXT}}}}}\n", ""),
    "pubmed": (
        "<PubmedArticleSet>",
        lambda i: (
            f"<PubmedArticle><MedlineCitation><PMID>{i}</PMID><Article><ArticleTitle>T</ArticleTitle><Abstract>"
            f"<AbstractText>{TEXT}</AbstractText></Abstract></Article></MedlineCitation></PubmedArticle>\n"
        ),
        "</PubmedArticleSet>",
    ),
}
SEVERAL_FILES = {
    "s2ag": {
        "papers.jsonl": lines(lambda i: {"corpusid": i, "externalids": {}, "title": "T"}),
        "abstracts.jsonl": lines(lambda i: {"corpusid": i, "openaccessinfo": {}, "abstract": TEXT}),
        "citations.jsonl": lines(lambda i: {"citingcorpusid": str(i), "citedcorpusid": str(i // 2)}),
    },
    "cluscite": {
        "papers.txt": lambda i: f"{i}\tk\t2001\tT\n",
        "abstracts.txt": lambda i: f"{i}\t{TEXT}\n",
        "paper_paper.txt": lambda i: f"{i}\t{i // 2}\n",
    },
}


def write_large(folder, name, count):
    folder.mkdir()
    start, record, end = ONE_FILE.get(name, ("", None, ""))
    for path, make in SEVERAL_FILES.get(name, {"file": record}).items():
        with (folder / path).open("w", encoding="utf-8") as file:
            file.write(start)
            file.writelines(make(number) for number in range(count))
            file.write(end)
    return str(folder)


def read_all(source, count):
    """Read a source in this process and tell its peak; to be run in a process of its own."""
    report = ReadReport()
    read = sum(1 for _ in read_papers([source], report=report))
    assert read >= count
    assert report.skipped == 0
    status = Path("/proc/self/status").read_text("utf-8")
    return int(re.search(r"VmHWM:\s+(\d+) kB", status).group(1))


def peak_kib(source, count):
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        return fresh.submit(read_all, source, count).result()


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ONE_FILE, *SEVERAL_FILES])
def test_peak_does_not_grow_with_the_file(tmp_path, name):
    before = peak_kib(write_large(tmp_path / "small", name, SMALL), SMALL)
    after = peak_kib(write_large(tmp_path / "large", name, LARGE), LARGE)
    assert after - before < MOST_GROWTH_KIB

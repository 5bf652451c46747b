"""The page against the comparison and an HTML parser."""

import gzip
import json
import lzma
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command_line import refused, run, run_alone
from report_pages import NAMES, Balanced, Element, check_whole, files, texts_of

from eval.comparison import compare, markdown, score_files
from eval.report.content import as_json, make_report
from eval.report.measured import read_measured
from eval.report.page import html
from eval.trec import read_qrels


def test_the_table_is_that_of_the_comparison(split: Path, page: Element) -> None:
    qrels, _ = read_qrels(split / "test.qrels")
    expected = markdown(compare(score_files(qrels, files(split)))).splitlines()
    table = page.by_id("comparison")
    rows = [[cell.text for cell in row.children] for row in table.all("tr")]
    assert rows[0] == [cell.strip() for cell in expected[0].strip("|").split("|")]
    assert rows[1:] == [[cell.strip() for cell in line.strip("|").split("|")] for line in expected[2:]]
    best = max(line[1] for line in rows[1:])
    assert next(cell.text for cell in table.all("td") if "class" in cell.attributes) == best


def test_all_that_the_split_counts_is_shown(split: Path, page: Element) -> None:
    counts = json.loads((split / "split.json").read_bytes())["counts"]
    shown = [row.all("td")[0].text for table in page.all("table") for row in table.all("tr")[1:] if _counts(table)]
    qrels, without_gold = read_qrels(split / "test.qrels")
    here = [len(qrels), sum(map(len, qrels.values())), len(without_gold)]
    assert sorted(shown) == sorted(f"{count:,}" for count in [*counts.values(), *here])


def _counts(table: Element) -> bool:
    return "counts" in (table.attributes.get("class") or "")


def test_another_baseline_is_compared_with(split: Path) -> None:
    made = make_report(read_measured(split, "test"), "dense", seed=7)
    qrels, _ = read_qrels(split / "test.qrels")
    rows = compare(score_files(qrels, files(split)), "dense", seed=7)
    assert [system.row for system in made.systems] == rows
    root = Balanced(html(made)).root
    assert "The baseline is dense." in root.text
    assert [row.all("td")[-1].text == "" for row in root.by_id("comparison").all("tr")[1:]] == [False, True, False]


@pytest.mark.parametrize(("ending", "compress"), [("gz", gzip.compress), ("xz", lzma.compress)])
def test_compressed_runs_are_reported_of(
    split: Path, tmp_path: Path, ending: str, compress: Callable[[bytes], bytes]
) -> None:
    copied = tmp_path / "split"
    shutil.copytree(split, copied)
    first = copied / "runs" / "test" / f"{NAMES[0]}.trec"
    first.with_name(f"mine.trec.{ending}").write_bytes(compress(first.read_bytes()))
    measured = read_measured(copied, "test").systems
    assert list(measured) == [*NAMES, "mine"]
    assert measured["mine"].scores.summary() == measured[NAMES[0]].scores.summary()


def test_hostile_texts_are_only_text(split: Path, page: Element) -> None:
    raw = html(make_report(read_measured(split, "test")))
    assert not page.all("script") and not page.all("i")
    assert "\u2028" not in raw
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in raw
    # What the title says is seen as it stands, template syntax too, in an element that keeps its direction inside.
    shown = [bdi.text for article in page.all("article") for bdi in article.all("bdi")]
    assert shown
    assert all('<script>alert(1)</script> "q"' in text and "{{ 7 * 7 }}" in text for text in shown)
    assert NAMES[2] in [cell.text for cell in page.by_id("comparison").all("th")]
    # matplotlib does not take it for mathematics.
    assert NAMES[2] in [text for picture in page.all("img") for text in texts_of(picture)]
    assert page.all("title")[0].text.endswith(".jsonl, test")


def test_the_page_needs_nothing_else(page: Element) -> None:
    check_whole(page)
    policy = next(e.attributes["content"] or "" for e in page.all("meta") if "http-equiv" in e.attributes)
    assert policy.startswith("default-src 'none';") and "img-src data:" in policy  # or no browser shows the pictures
    style = "".join(e.text for e in page.all("style"))
    assert "url(" not in style and "@import" not in style
    assert len(page.all("style")) == 1


def test_tables_and_pictures_can_be_heard(page: Element) -> None:
    assert page.all("table")
    pictures = page.all("img")
    assert len(pictures) == 4 + 2  # recall, F1, by gold, by time; two systems against the baseline
    for picture in pictures:
        assert len(picture.attributes["alt"] or "") > 40
        assert texts_of(picture)
    levels = [int(e.tag[1]) for e in page.all_elements() if e.tag in {"h1", "h2", "h3", "h4"}]
    assert levels[0] == 1 and all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.long
def test_the_same_runs_give_the_same_bytes(split: Path, tmp_path: Path) -> None:
    here = html(make_report(read_measured(split, "test"))).encode()
    # Another process, other hashes, and a user who likes large letters.
    (tmp_path / "matplotlibrc").write_text("font.size: 20\nsvg.fonttype: path\nxtick.major.size: 9\n")
    environment = {"PYTHONHASHSEED": "5", "MATPLOTLIBRC": str(tmp_path / "matplotlibrc"), "TZ": "Asia/Tokyo"}
    out, figures = tmp_path / "report.html", tmp_path / "report.json"
    done = run_alone("eval", "report", split, "--out", out, "--json", figures, **environment)
    assert done.code == 0, done.err
    assert done.out.split() == [str(out), str(figures)]
    assert out.read_bytes() == here
    assert json.loads(figures.read_bytes()) == json.loads(
        json.dumps(as_json(make_report(read_measured(split, "test"))))
    )


def test_json_has_the_figures_of_the_comparison(split: Path) -> None:
    qrels, _ = read_qrels(split / "test.qrels")
    scored = score_files(qrels, files(split))
    found = json.loads(json.dumps(as_json(make_report(read_measured(split, "test")))))
    assert list(found["systems"]) == list(NAMES)
    for row in compare(scored):
        system = found["systems"][row.name]
        assert {name: one["value"] for name, one in system["figures"].items()} == {
            name: one.value for name, one in row.figures.items()
        }
        means = scored[row.name].summary()
        places = {depth: place for place, depth in enumerate(found["depths"])}
        for depth, recall in ((20, means.recall_at_20), (100, means.recall_at_100), (1000, means.recall_at_1000)):
            assert system["recall_by_depth"][places[depth]] == pytest.approx(recall)
        assert system["f1_by_cutoff"][found["cutoffs"].index(20)] == pytest.approx(means.f1_at_20)
        assert system["unanswered"] == row.unanswered
        if row.against:
            assert system["against_baseline"]["p_holm"] == row.adjusted_p
            assert np.mean(system["against_baseline"]["differences"]) == pytest.approx(
                means.f1_at_20_per_query - scored["BM25"].summary().f1_at_20_per_query
            )
    assert sum(group["queries"] for group in found["groups"]) == found["queries"] == len(qrels)
    assert found["systems"]["BM25"]["seconds"] is None  # none were kept of it
    assert found["split"] == json.loads((split / "split.json").read_bytes())


@pytest.mark.parametrize("read", ["split.json", "test.qrels", "runs/test/{}.trec"])
def test_what_is_reported_of_is_never_written_over(split: Path, tmp_path: Path, read: str) -> None:
    file = split / read.format(files(split)[0].stem)
    before = file.read_bytes()
    for options in (("--out", file), ("--out", tmp_path / "page.html", "--json", file)):
        said = refused("eval", "report", split, *options)
        assert f"cannot write {file}: it is one of the files that are read" in said
    assert file.read_bytes() == before
    assert not (tmp_path / "page.html").exists()


def test_page_and_figures_are_two_files_outside_of_any_index(split: Path, tmp_path: Path) -> None:
    out, index = tmp_path / "report", tmp_path / "index"
    (index / "gen-000001").mkdir(parents=True)
    (index / "CURRENT").write_text("gen-000001")
    for options in (("--out", index / "CURRENT"), ("--out", out, "--json", index / "CURRENT")):
        assert f"{index} is an index directory" in refused("eval", "report", split, *options)
    assert (index / "CURRENT").read_text() == "gen-000001"
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    for same in (out, tmp_path / "link" / "report"):
        ended = run("eval", "report", split, "--out", out, "--json", same)
        assert (ended.code, "--out and --json name the same file" in ended.err) == (2, True)
    assert "there is no folder" in refused("eval", "report", split, "--out", tmp_path / "no" / "report.html")
    assert not out.exists()

"""Records of experiments: read as they were written, shown on a page, and what becomes of damaged ones."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from command_line import refused
from experiment_tools import ROOT, inputs_of
from report_pages import HOSTILE, Balanced, Element, check_whole, texts_of

from cli.eval import command as eval_command
from cli.main import main
from eval.experiments.base import Experiment
from eval.experiments.findings import Findings, Measured, Panel, rows_of
from eval.experiments.report import markdown, read_records, write_report
from eval.metrics import MEASURES, QueryScores

RECORDS = ROOT / "docs" / "records"
HOSTILE_ROW = f"{HOSTILE} $x^2$"


def made_up(seed: int, corpora: tuple[str, ...] = ("one", "two"), timed: bool = False) -> Findings:
    """Findings of three variants that answer by chance."""
    rng = np.random.default_rng(seed)
    measured = {
        variant: Measured(
            {
                corpus: QueryScores(
                    tuple(f"q{n:02}" for n in range(20)), {measure: rng.random(20) for measure in MEASURES}
                )
                for corpus in corpora
            },
            seconds=0.25 if timed else None,
        )
        for variant in ("plain", HOSTILE_ROW, "third")
    }
    rows = rows_of(measured, ("F1@20", "MRR"), "third")
    published = {
        "A & B": {"plain": {"F1@20": 0.123, "MRR": 0.456}},
        "C": {"elsewhere": {"CLS": 0.844, "USR": 0.5}, "third": {"CLS": 0.71, "USR": 0.3}},
    }
    return Findings(rows, dict.fromkeys(corpora, 20), (), published, (f"A note: {HOSTILE}",))


def write(folder: Path, findings: Findings, name: str = "fancy") -> None:
    experiment = Experiment(name, "Which <b>variant</b>?", lambda _: findings, ("bases", "steps"))
    folder.mkdir(parents=True, exist_ok=True)
    inputs = inputs_of(folder, folder / "index", bases=("x", "y"), newest=7)
    panel = Panel("points", ("a",), {"s": [findings.rows[0].figures["F1@20"]]}, "F1@20")
    write_report(experiment, inputs, replace(findings, panels=(panel,)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    write(folder / "ten", made_up(1))
    write(folder / "union", made_up(2, ("union",), timed=True))
    write(folder / "ten", made_up(3), "another")
    model = folder / "ten" / "base-models" / "1-seed-0"
    model.mkdir(parents=True)
    (model / "config.json").write_text('{"architectures": ["Bert"]}')
    return folder


@pytest.fixture(scope="module")
def page(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Element:
    out = tmp_path_factory.mktemp("page") / "page.html"
    main(["eval", "report", "--experiments", str(folder), "--out", str(out)])
    again = out.with_name("again.html")
    main(["eval", "report", "--experiments", str(folder), "--out", str(again)])
    assert out.read_bytes() == again.read_bytes()
    return Balanced(out.read_text("utf-8")).root


def test_records_are_read_as_they_were_written(folder: Path) -> None:
    found = read_records(folder)
    assert [(one.experiment, one.place) for one in found] == [
        ("another", "ten/another.json"),
        ("fancy", "ten/fancy.json"),
        ("fancy", "union/fancy.json"),
    ]
    assert [one.findings for one in found] == [made_up(3), made_up(1), made_up(2, ("union",), timed=True)]
    assert found[0].options == {"bases": ["x", "y"], "steps": 100}
    assert (found[0].seed, found[0].newest) == (3, 7)


def test_the_tables_are_those_of_the_command(folder: Path, page: Element) -> None:
    tables = [table for table in page.all("table") if table.attributes.get("class") == "figures"]
    records = read_records(folder)
    assert len(tables) == len(records) == 3
    for table, record in zip(tables, records, strict=True):
        lines = markdown(record.findings).split("\n")
        expected = [lines[0], *(line for line in lines[2:] if line.startswith("|"))]
        assert len(expected) == 1 + len(record.findings.rows) + 1
        assert expected[-1].startswith("| elsewhere | not measured |")
        assert expected[-1].endswith("| 0.844 0.500 |")
        shown = [[cell.text for cell in row.children] for row in table.all("tr")]
        assert shown == [[" ".join(cell.split()) for cell in line.strip("|").split("|")] for line in expected]


def test_the_best_of_every_record_is_shown_at_a_glance(folder: Path, page: Element) -> None:
    rows = page.by_id("glance").all("tr")[1:]
    for row, record in zip(rows, read_records(folder), strict=True):
        highest = max(record.findings.rows, key=lambda one: one.figures["F1@20"].value)
        cells = [cell.text for cell in row.children]
        assert cells[0] == record.experiment
        assert cells[2] == " ".join(highest.name.split())
        assert cells[3].startswith(f"{highest.figures['F1@20'].value:.3f} [")
        target = row.all("a")[0].attributes["href"].removeprefix("#")
        assert page.by_id(target).text == cells[1]
    assert [row.children[1].text for row in rows] == [
        "2 corpora, 40 queries",
        "2 corpora, 40 queries",
        "union, 20 queries",
    ]


def test_seeds_options_and_corpora_are_reported(page: Element) -> None:
    output = [(row.all("dt")[0].text, row.all("dd")[0].text) for row in page.all("div") if row.all("dt")]
    assert output.count(("Seed", "3; drawn from 7 times as many of the newest papers")) == 3
    assert output.count(("bases", "x, y")) == output.count(("steps", "100")) == 3
    assert ("Queries", "one 20, two 20") in output
    assert ("Record", "union/fancy.json") in output
    assert [one.text for one in page.all("h2")] == ["All at a glance", "Which <b>variant</b>?", "Which <b>variant</b>?"]


def test_the_page_is_safe_whole_and_can_be_heard(page: Element) -> None:
    check_whole(page)
    assert not page.all("i") and not page.all("b")
    pictures = page.all("img")
    assert len(pictures) == 3
    for picture in pictures:
        assert "plain 0." in (picture.attributes["alt"] or "")
        assert any("$x^2$" in text for text in texts_of(picture))


def test_figures_by_corpus_are_shown_where_there_are_several(folder: Path, page: Element) -> None:
    assert len(page.all("details")) == 2
    for table, record in zip((d.all("table")[0] for d in page.all("details")), read_records(folder), strict=False):
        for row, found in zip(table.all("tr")[1:], record.findings.rows, strict=True):
            assert [cell.text for cell in row.children[1:]] == [
                f"{figures['F1@20']:.3f}" for figures in found.by_corpus.values()
            ]


# --- mistakes


def fails(folder: Path) -> str:
    return refused("eval", "report", "--experiments", folder, "--out", folder.parent / "page.html")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda record: record.pop("rows"), "'rows' is missing"),
        (lambda record: record["rows"][0]["figures"]["MRR"].pop("low"), "'low' is missing"),
        (lambda record: record["rows"][1]["figures"].pop("MRR"), "has other figures than the first"),
        (lambda record: record["rows"][1]["by_corpus"].pop("one"), "has other corpora than were asked"),
        (lambda record: record["rows"].clear(), "it has no row"),
        (lambda record: record["rows"][0].pop("against"), "is the baseline"),
        (lambda record: record.update(queries=[1, 2]), "not a record of an experiment"),
        (lambda record: record["rows"][0]["figures"].update(MRR="high"), "not a record of an experiment"),
        (lambda record: [row["figures"].pop("F1@20") for row in record["rows"]], "no F1@20 in its rows"),
    ],
)
def test_damaged_records_are_named(folder: Path, tmp_path: Path, damage, message: str) -> None:
    record = json.loads((folder / "ten" / "fancy.json").read_bytes())
    damage(record)
    (tmp_path / "fancy.json").write_text(json.dumps(record))
    error = fails(tmp_path)
    assert str(tmp_path / "fancy.json") in error
    assert message in error


def test_folders_without_records_are_refused(tmp_path: Path) -> None:
    assert "no record of an experiment in" in fails(tmp_path)
    (tmp_path / "half.json").write_text('{"experiment":')
    assert "half.json is damaged" in fails(tmp_path)
    assert "is not a folder" in fails(tmp_path / "nowhere")


def test_a_page_is_of_a_split_or_of_experiments(folder: Path) -> None:
    runner = CliRunner()
    for arguments, message in (
        ([], "give a SPLIT, or --experiments FOLDER"),
        ([str(folder), "--experiments", str(folder)], "give a SPLIT, or --experiments FOLDER"),
        (["--experiments", str(folder), "--baseline", "BM25"], "--baseline goes with a SPLIT"),
        (["--experiments", str(folder), "--json", "x.json"], "--json goes with a SPLIT"),
    ):
        result = runner.invoke(eval_command, ["report", "--out", "never.html", *arguments])
        assert result.exit_code == 2
        assert message in result.output
    assert not Path("never.html").exists()


# --- what is written down


def test_tables_of_the_findings_are_those_of_the_records() -> None:
    lines = {line for record in read_records(RECORDS) for line in markdown(record.findings).split("\n")}
    tables = re.findall(
        r"^\| variant .*\n(?:\|.*\n)+", (ROOT / "docs" / "findings.md").read_text("utf-8"), re.MULTILINE
    )
    assert len(tables) > 5
    for table in tables:
        assert [line for line in table.splitlines() if line not in lines] == []


def test_what_the_records_note_stands_in_the_findings() -> None:
    findings = (ROOT / "docs" / "findings.md").read_text("utf-8")
    notes = {note for record in read_records(RECORDS) for note in record.findings.notes}
    assert len(notes) > 5
    assert sorted(note for note in notes if note not in findings) == []
    for leakage in ("findings.md", "evaluation.md"):  # what an encoder has read is no secret of its model card
        output = " ".join((ROOT / "docs" / leakage).read_text("utf-8").split())
        assert "169 million citation pairs of S2ORC and on SPECTER's triplets" in output

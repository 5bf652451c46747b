"""The documents against the program: commands, links, and the generated reference."""

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys

import click
import pytest
from command_line import printed_by
from documented import DOCUMENTS, ROOT, Shown, check_options, is_whole, shown_in

from cli.main import citescout, main

_OLD = "import sys; sys.version_info = (3, 10, 12); "
LINK = re.compile(r"\]\(([^)\s]+)\)")
SHOWN = [shown for document in DOCUMENTS for shown in shown_in(document)]
OURS = [shown for shown in SHOWN if shown.program in ("citescout", "recommend")]


@pytest.mark.parametrize("shown", OURS, ids=lambda shown: f"{shown.document}: {shown.text}")
def test_a_command_of_the_documents_has_the_options_that_it_is_given(shown):
    check_options(shown)


def test_the_check_notices_options_and_commands_that_do_not_exist():
    def check(text):
        check_options(Shown("example.md", text, in_block=True))

    check("recommend x --index d")
    with pytest.raises(click.NoSuchOption):
        check("citescout recommend x --index d --no-such")
    with pytest.raises(click.UsageError, match="no command"):
        check("citescout cites")
    with pytest.raises(click.UsageError, match="missing"):
        check("citescout info")
    assert len(OURS) > 40


@pytest.mark.parametrize("name", ["citescout", "citescout index", "python", "pip", "make"])
def test_a_name_in_running_text_is_no_command(name):
    assert not is_whole(Shown("example.md", name, in_block=False))


def test_make_targets_of_the_documents_exist():
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {word for shown in SHOWN if shown.program == "make" for word in shown.arguments if "=" not in word}
    assert {"demo", "test", "lint"} <= named
    assert named <= targets


def test_make_begins_no_environment_with_a_python_that_is_too_old(tmp_path):
    for name in ("Makefile", "setup.py", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    old = tmp_path / "python3.10"  # says so, and would make an environment
    old.write_text(f'#!/bin/sh\n[ "$1" = -c ] || exec mkdir .venv\nexec {shlex.quote(sys.executable)} -c "{_OLD}$2"\n')
    old.chmod(0o755)
    command = ["make", "demo", "PYTHON=./python3.10"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)  # noqa: S603
    assert ended.returncode
    assert "./python3.10 is older than Python 3.11: name a newer one, such as make PYTHON=" in ended.stderr
    assert not (tmp_path / ".venv").exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_lead_to_files_and_headings(document):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        name, _, heading = target.partition("#")
        file = document.parent / name if name else document
        assert file.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings]
            assert heading in slugs, target


def test_the_reference_of_the_commands_is_up_to_date():
    reference = runpy.run_path(str(ROOT / "docs" / "cli_reference.py"))["reference"]
    assert (ROOT / "docs" / "cli.md").read_text(encoding="utf-8") == reference(), "run `make docs`"


def test_the_reference_describes_every_option_or_leads_to_where_it_is_described():
    commands = runpy.run_path(str(ROOT / "docs" / "cli_reference.py"))["commands"]
    sections = dict(
        section.split("\n", 1) for section in (ROOT / "docs" / "cli.md").read_text(encoding="utf-8").split("\n## ")[1:]
    )
    described = {path: set(re.findall(r"^\| `(-[^ `,]+)", text, re.MULTILINE)) for path, text in sections.items()}
    for command, context in commands(citescout, click.Context(citescout, info_name="citescout")):
        path, (_, _, named) = context.command_path, sections[context.command_path].partition("\nAs for [")
        there = described.get(named.split("]")[0], set()) & set(re.findall(r"`([^`]+)`", named))
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                assert {*described[path], *there} & {*option.opts, *option.secondary_opts}, (path, option.opts)


@pytest.fixture
def examples():
    """The modules that CONTRIBUTING.md shows, by the name of their main thing; registered for one test only."""
    from eval.baselines.base import registered
    from eval.baselines.registry import baselines
    from eval.experiments import base as experiments
    from exports import FORMATS
    from exports.base import registered as formats

    # Those that ship register themselves once a process, and have to stay.
    assert baselines() and experiments.experiments() and FORMATS
    tables = (registered, formats, experiments._experiments)
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    before = [dict(table) for table in tables]
    modules = []
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL)):
        modules.append({"__name__": f"example{number}"})
        exec(compile(block, f"CONTRIBUTING.md, {number}", "exec", dont_inherit=True), modules[-1])  # noqa: S102
    yield modules
    for table, kept in zip(tables, before, strict=True):
        table.clear()
        table.update(kept)


def test_the_reader_that_is_shown_reads_and_is_reported_by_content(examples, tmp_path, monkeypatch):
    from indexer.readers import base, read_papers

    every = [examples[0]["EMBASE"], *base.readers()]
    monkeypatch.setattr(base, "readers", lambda: every)
    file = tmp_path / "export"
    file.write_text(
        '"Title","Author Names","Source title","Date of Publication","DOI","Embase Accession ID","Abstract"\n'
        '"Notes, ""annotated""","Lovelace A.; Babbage C.","Memoirs","May 1843","10.1000/n","L200","On the\nengine."\n',
        encoding="utf-8",
    )
    (paper,) = read_papers([str(file)], strict=True)
    assert (paper.id, paper.title, paper.abstract) == ("L200", 'Notes, "annotated"', "On the engine.")
    assert (paper.year, paper.authors, paper.venue) == (1843, ("Lovelace A.", "Babbage C."), "Memoirs")
    assert paper.doi == "10.1000/n"


def test_the_encoder_that_is_shown_is_one(examples):
    import numpy as np

    from encoders.base import Encoder
    from encoders.text import Text

    made: Encoder = examples[1]["HashedWords"]()
    vectors = made.encode([Text("graph ranking", "of papers"), Text("ranking papers", ""), Text("雪", "")])
    assert vectors.shape == (3, made.dimension)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert {name for name in vars(Encoder) if not name.startswith("_")} <= set(dir(made))


def test_the_setting_that_is_shown_is_an_option_and_a_field_of_the_api(examples):
    import click
    from pydantic import TypeAdapter

    from cli.setting_options import option_of
    from common.errors import QueryError
    from common.schema import fields_of
    from webui.api_types import request_of

    shown = examples[3]["Settings"]
    with pytest.raises(QueryError, match="min_score must be from 0 to 100, not 101"):
        shown(min_score=101)
    field = dict(fields_of(shown, where="command line"))["min_score"]
    (option,) = click.command()(option_of("min_score", field)(lambda **_: None)).params
    assert (option.opts, option.metavar, option.help) == (["--min-score"], "PER CENT", field.description)
    properties = TypeAdapter(request_of("Shown", "As shown.", (shown,))).json_schema()["properties"]
    assert properties["min_score"]["anyOf"][0] == {"type": "number", "minimum": 0, "maximum": 100}


def test_the_baseline_that_is_shown_ranks(examples):
    import numpy as np

    from encoders.text import Text
    from eval.baselines.base import Setup
    from eval.baselines.registry import find_baselines

    (baseline,) = find_baselines(["shared-words"])
    ranker = baseline.make(Setup())
    ranker.fit([Text("the rain", ""), Text("rain in spain", ""), Text("plain", "")])
    (hits,) = ranker.rank([Text("rain spain", "")], np.ones((1, 3), bool), 2)
    assert hits.docids.tolist() == [1, 0]
    assert hits.scores[0] == pytest.approx(2 / 3)


def test_the_export_format_that_is_shown_writes_every_paper_once(examples):
    import io

    from citescout import Paper, Query
    from citescout.recommendation import Answer, Reasons, Recommendation
    from exports.base import registered

    assert examples[4]["__doc__"]
    papers = [Paper("a", "One", doi="10.1000/one"), Paper("b", "Two"), Paper("c", "Three", doi="10.1000/three")]
    nothing = Reasons((), (), (), None)
    found = tuple(Recommendation(rank, 1.0, paper, nothing) for rank, paper in enumerate(papers, start=1))
    stream = io.StringIO()
    registered["dois"].write([Answer(Query("x"), found), Answer(Query("y"), found[:1])], stream)
    assert stream.getvalue() == "10.1000/one\n10.1000/three\n"


def test_the_feature_that_is_shown_is_a_column(examples, demo_index):
    import numpy as np

    from citescout import Query, Recommender
    from rerank.features import FEATURES, Candidates, words

    feature = examples[5]["CITED_BY_SEEDS"]
    assert feature.name not in {one.name for one in FEATURES}
    assert feature.group in {one.group for one in FEATURES}
    query = Query(title="Attention for translation", abstract="Networks that translate by attention alone.")
    with Recommender.open(demo_index, reranker="none") as recommender:
        pool = recommender.pool(query)
    column = feature.values(Candidates(pool, query.text, 2020, [words(query.title)] * len(pool)))
    assert column.shape == (len(pool),)
    np.testing.assert_array_equal(column, pool.votes[:, 0])
    assert column.any()


@pytest.mark.long
def test_with_the_feature_lists_stay_until_a_blend_is_trained_that_knows_it(demo_index, tmp_path):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n([^`]*CITED_BY_SEEDS = .*?)```", text, re.DOTALL)
    # As if the entry stood in the table: whatever reads it is imported afterwards, so in a process of its own.
    edited = f"""{example}
import json
import sys
import rerank.features as table
table.FEATURES += (CITED_BY_SEEDS,)
table.NAMES += (CITED_BY_SEEDS.name,)
from cli.main import citescout, main
for arguments in sys.argv[1:]:
    main(json.loads(arguments))
"""
    query, blend = tmp_path / "query.txt", tmp_path / "learned.json"
    query.write_text("Neural citation recommendation\n\nNetworks rank what a paper may cite.\n")
    before, after, learned = (tmp_path / f"{name}.trec" for name in ("before", "after", "learned"))

    def recommend(out, *options):
        asked = ("recommend", query, "--index", demo_index, "--format", "trec", "--out", out, *options)
        return [str(part) for part in asked]

    train = ["train", "blend", "--queries", "12", "--index", str(demo_index), "--out", str(blend)]
    commands = (recommend(after), train, recommend(learned, "--blend", blend))
    printed_by(edited, *map(json.dumps, commands))
    main(recommend(before))
    assert before.read_text().count("\n") == 20
    assert after.read_text() == before.read_text()
    assert json.loads(blend.read_bytes())["trees"]["names"][-1] == "cited_by_seeds"
    assert learned.read_text() != before.read_text()


def test_the_metric_that_is_shown_is_that_of_trec_eval(examples):
    from eval.metrics import score_queries

    metric = examples[6]["HIT"]
    qrels = {"q1": frozenset({"a"}), "q2": frozenset({"b"})}
    others = [f"p{number}" for number in range(10)]
    scores = score_queries(qrels, {"q1": [*others[:9], "a"], "q2": [*others, "b"]}, metric.measures)
    assert metric.of({name: values.mean() for name, values in scores.values.items()}) == 0.5


def test_the_experiment_that_is_shown_measures(examples, demo_index, tmp_path):
    from eval.experiments.base import Inputs, experiments
    from eval.experiments.report import write_report

    assert examples[7]["__doc__"]
    inputs, shown = Inputs((demo_index,), tmp_path, queries=6), experiments()["diversity"]
    found = shown.run(inputs)
    assert [row.name for row in found.rows] == ["diversity 0.0", "diversity 0.3"]
    assert all(0 < row.figures["MRR"].value <= 1 for row in found.rows)
    assert "| diversity 0.3 |" in write_report(shown, inputs, found)


def test_the_command_that_is_shown_counts(examples, demo_index):
    from click.testing import CliRunner

    from demo import CORPUS
    from indexer.readers import read_papers

    shown = CliRunner().invoke(examples[8]["command"], ["--index", str(demo_index)])
    assert shown.exit_code == 0, shown.output
    counts = {int(year): int(papers) for year, papers in (line.split() for line in shown.output.splitlines())}
    years = [paper.year for paper in read_papers([str(CORPUS)])]
    assert counts == {year: years.count(year) for year in set(years)}

import json

import pytest

from common.errors import SourceError

from .helpers import read, write
from .samples import CSL_YAML


def items_of(papers):
    return {id_: json.loads(paper.original.text) for id_, paper in papers.items()}


def test_fields_are_read_and_dates_are_those_of_csl(tmp_path):
    papers, _ = read(write(tmp_path / "library.yaml", CSL_YAML))
    paper = papers["bergWaves2009"]
    assert (paper.title, paper.abstract) == ('On waves: "a study"', "Of waves: one aim. - not an item")
    assert (paper.authors, paper.year) == (("Jan van der Berg", "The Group"), 2009)
    assert (paper.venue, paper.doi) == ("Acta", "10.1000/csl")
    items = items_of(papers)
    assert items["bergWaves2009"]["issued"] == {"date-parts": [[2009, 3]]}
    assert items["bergWaves2009"]["accessed"] == {"date-parts": [[2024, 3, 14]]}
    assert items["bergWaves2009"]["page"] == "10:23"
    assert items["doe2010"]["issued"] == {"date-parts": [[2010, 5, 1]]}
    assert (papers["doe2010"].title, papers["doe2010"].year) == ("No waves at all", 2010)


@pytest.mark.parametrize(
    "text",
    [
        "- id: a\n  type: book\n  title: No\n  issued: 2001\n- id: b\n  title: B\n",
        "references:\n  - id: a\n    title: No\n    issued: {year: 2001}\n  - id: b\n    title: B\nnocite: '@*'\n",
        "references: [{id: a, title: No, issued: 2001}, {id: b, title: B}]\n",
        "title: Notes\nreferences:\n-\n  id: a\n  title: No\n  issued: 2001\n\n# more\n-   id: b\n    title: B\n",
        "references:\n- id: a\n  title: No\n  issued: 2001\n...\n---\nreferences:\n- id: b\n  title: B\n",
    ],
)
def test_lists_are_read_in_every_layout(tmp_path, text):
    papers, report = read(write(tmp_path / "a.yml", text))
    assert {id_: paper.title for id_, paper in papers.items()} == {"a": "No", "b": "B"}
    assert (papers["a"].year, report.skipped) == (2001, 0)


@pytest.mark.parametrize(
    ("item", "reason"),
    [
        ('- id: b\n  title: "B\n', "no valid YAML: found unexpected end of stream"),
        ("- id: b\n  title: &b B\n  note: *b\n", "aliases of YAML, or lists within lists"),
        (f"- id: b\n  title: {'[' * 900}\n", "aliases of YAML, or lists within lists"),
        # From PyYAML 6.0.4 on, its parser has a bound of its own, 1,000.
        (f"- id: b\n  title: {'[' * 100_000}\n", ("aliases of YAML, or lists", "no valid YAML: exceeded maximum")),
        ("- b\n", "no item of CSL"),
        ("- id: b\n  title: B\n\tvolume: 3\n", "no valid YAML: found a tab"),
        ("- id: b\n  abstract: Of waves\nand more.\n", "no valid YAML"),
    ],
)
def test_an_item_that_cannot_be_read_costs_no_other(tmp_path, item, reason):
    text = f"references:\n- id: a\n  title: A\n{item}- id: c\n  title: C\n"
    papers, report = read(write(tmp_path / "a.yaml", text))
    assert list(papers) == ["a", "c"]
    (problem,) = report.problems
    assert (problem.where, problem.reason.startswith(reason)) == ("line 4", True)


def test_null_is_no_text_and_text_in_quotes_is_not_null(tmp_path):
    text = "references:\n- id: a\n  title: 'null'\n  abstract: null\n  DOI: ~\n  author: [{family: Doe, given: null}]\n"
    papers, _ = read(write(tmp_path / "a.yaml", text))
    assert (papers["a"].title, papers["a"].abstract, papers["a"].authors) == ("null", "", ("Doe",))
    assert "DOI" not in items_of(papers)["a"]


def test_other_lists_in_yaml_are_no_bibliography(tmp_path):
    with pytest.raises(SourceError, match="in no known format"):
        read(write(tmp_path / "play.yml", "- name: x\n  tasks:\n  - type: y\n"))
    with pytest.raises(SourceError, match="in no known format"):
        read(write(tmp_path / "post.md", "---\ntitle: On waves\ntype: post\n---\nProse.\n"))

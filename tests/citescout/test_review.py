"""Reviews of manuscripts whose faults are known, because they were planted."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from project_files import Project
from projects import PROJECTS
from reviewed import CLAIM, OPTIONS, PAPERS, clean, faulty, found, line_of

from citescout import Recommender
from citescout.review import ReviewOptions, review
from citescout.review.entries import venues_agree
from citescout.review.review_parts import KINDS
from exports.reviews import FORMATS, write_review
from manuscripts import read_manuscript
from manuscripts.reading import read


def test_a_clean_manuscript_has_no_findings(small: Recommender, tmp_path: Path) -> None:
    done = review(small, read_manuscript(clean(tmp_path)), OPTIONS)
    assert done.counts() == dict.fromkeys(KINDS, 0)
    assert [one.key for one in done.references_in("not in this index")] == ["elsewhere"]
    assert not done.references_in("not checked")
    for text in (write_review(done, name) for name in FORMATS):
        assert "elsewhere" in text


def test_each_planted_fault_is_found_once_and_nothing_else(small: Recommender, tmp_path: Path) -> None:
    folder = faulty(tmp_path)
    done = review(small, read_manuscript(folder), OPTIONS)
    assert found(done) == Counter(
        [
            ("retracted", ("fused",), ""),
            ("no-entry", ("nowhere",), ""),
            ("repeated", ("idle", "idle"), ""),
            ("duplicate", ("twice", "again"), ""),
            ("published", ("preprint",), ""),
            ("differs", ("dated",), "year"),
            ("differs", ("placed",), "doi"),
            ("differs", ("placed",), "venue"),
            ("unused", ("idle",), ""),
        ]
    )
    assert [claim.sentence for claim in done.claims] == [CLAIM]
    assert done.unread == ()
    states = {one.key: one.state for one in done.references}
    assert [key for key, state in states.items() if state == "not checked"] == ["blank"]
    assert [key for key, state in states.items() if state == "not in this index"] == ["elsewhere"]
    # Every place is where the file has it.
    (repeated,) = (finding for finding in done.findings if finding.kind == "repeated")
    lines = [line_of(folder / "refs.bib", text) for text in ("@article{idle", "@book{idle")]
    assert [(place.file, place.line) for place in repeated.locations] == [("refs.bib", line) for line in lines]
    assert f"`refs.bib:{lines[0]}`, `refs.bib:{lines[1]}`: “idle” is the key of 2 entries" in write_review(
        done, "markdown"
    )
    for finding in (one for one in done.findings if one is not repeated):
        for key, location in zip(finding.keys, finding.locations, strict=True):
            if finding.kind == "no-entry":
                assert location.file == "main.tex"
                assert location.line == line_of(folder / "main.tex", "The lists are fused")
            else:
                assert (location.file, location.line) == ("refs.bib", line_of(folder / "refs.bib", f"{{{key},"))
    (claim,) = done.claims
    assert claim.location.line == line_of(folder / "main.tex", CLAIM)
    assert (claim.location.section, claim.location.paragraph) == ("Introduction", 2)


def test_an_entry_of_a_wrong_year_cites_its_paper_all_the_same(small: Recommender, tmp_path: Path) -> None:
    title = "Walking on citation graphs to find related work"
    entry = f"@article{{%s, title={{{title}}}, author={{%s}}, year={{%d}}}}\n"
    cited = [("wrong", "Lovelace, A.", 2003), ("later", "Lovelace, A.", 2026), ("other", "Far, A.", 2003)]
    (tmp_path / "refs.bib").write_text("".join(entry % one for one in cited))
    keys = ",".join(key for key, _, _ in cited)
    (tmp_path / "main.tex").write_text(
        f"\\documentclass{{article}}\\title{{Related work in graphs}}\\begin{{document}}\\begin{{abstract}}"
        f"Walks find papers.\\end{{abstract}}Walks find papers \\cite{{{keys}}}.\\bibliography{{refs}}\\end{{document}}"
    )
    made = review(small, read_manuscript(tmp_path), ReviewOptions(chance=0))
    assert "graphs" not in [one.paper.id for one in made.missing]
    assert [one.paper_id for one in made.references] == ["graphs", "graphs", ""]
    differing = [(one.keys, one.here, one.index) for one in made.findings if one.kind == "differs"]
    assert differing == [(("wrong",), "2003", "2015"), (("later",), "2026", "2015")]
    # The two may be of an annual report.
    assert not any(one.kind == "duplicate" and one.here == "the paper of the index" for one in made.findings)


def test_an_entry_whose_title_says_so_is_retracted_whatever_the_index_has(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Of bees}\begin{document}Bees \cite{bees,graphs}."
        r"\bibliography{refs}\end{document}"
    )
    (tmp_path / "refs.bib").write_text(
        "@article{bees, title={RETRACTED: Bees and their dances}}\n"
        "@article{graphs, title={RETRACTED ARTICLE: Walking on citation graphs to find related work}, year={2015}}\n"
    )
    done = review(small, read_manuscript(tmp_path), OPTIONS)
    assert found(done) == Counter([("retracted", ("bees",), ""), ("retracted", ("graphs",), "")])
    assert [one.state for one in done.references] == ["not in this index", "in the index"]
    assert "“bees” was retracted: RETRACTED: Bees and their dances" in write_review(done, "markdown")


def test_an_entry_from_which_a_cited_one_takes_fields_is_used(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        r"\documentclass{article}\title{Of bees}\begin{document}Bees \cite{bees}.\bibliography{refs}\end{document}"
    )
    (tmp_path / "refs.bib").write_text(
        "@inproceedings{bees, crossref={hive}, xdata={press}, title={Of bees and their dances}}\n"
        "@proceedings{hive, title={The hive of all the bees}}\n@xdata{press, xdata={city}}\n@xdata{city, address={P}}\n"
    )
    assert not review(small, read_manuscript(tmp_path), OPTIONS).findings


def test_entries_that_are_named_in_a_great_many_ways_are_looked_at_once(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "main.md").write_text("---\nbibliography: refs.bib\n---\n# Of bees\n\nBees dance [@a0].\n")
    # In every level two entries that both name both of the next one: 2^60 ways lead to the last ones.
    levels = [f"@xdata{{{one}{level}, xdata={{a{level + 1}, b{level + 1}}}}}\n" for level in range(60) for one in "ab"]
    (tmp_path / "refs.bib").write_text("".join(levels) + "@xdata{a60, address={P}}\n@xdata{b60, address={Q}}\n")
    findings = review(small, read_manuscript(tmp_path), OPTIONS).findings
    assert [(finding.kind, finding.keys) for finding in findings] == [("unused", ("b0",))]


def test_ages_and_self_citations_are_those_of_the_cited_works(small: Recommender, tmp_path: Path) -> None:
    done = review(small, read_manuscript(clean(tmp_path)), OPTIONS)
    ages = 2020 - np.array([2015, 2016, 2019, 2012, 2018, 2017, 1999])
    assert done.ages is not None
    assert (done.ages.known, done.ages.unknown, done.ages.year) == (7, 0, 2020)
    assert done.ages.median == np.median(ages)
    assert done.ages.quartiles == (np.quantile(ages, 0.25), np.quantile(ages, 0.75))
    assert done.ages.recent == np.mean(ages <= 5)
    assert done.self_citations is not None
    assert done.self_citations.keys == ("graphs", "placed")
    assert done.self_citations.share == 2 / 7
    assert "2 of 7 works are by the authors themselves" in write_review(done, "markdown")
    one = replace(done, self_citations=replace(done.self_citations, keys=(), known=1))
    assert "0 of 1 work is by the authors themselves" in write_review(one, "markdown")
    assert review(small, read_manuscript(tmp_path)).self_citations is None


@pytest.mark.long
@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_projects_as_people_have_them_are_reviewed(small: Recommender, project: Project, tmp_path: Path) -> None:
    manuscript = read_manuscript(project.write(tmp_path) / project.main)
    done = review(small, manuscript, OPTIONS)
    kinds = Counter(finding.kind for finding in done.findings)
    missing = {line.rpartition(" ")[2] for line in project.unread if line.startswith("no entry")}
    assert {finding.keys[0] for finding in done.findings if finding.kind == "no-entry"} == missing
    unused = {entry.key for entry in manuscript.entries} - set(project.keys)
    assert {finding.keys[0] for finding in done.findings if finding.kind == "unused"} == unused
    assert kinds["retracted"] == kinds["published"] == kinds["differs"] == 0
    # None of its works is in the index; one that can be looked for was.
    assert {one.key for one in done.references} == set(project.keys) - missing
    assert {one.state for one in done.references} <= {"not in this index", "not checked"}
    for name in FORMATS:
        assert project.title.split()[0] in write_review(done, name)


def test_of_a_typed_list_beside_keys_what_is_not_cited_is_found_where_most_is(
    small: Recommender, tmp_path: Path
) -> None:
    listed = "Doe, A. (2001). Of trees.\n\nRoe, C. (2002). How graphs grow.\n\nPoe, E. (2003). How trees fall."
    (tmp_path / "refs.bib").write_text("@misc{one, title={Of one}}\n@misc{two, title={Of two}}\n")
    for text, unused in (("(Doe, 2001; Roe, 2002)", ["two", "3"]), ("(Doe, 2001)", ["two"])):
        (tmp_path / "p.md").write_text(f"# On trees\n\nTrees grow [@one] {text}.\n\n# References\n\n{listed}\n")
        done = review(small, read_manuscript(tmp_path), OPTIONS)
        assert [(one.kind, *one.keys) for one in done.findings] == [("unused", key) for key in unused]


def test_a_long_bibliography_is_reviewed_whole_as_far_as_it_is_cited(small: Recommender, tmp_path: Path) -> None:
    folder = clean(tmp_path)
    with (folder / "refs.bib").open("r+") as file:
        right = file.read()
        file.seek(0)
        for number in range(5_000):
            file.write(f"@misc{{n{number}, title={{The same title of five thousand entries in all}}, year=2001}}\n")
        file.write(right)
    done = review(small, read_manuscript(folder), OPTIONS)
    assert not any(finding.kind == "no-entry" for finding in done.findings)
    assert {one.key for one in done.references} == {*(paper.id for paper in PAPERS if not paper.retracted), "elsewhere"}
    assert any("entries were left out" in line for line in done.unread)
    duplicates = [finding for finding in done.findings if finding.kind == "duplicate"]
    assert duplicates == []  # a title that so many bear is a column's
    for name in FORMATS:
        assert len(write_review(done, name)) < 2_000_000


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("J. Graph Walks", "Journal of Graph Walks", True),
        ("Proc. ACL", "Annual Meeting of the Association for Computational Linguistics", True),
        ("NIPS", "Advances in Neural Information Processing Systems", True),
        ("Proc. Natl. Acad. Sci. USA", "Proceedings of the National Academy of Sciences", True),
        ("Comput. Linguist.", "Computational Linguistics", True),
        ("Science", "Science", True),
        ("Advances in Neural Information Processing Systems 30", "NeurIPS", True),
        ("NIPS", "NeurIPS", True),
        ("Conference of the International Speech Communication Association", "INTERSPEECH", True),
        ("CACM", "Communications of the ACM", True),
        ("Text REtrieval Conference", "TREC", True),
        ("FnTIR", "Foundations and Trends in Information Retrieval", True),
        ("Proceedings of the 13th ACM Conference on Recommender Systems", "RecSys", True),
        ("SIGIR", "NeurIPS", False),
        ("ACL", "EMNLP", False),
        ("The Lancet", "Nature", False),
        ("RecSys", "Proceedings of the National Academy of Sciences", False),
        ("Journal of Graph Walks", "Annals of Typesetting", False),
        ("EMNLP", "The Lancet", False),
    ],
)
def test_venues_agree_where_one_may_abbreviate_the_other(one: str, other: str, agree: bool) -> None:
    assert venues_agree(one, other) is venues_agree(other, one) is agree


def test_entries_beyond_bounds_are_not_said_to_lack(small: Recommender, tmp_path: Path) -> None:
    (tmp_path / "refs.bib").write_text("".join(f"@misc{{k{n}, title={{Title number {n}}}}}\n" for n in range(2_500)))
    cites = "".join(rf"\cite{{k{n}}}" for n in range(2_501))
    head = r"\documentclass{article}\title{Many}\begin{document}"
    (tmp_path / "main.tex").write_text(rf"{head}Much {cites}.\bibliography{{refs}}\end{{document}}")
    done = review(small, read_manuscript(tmp_path), OPTIONS)
    assert [one.keys for one in done.findings if one.kind == "no-entry"] == [("k2500",)]
    for name in FORMATS:
        assert "500 further entries were not looked at: no more than 2,000 are, cited ones first." in write_review(
            done, name
        )


def test_citations_that_are_typed_are_compared_with_the_list_that_is_typed(small: Recommender) -> None:
    listed = (
        "Doe, A. (2001). Of trees and of graphs. Acta.",
        "Roe, C. (2002). How graphs grow. Acta.",
        "Poe, E. (2003). How trees fall. Acta.",
    )
    text = "On trees\n\nAbstract\n\nWe ask why.\n\nMuch is known (Doe, 2001). Roe (2002) and Moe et al. (2018) say so."
    done = review(small, read("\n\n".join((text, "References", *listed)).encode()), OPTIONS)
    assert [(one.kind, one.keys) for one in done.findings] == [("no-entry", ("Moe et al. 2018",)), ("unused", ("3",))]
    assert (done.citations, done.entries) == (3, 3)
    assert {one.key for one in done.references} == {"Doe 2001", "Roe 2002", "3"}
    assert "Poe, E." in write_review(done, "markdown")
    assert done.ages is not None
    assert (done.ages.known, done.ages.median) == (3, done.ages.year - 2002)
    assert not any("Doe" in claim.sentence for claim in done.claims)
    # Where hardly any is recognised, as of superscripts in a PDF, it is unknown which are not cited.
    text = text.replace("Roe (2002) and Moe et al. (2018) say so.", "Others say more.")
    done = review(small, read("\n\n".join((text, "References", *listed)).encode()), OPTIONS)
    assert (done.citations, done.findings) == (1, ())

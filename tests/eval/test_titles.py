"""`citescout eval titles`: the damage that it does, what it counts, and its table."""

import random

import pytest
from command_line import run
from rapidfuzz.distance import OSA

from demo import CORPUS
from eval.titles import (
    THRESHOLDS,
    Scored,
    _rates,
    abbreviation,
    light_word_lost,
    respaced,
    two_typing_errors,
    typing_error,
    without_subtitle,
)
from indexer.readers import read_papers

TITLES = [paper.title for paper in read_papers([str(CORPUS)])]


@pytest.mark.parametrize(("damage", "most"), [(typing_error, 1), (two_typing_errors, 2)])
def test_typing_errors_are_as_many_as_they_say(damage, most):
    rng = random.Random(1)
    distances = [OSA.distance(title, damage(title, rng)) for title in TITLES]
    assert max(distances) == most
    assert sum(distance == most for distance in distances) > 0.9 * len(TITLES)  # a letter may replace itself


def test_what_is_lost_is_a_word_an_end_or_a_subtitle():
    rng = random.Random(2)
    for title in TITLES:
        words = title.split()
        kept = light_word_lost(title, rng).split()
        lost = [word for word in dict.fromkeys(words) if words.count(word) > kept.count(word)]
        assert len(words) - len(kept) == len(lost) <= 1
        assert {word.lower() for word in lost} <= {"of", "the", "in", "for", "and", "a", "on"}
        short = abbreviation(title, rng).split()
        changed = [(whole, cut) for whole, cut in zip(words, short, strict=True) if whole != cut]
        assert all(len(whole) > 7 and cut == f"{whole[:5]}." for whole, cut in changed)
        assert len(changed) == any(word.isalpha() and len(word) > 7 for word in words)
        assert title.startswith(without_subtitle(title, rng))
        assert ": " not in without_subtitle(title, rng)
        letters = [letter for letter in title.lower() if letter.isalnum()]
        assert OSA.distance(letters, [letter for letter in respaced(title, rng) if letter.isalnum()]) <= 2
    assert typing_error("1984", rng) == "1984"


def test_right_wrong_and_invented_are_counted_by_hand():
    scored = [
        Scored("x", own=0.95, other=0.0),  # found
        Scored("x", own=0.95, other=0.92),  # found; another one where its own is hidden
        Scored("x", own=0.91, other=0.99),  # another one in both cases
        Scored("x", own=0.5, other=0.2),  # nothing
    ]
    rates = _rates(scored, 0.9)
    assert (rates.titles, rates.right, rates.wrong, rates.invented) == (4, 2, 1, 2)
    assert rates.recall == 2 / 4
    assert rates.precision == 2 / 5
    strict = _rates(scored, 0.97)
    assert (strict.right, strict.wrong, strict.invented) == (0, 1, 1)


def test_the_command_tells_both_tables(demo_index):
    by_threshold, by_damage = run("eval", "titles", "--index", demo_index, "--papers", 60).out.split("\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in by_threshold.splitlines()[2:]]
    assert [float(row[0]) for row in rows] == list(THRESHOLDS)
    recalls = [float(row[3]) for row in rows]
    assert recalls == sorted(recalls, reverse=True)
    assert 0.5 < recalls[2] < 1  # damaged, and found all the same
    assert recalls[0] > recalls[2]  # thresholds below the one in use are measured, too
    titles = {int(row[1]) for row in rows}
    assert titles == {sum(int(line.split("|")[2]) for line in by_damage.splitlines()[2:])}


def test_papers_that_were_removed_are_neither_drawn_nor_found(tmp_path):
    index, papers = tmp_path / "index", tmp_path / "papers.jsonl"
    lines = [f'{{"id": "p{number}", "title": "{title}"}}\n' for number, title in enumerate([*TITLES[:20], "A?"])]
    papers.write_text("".join(lines), "utf-8")
    run("index", papers, "--index", index, "--encoder", "none")
    run("remove", "p0", "p7", "--index", index)
    removed = run("eval", "titles", "--index", index).out
    papers.write_text("".join(line for place, line in enumerate(lines) if place not in (0, 7)), "utf-8")
    run("index", papers, "--index", index, "--encoder", "none")
    assert removed == run("eval", "titles", "--index", index).out

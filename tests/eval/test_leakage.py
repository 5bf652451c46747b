"""Overlapping titles against brute force, the leaks of whole files, and the command."""

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from command_line import Ended, refused, run
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import SourceError
from eval.leakage import LeakCounts, evaluation_papers, find_leaks
from indexer.identity.title_overlap import TitleOverlaps, jaccard, unigrams
from indexer.paper import Paper

WORDS = [f"w{number}" for number in range(12)]
titles = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), max_size=25)


def brute_force(training, evaluation, threshold):
    """(training place, evaluation place, Jaccard) of every pair, with exact fractions."""
    found = []
    for (n, one), (m, other) in product(enumerate(training), enumerate(evaluation)):
        words, other_words = set(one.split()), set(other.split())
        union = len(words | other_words)
        if union and Fraction(len(words & other_words), union) >= threshold:
            found.append((n, m, len(words & other_words) / union))
    return found


def joined(training, evaluation, threshold):
    overlaps = TitleOverlaps(evaluation, float(threshold))
    return [(n, one.number, one.jaccard) for n, title in enumerate(training) for one in overlaps.of(title)]


@settings(max_examples=300)
@given(titles, titles, st.sampled_from(["0.05", "0.3", "0.5", "0.6", "0.7", "0.75", "0.8", "1"]))
def test_the_join_finds_what_brute_force_finds(training, evaluation, threshold):
    exact = Fraction(threshold)
    assert joined(training, evaluation, exact) == brute_force(training, evaluation, exact)


@pytest.mark.parametrize("threshold", ["0.4", "0.7", "0.9"])
def test_near_copies_among_titles_of_a_zipfian_vocabulary_are_all_found(threshold):
    rng = np.random.default_rng(3)

    def title():
        return [f"w{number}" for number in rng.zipf(1.3, rng.integers(1, 18)) % 500]

    evaluation = [title() for _ in range(250)]
    training = [title() for _ in range(300)]
    for origin in evaluation:  # with up to four words replaced
        copy = [word if rng.random() > 0.25 else f"w{rng.integers(500)}" for word in origin]
        training.append(copy)
    training, evaluation = ([" ".join(words) for words in side] for side in (training, evaluation))
    expected = brute_force(training, evaluation, Fraction(threshold))
    assert len(expected) > 20
    assert joined(training, evaluation, Fraction(threshold)) == expected


@pytest.mark.parametrize(
    ("threshold", "shared", "union", "leaks"),
    [
        (0.7, 7, 10, True),
        (0.7, 21, 30, True),
        (0.7, 9, 13, False),
        (0.7, 16, 23, False),
        (0.7, 69, 99, False),
        (0.07, 7, 100, True),  # 0.07 * 100 is more than 7 in floating point
        (0.57, 57, 100, True),  # 0.57 * 100 is less than 57
        (0.57, 56, 99, False),
        (1.0, 5, 5, True),
        (1.0, 5, 6, False),
    ],
)
@pytest.mark.parametrize("extra_on_one_side", [True, False])
def test_the_threshold_itself_leaks_and_the_next_lower_fraction_does_not(
    threshold, shared, union, leaks, extra_on_one_side
):
    common = [f"c{number}" for number in range(shared)]
    extra = [f"x{number}" for number in range(union - shared)]
    half = 0 if extra_on_one_side else len(extra) // 2
    one, other = " ".join(common + extra[:half]), " ".join(extra[half:] + common)
    for tested, trained in ((one, other), (other, one)):
        assert bool(TitleOverlaps([tested], threshold).of(trained)) is leaks


@pytest.mark.parametrize("threshold", [0, -0.1, 1.01, float("nan")])
def test_a_threshold_that_is_no_share_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold"):
        TitleOverlaps(["a"], threshold)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("BM25: a Ranking-Function!", "ranking function, a (bm25)", 1.0),
        ("the the the cat", "The cat", 1.0),  # sets, not bags
        ("Émile Zolas Straße", "emile zolas strasse", 1.0),  # accents and case
        ("nai\u0308ve Bayes", "naïve Bayes", 1.0),  # composed and decomposed
        ("ＢＥＲＴ", "bert", 1.0),  # full width
        ("Сравнение методов поиска", "сравнение МЕТОДОВ", 2 / 3),
        ("引文推荐", "引文推薦", 3 / 5),
        ("基于图的引文推荐方法", "基于图引文推荐", 7 / 10),
        ("深層学習 による検索", "深層学習による検索", 1.0),
        ("한국어 논문 추천", "한국어 논문 검색", 2 / 4),
        ("", "", 0.0),
        ("???", "!!!", 0.0),
        ("", "a", 0.0),
    ],
)
def test_titles_are_sets_of_plain_words_in_every_script(one, other, expected):
    assert jaccard(one, other) == pytest.approx(expected)
    found = [overlap.jaccard for overlap in TitleOverlaps([other], 0.01).of(one)]
    assert found == pytest.approx([expected] if expected else [])


def test_characters_are_words_only_where_words_have_no_spaces():
    assert unigrams("BM25による検索") == {"bm25", "に", "よ", "る", "検", "索"}
    assert unigrams("𠮷野 々") == {"𠮷", "野", "々"}


def test_a_title_without_words_leaks_into_nothing():
    overlaps = TitleOverlaps(["", "…", "a title"], 0.1)
    assert len(overlaps) == 3
    assert not overlaps.of("")
    assert not overlaps.of("—")
    assert [one.number for one in overlaps.of("title")] == [2]


def test_far_fewer_pairs_are_compared_than_there_are():
    rng = np.random.default_rng(0)
    stock = [" ".join(f"w{n}" for n in rng.zipf(1.2, 10) % 20_000) for _ in range(11_000)]
    overlaps = TitleOverlaps(stock[:1000])
    for title in stock[1000:]:
        overlaps.of(title)
    assert overlaps.compared < 0.02 * 1000 * 10_000


def test_titles_that_share_only_common_words_are_not_compared():
    frame = "a study of the effect of the {} on the {} in the {}"
    overlaps = TitleOverlaps([frame.format(f"a{n}", f"b{n}", f"c{n}") for n in range(500)])
    for number in range(500, 1000):
        assert not overlaps.of(frame.format(f"a{number}", f"b{number}", f"c{number}"))
    assert overlaps.compared == 0


PREPRINT = Paper("pre", "Dense Passage Retrieval for Open-Domain Question Answering (preprint)", year=2019)
TEST = Paper("test", "Dense passage retrieval for open domain question answering", year=2020)
OTHER = Paper("other", "Tables of the moon", year=1990)


def test_leaks_name_both_papers_and_are_counted():
    counts = LeakCounts()
    second = Paper("test-2", TEST.title.upper())
    untitled = Paper("untitled", "", "Only an abstract.")
    leaks = list(find_leaks([OTHER, PREPRINT, TEST, untitled], [TEST, second, untitled], counts=counts))
    assert [(leak.training.id, leak.evaluation.id, leak.jaccard) for leak in leaks] == [
        ("pre", "test", 8 / 9),
        ("pre", "test-2", 8 / 9),
        ("test", "test", 1.0),
        ("test", "test-2", 1.0),
    ]
    assert counts == LeakCounts(training=4, evaluation=3, without_words=2, leaking=2, leaked=2, pairs=4)
    assert str(counts).startswith(
        "2 of 4 training papers leak: 4 pairs with 2 of 3 evaluation papers; 2 papers without"
    )


def test_a_corpus_that_holds_its_test_papers_can_be_checked():
    counts = LeakCounts()
    leaks = list(find_leaks([TEST, PREPRINT, OTHER], [TEST], counts=counts, skip_same_id=True))
    assert [leak.training.id for leak in leaks] == ["pre"]
    assert counts.training == 2


def test_training_papers_are_read_one_at_a_time():
    read = []

    def stream():
        for paper in (PREPRINT, OTHER):
            read.append(paper.id)
            yield paper

    leaks = find_leaks(stream(), [TEST])
    assert next(leaks).training is PREPRINT
    assert read == ["pre"]


@pytest.mark.parametrize("evaluation", [[], [Paper("a", "", "abstract")], [Paper("a", "*")]])
def test_nothing_to_check_against_is_an_error_not_a_clean_bill(evaluation):
    with pytest.raises(SourceError, match="no paper with a title"):
        list(find_leaks([PREPRINT], evaluation))


def write(path, papers):
    path.write_text("".join(json.dumps({"id": one.id, "title": one.title, "year": one.year}) + "\n" for one in papers))
    return path


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "train.jsonl", [OTHER, PREPRINT])
    write(tmp_path / "clean.jsonl", [OTHER])
    write(tmp_path / "corpus.jsonl", [TEST, Paper("inside", "Something else entirely", year=2001)])
    (tmp_path / "corpus.test.ids").write_text("test\nnot-in-the-corpus\n")
    return tmp_path


def test_a_list_of_test_ids_stands_for_the_papers_that_it_names(folder):
    sources = [str(folder / "corpus.test.ids"), str(folder / "clean.jsonl")]
    assert [paper.id for paper in evaluation_papers(sources)] == ["other", "test"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_first_of_a_list_from_windows_is_held_out_too(folder, encoding):
    (folder / "corpus.test.ids").write_bytes("test\r\nnot-in-the-corpus\r\n".encode(encoding))
    assert [paper.id for paper in evaluation_papers([str(folder / "corpus.test.ids")])] == ["test"]


def test_a_list_of_test_ids_without_their_papers_is_an_error(folder):
    (folder / "lonely.test.ids").write_text("a\n")
    (folder / "clean.test.ids").write_text("x\ny\n")
    (folder / "bytes.test.ids").write_bytes(b"a\xff\n")
    messages = {"lonely": "no corpus beside it", "clean": "none of its 2 ids", "bytes": "no UTF-8", "no": "No such"}
    for name, message in messages.items():
        with pytest.raises(SourceError, match=message):
            list(evaluation_papers([str(folder / f"{name}.test.ids")]))
    (folder / "chosen.ids").write_text("test\n")
    with pytest.raises(SourceError, match=r"has ids alone: name the papers by a NAME\.test\.ids beside"):
        list(evaluation_papers([str(folder / "chosen.ids")]))
    with pytest.raises(SourceError, match=r"nowhere\.ids: no such file or folder"):
        list(evaluation_papers([str(folder / "nowhere.ids")]))
    # Test papers of a split are named by such a list, too.
    named = ("--test-ids", folder / "bytes.test.ids", "--out", folder / "split")
    assert "no UTF-8" in refused("eval", "split", folder / "corpus.jsonl", *named)


def leakage(*arguments: object) -> Ended:
    return run("eval", "leakage", *arguments)


def test_the_command_lists_leaks_and_ends_with_its_own_exit_code(folder):
    done = leakage(folder / "train.jsonl", "--against", folder / "corpus.test.ids", folder / "clean.jsonl")
    assert done.code == 3, done.err
    assert done.out.splitlines() == [
        "1.00 other: Tables of the moon (1990)",
        "   = other: Tables of the moon (1990)",
        f"0.89 pre: {PREPRINT.title} (2019)",
        f"   = test: {TEST.title} (2020)",
    ]
    assert "2 of 2 training papers leak: 2 pairs with 2 of 2 evaluation papers" in done.err


def test_the_command_writes_json_lines_and_a_report(folder):
    expected = {"training": "pre", "training_title": PREPRINT.title, "evaluation": "test"}
    expected |= {"evaluation_title": TEST.title, "jaccard": 0.8889}
    options = [folder / "train.jsonl", "--threshold", "0.8", "--against", folder / "corpus.jsonl"]
    done = leakage(*options, "--format", "jsonl")
    assert [json.loads(line) for line in done.out.splitlines()] == [expected]
    done = leakage(*options, "--report", folder / "report.jsonl")
    assert (done.code, done.out) == (3, "")
    assert json.loads((folder / "report.jsonl").read_text()) == expected
    done = leakage(*options, "--threshold", "0.9", "--report", folder / "report.jsonl")
    assert (done.code, (folder / "report.jsonl").read_text()) == (0, "")


def test_the_command_succeeds_where_nothing_leaks(folder):
    done = leakage(folder / "clean.jsonl", "--against", folder / "corpus.test.ids")
    assert (done.code, done.out) == (0, "")
    assert "0 of 1 training papers leak" in done.err
    done = leakage(folder / "corpus.jsonl", "--against", folder / "corpus.test.ids", "--skip-same-id")
    assert done.code == 0, done.out


def test_mistakes_are_reported_from_leaks(folder):
    failed = leakage(folder / "train.jsonl", "--against", folder / "missing.jsonl")
    assert failed.code == 1
    assert failed.err.count("\n") == 1
    assert "missing.jsonl" in failed.err
    failed = leakage(folder / "train.jsonl", "--against", folder / "corpus.jsonl", "--report", folder / "no" / "report")
    assert (failed.code, failed.err.splitlines()[-1][:20]) == (1, "Error: cannot write ")
    assert leakage(folder / "missing.jsonl", "--against", folder / "train.jsonl").code == 1
    assert leakage("--against", folder / "train.jsonl", folder / "clean.jsonl").code == 2  # nothing to train on
    assert leakage(folder / "train.jsonl").code == 2
    assert leakage(folder / "train.jsonl", "--against").code == 2
    assert leakage(folder / "train.jsonl", "--against", folder / "clean.jsonl", "--threshold", "0").code == 2

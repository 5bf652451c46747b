from .corpus_samples import BEIR_CORPUS
from .helpers import of_format, read
from .samples import write_sample


def test_only_the_corpus_holds_papers(tmp_path):
    papers, report = read(write_sample(tmp_path, "beir"))
    assert list(papers) == ["d1", "d2"]
    assert (papers["d1"].title, papers["d1"].abstract) == ("Direct Ranker", "About ranking.")
    assert (papers["d2"].year, papers["d2"].citations) == (1997, ("d1", "d9"))
    assert (report.skipped, report.skipped_files, report.formats) == (0, 0, {"beir": 1})


def test_corpus_alone_is_enough_under_any_name(tmp_path):
    assert list(read(of_format("beir", tmp_path / "anything.jsonl", BEIR_CORPUS))[0]) == ["d1", "d2"]

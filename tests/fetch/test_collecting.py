"""Which works a corpus is made of, of a made-up source: the most connected, as far as they are there."""

from fetch.corpus.collecting import collect
from fetch.corpus.interface import Page, Work
from indexer.paper import Paper


class Played:
    """A source of made-up works: each cites the next ten, and none is found by anything but its id."""

    name, title, works_a_call = "played", "Played", 10

    def __init__(self, missing=()):
        self.missing = set(missing)

    def work(self, number):
        return Work(Paper(f"P{number}", "T", citations=tuple(f"P{n}" for n in range(number + 1, number + 11))))

    def works(self, ids):
        for start in range(0, len(ids), 10):
            yield [self.work(int(id_[1:])) for id_ in ids[start : start + 10] if id_ not in self.missing]

    def citing(self, works, since=None):
        return [iter([Page(tuple((f"P{int(w.paper.id[1:]) - 1}", w.paper.id) for w in works))])]


def test_works_that_are_gone_leave_their_place_to_others():
    corpus = collect(Played(missing={"P101", "P102"}), [Played().work(100)], 6, lambda: 100)
    assert list(corpus.works) == ["P100", "P103", "P104", "P105", "P106", "P107"]
    assert corpus.complete


def test_works_that_are_gone_do_not_end_the_reading_of_lists():
    class Citing(Played):
        """All works cite P1, P2 and a hundred that are gone; P50 cites the two."""

        def work(self, number):
            return Work(Paper(f"P{number}", "T", citations=("P1", "P2", *sorted(self.missing))))

        def citing(self, works, since=None):
            pages = Page((("P50", "P1"),)), Page((("P50", "P2"),))
            return [iter(pages)] if works[0].paper.id == "P1" else []

    source = Citing(missing={f"P{number}" for number in range(100, 200)})
    assert list(collect(source, [source.work(10), source.work(11)], 5, lambda: 100).works)[-1] == "P50"


def test_candidates_are_put_in_order_as_often_for_many_pages_as_for_one(monkeypatch):
    class Citing(Played):
        """P0 is cited by as many works as there are pages."""

        def __init__(self, pages):
            super().__init__()
            self.pages = pages

        def citing(self, works, since=None):
            return [(Page(((f"P{number}", "P0"),)) for number in range(1000, 1000 + self.pages))]

    def counting(found, key):
        ordered.append(len(found))
        return sorted(found, key=key)

    monkeypatch.setattr("fetch.corpus.collecting.sorted", counting, raising=False)
    times = []
    for pages in (1, 300):
        ordered = []
        assert len(collect(Citing(pages), [Played().work(0)], 5000, lambda: 10_000, hops=1).works) == 11 + pages
        times.append(len(ordered))
    assert times[0] == times[1]

"""The list as it is being refined: valid at any moment, as deep as a budget allows, the same at the end."""

import zlib

import numpy as np
import orjson
import pytest
from command_line import run

from citescout import Query, Recommender, Settings, ranking, reading
from citescout.live import LiveRecommender
from citescout.reading import FIRST_SLICE, SMALLEST_SLICE
from common.errors import QueryError
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit

QUERY = Query("Hard negatives for dense passage retrieval", "A dual encoder is compared with BM25.")
START = 1000.0


class Clock:
    """Stands still until a candidate is read."""

    now = START

    def __call__(self):
        return self.now


class SlowNetwork:
    """Judges a text by its checksum, in a fixed time a candidate."""

    split = TokenSplit()
    least = -5.0  # of the log-odds, which go up to 10 more

    def __init__(self, clock, seconds=0.01):
        self.clock, self.seconds = clock, seconds
        self.tokenised, self.slices, self.queries = [], [], 0

    def token_ids(self, candidates):
        self.tokenised += candidates
        return [[zlib.crc32(text.joined().encode())] for text in candidates]

    def read(self, query):
        self.queries += 1
        return self

    def logits(self, asked, candidates, batch_size):
        self.slices.append(len(candidates))
        self.clock.now += self.seconds * len(candidates)
        return np.array([one[0] % 1000 / 100 + self.least for one in candidates], np.float32)


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(ranking, "monotonic", clock)
    monkeypatch.setattr(reading, "monotonic", clock)
    monkeypatch.setattr("citescout.recommender.monotonic", clock)
    return clock


@pytest.fixture
def network(clock):
    return SlowNetwork(clock)


@pytest.fixture
def slow(demo_index, network):
    encoder = CrossEncoder(network, "slow")
    encoder._prepared = True  # so that the counts below are those of the queries alone
    with_reranker = Recommender.opened(demo_index, encoder)
    yield with_reranker
    with_reranker.close()


@pytest.mark.parametrize("blend", [True, False])
def test_every_list_is_complete_and_the_first_is_that_of_the_first_stage(slow, blend):
    settings = Settings(depth=150, blend=blend)
    first_stage = slow.rank(QUERY, Settings(depth=0, blend=blend))
    lists = list(slow.refine(QUERY, settings))
    assert lists[0].order.tolist() == first_stage.order.tolist()
    assert not lists[0].reranked and not lists[0].complete
    assert len(lists) > 2
    for one in lists:
        read = len(one.reranked)
        assert sorted(one.order.tolist()) == list(range(len(one.pool)))
        assert set(one.reranked) == set(first_stage.order[:read].tolist())  # in first-stage order
        assert set(one.order[:read].tolist()) == set(one.reranked)  # and above what was not read
        assert one.order[read:].tolist() == first_stage.order[read:].tolist()
        assert np.all(np.diff(one.scores) <= 0)
        assert one.to_read == 150
    assert [len(one.reranked) for one in lists] == sorted({len(one.reranked) for one in lists})
    assert lists[-1].complete
    assert slow.rank(QUERY, settings).order.tolist() == lists[-1].order.tolist()


@pytest.mark.parametrize("least", [-30.0, -5.0, 12.0])
def test_without_the_blend_the_end_is_the_order_of_the_probabilities(slow, network, least):
    network.least = least
    found = slow.rank(QUERY, Settings(depth=90, blend=False))
    first_stage = slow.rank(QUERY, Settings(depth=0, blend=False)).order
    top = found.pool.docids[first_stage[:90]]
    relevance = slow.relevance(QUERY, top)
    order = np.lexsort((top, -relevance))
    assert found.order[:90].tolist() == first_stage[:90][order].tolist()
    assert list(found.reranked.values()) == pytest.approx(relevance.tolist())
    assert found.scores[:90] == pytest.approx(1 / (1 + np.exp(-np.sort(relevance.astype(float))[::-1])))
    assert np.all(np.diff(found.scores) <= 0)


@pytest.mark.parametrize("least", [-30.0, 12.0])
def test_a_cross_encoder_that_is_sure_orders_the_list_as_any_other(slow, network, least):
    calm = slow.rank(QUERY, Settings(depth=90))
    network.least = least
    sure = slow.rank(QUERY, Settings(depth=90))
    assert sure.order.tolist() == calm.order.tolist()
    assert sure.scores == pytest.approx(calm.scores, abs=1e-4)


def test_slices_do_not_change_the_end(slow, monkeypatch):
    in_slices = slow.rank(QUERY, Settings(depth=150))
    monkeypatch.setattr(reading, "FIRST_SLICE", 1000)
    at_once = slow.rank(QUERY, Settings(depth=150))
    assert in_slices.order.tolist() == at_once.order.tolist()
    np.testing.assert_array_equal(in_slices.scores, at_once.scores)


def test_a_budget_is_kept_and_used(slow, network, clock):
    slow.rank(QUERY, Settings(depth=20))  # the speed is known from now on
    for budget in (0.2, 0.5, 1.0):
        clock.now = START
        found = slow.rank(QUERY, Settings(depth=200, budget=budget))
        assert clock.now - START <= budget
        assert 0.7 * budget <= clock.now - START
        assert len(found.reranked) == round((clock.now - START) / network.seconds)
        assert not found.complete


def test_with_time_enough_everything_is_read(slow, clock):
    slow.rank(QUERY, Settings(depth=20))
    clock.now = START
    found = slow.rank(QUERY, Settings(depth=200, budget=60))
    assert found.complete
    assert found.order.tolist() == slow.rank(QUERY, Settings(depth=200)).order.tolist()


def test_a_budget_too_short_for_a_slice_leaves_the_first_stage_list(slow, network):
    slow.rank(QUERY, Settings(depth=20))
    network.slices.clear()
    found = slow.rank(QUERY, Settings(depth=100, budget=network.seconds * (SMALLEST_SLICE - 1)))
    assert not network.slices
    assert not found.reranked
    assert found.to_read == 100
    assert found.order.tolist() == slow.rank(QUERY, Settings(depth=0)).order.tolist()


def test_the_time_of_the_first_stage_counts(slow, clock, network, monkeypatch):
    pool = Recommender.pool

    def late(self, query, settings=None):
        clock.now += 3
        return pool(self, query, settings)

    monkeypatch.setattr(Recommender, "pool", late)
    assert not slow.rank(QUERY, Settings(depth=100, budget=2)).reranked
    assert not network.slices


def test_the_very_first_slice_of_a_process_is_small(slow, network):
    slow.rank(QUERY, Settings(depth=100, budget=0.5))
    assert network.slices[0] == SMALLEST_SLICE


def test_a_reranker_that_gets_slower_reads_less(slow, network, clock):
    slow.rank(QUERY, Settings(depth=200))
    network.seconds *= 10
    clock.now = START
    slow.rank(QUERY, Settings(depth=200, budget=1.0))  # learns it
    clock.now = START
    slow.rank(QUERY, Settings(depth=200, budget=1.0))
    assert clock.now - START <= 1.0


def test_slices_grow_and_leave_no_small_rest(slow, network):
    slow.rank(QUERY, Settings(depth=200))
    assert network.slices[0] == FIRST_SLICE
    assert network.slices == sorted(network.slices)
    assert sum(network.slices) == 200


def test_a_query_is_read_once_and_a_candidate_tokenised_once(slow, network):
    slow.rank(QUERY, Settings(depth=200))
    assert network.queries == 1
    assert len(network.tokenised) == len(set(network.tokenised)) == 200
    slow.rank(QUERY, Settings(depth=200))
    assert len(network.tokenised) == 200


def test_the_stream_has_the_reasons_and_ends_with_the_recommendations(slow, demo_index, network):
    settings = Settings(depth=100, k=5)
    answers = list(slow.stream(QUERY, settings))
    assert list(answers[-1].recommendations) == slow.recommend(QUERY, settings)
    assert [one.read for one in answers] == [0, 32, 64, 100]
    assert all(len(one.recommendations) == 5 and one.to_read == 100 for one in answers)
    assert all(entry.reasons.reranker_score is None for entry in answers[0].recommendations)
    assert all(entry.reasons.reranker_score is not None for entry in answers[1].recommendations)
    live = LiveRecommender(demo_index, CrossEncoder(network, "slow"))
    assert list(live.stream(QUERY, settings)) == answers
    live.close()


def test_a_stream_that_nobody_reads_to_the_end_lets_go_of_the_index(demo_index, network):
    live = LiveRecommender(demo_index, CrossEncoder(network, "slow"))
    users = live._version.users
    stream = live.stream(QUERY)
    next(stream)
    assert live._version.users == users + 1
    stream.close()
    assert live._version.users == users
    live.close()


def test_contributions_sum_to_the_scores_of_the_list(slow):
    first = slow.rank(QUERY, Settings(depth=0))
    positions = first.order[5:25].tolist()
    contributions = first.contributions(positions)
    np.testing.assert_allclose(contributions.base + contributions.values.sum(1), first.scores[5:25], atol=1e-4)
    assert contributions.base == pytest.approx(first.scores[5:25].mean(), abs=1e-4)
    assert slow.rank(QUERY, Settings(blend=False)).contributions(positions) is None
    read = slow.rank(QUERY, Settings(depth=50))
    top = read.order[:20].tolist()
    contributions = read.contributions(top)
    sums = contributions.base + contributions.values.sum(1)
    np.testing.assert_allclose(sums, read.scores[:20], atol=1e-4)
    unread = read.order[-20:].tolist()
    contributions = read.contributions(unread)
    assert not contributions.values[:, contributions.names.index("reranker")].any()
    sums = contributions.base + contributions.values.sum(1)
    np.testing.assert_allclose(np.diff(sums), np.diff(read.scores[-20:]), atol=1e-4)  # all lowered by as much


def test_what_was_not_read_does_not_raise_the_chances_of_what_was(slow):
    first = slow.rank(QUERY, Settings(depth=0))
    read = slow.rank(QUERY, Settings(depth=50))
    scores = dict(zip(first.order.tolist(), first.scores.tolist(), strict=True))
    of_trees = np.array([scores[position] for position in read.reranked])
    expected = read.blend.second_stage(of_trees, np.array(list(read.reranked.values())))
    assert read.scores[50] > expected.min() - 1e-4  # some of it would stand between them
    assert read.scores[:50] == pytest.approx(np.sort(expected)[::-1], abs=1e-4)
    assert read.chances[:50] == pytest.approx(
        read.blend.calibration.chances(np.sort(expected)[::-1], read.fit), abs=1e-4
    )


@pytest.mark.parametrize("budget", [0.0, -1.0, float("inf"), float("nan")])
def test_a_budget_that_is_no_time_is_refused(slow, budget):
    with pytest.raises(QueryError, match="budget"):
        slow.recommend(QUERY, Settings(budget=budget))


def test_the_command_says_how_much_was_read(demo_index):
    line = orjson.dumps({"title": QUERY.title, "abstract": QUERY.abstract}).decode()
    options = ["--index", demo_index, "--reranker", "default", "--depth", "24", "--tokens", "32+16"]
    answer = run("recommend", "-", *options, "--budget", "100s", "--format", "jsonl", stdin=line)
    assert answer.code == 0, answer.err
    assert "Within 100 s a query the cross-encoder read 24 of 24 candidates." in answer.err
    assert len(orjson.loads(answer.out)["recommendations"]) == 20


def test_the_command_says_which_options_of_a_cross_encoder_change_nothing_without_one(demo_index):
    said = "No cross-encoder reads without --reranker, whatever is given as --depth and --budget"
    for query, options, expected in (
        ({"title": QUERY.title}, ("--depth", 24, "--budget", "100s"), [said]),
        ({"title": QUERY.title}, ("--depth", 0), []),
        ({"context": "Citations are recommended by graphs."}, ("--depth", 5), []),
    ):
        answer = run("recommend", "-", "--index", demo_index, *options, stdin=orjson.dumps(query).decode())
        assert (answer.code, [line for line in answer.err.splitlines() if "cross-encoder" in line]) == (0, expected)
    answer = run("recommend", "-", "--index", demo_index, "--tokens", "32+16", stdin='{"title": "T"}')
    assert (answer.code, "--tokens goes with --reranker" in answer.err) == (2, True)


@pytest.mark.parametrize(
    ("option", "value"), [("--budget", "soon"), ("--budget", "0s"), ("--budget", "-1"), ("--tokens", "256"),
                          ("--tokens", "2+256"), ("--tokens", "a+b")]
)  # fmt: skip
def test_values_that_cannot_be_meant_are_refused(option, value):
    answer = run("recommend", "-", "--index", "x", option, value, stdin="{}")
    assert answer.code == 2
    assert option in answer.err
    assert "Traceback" not in answer.err

"""How every API is asked: by whom, how often, how many times in all, and what is kept of its answers."""

import time
from dataclasses import replace
from itertools import chain
from types import SimpleNamespace

import pytest
import world
from bibliography import IDS

from common.errors import FetchError
from fetch.client import RefusedError
from fetch.corpus.answers import Answers
from fetch.corpus.apis import APIS
from fetch.corpus.interface import BudgetSpent

KEYS = {"openalex": "alex-key", "semantic-scholar": "s2-key", "opencitations": "token"}


def test_who_asks_is_said_as_each_api_wants_it(api_options, answers, apis, openalex):
    polite = replace(api_options, keys=KEYS, email="me@example.org")
    for name in world.ID_OF:
        source = polite.source(name, answers)
        work = source.by_doi([world.doi(IDS[0])])[world.doi(IDS[0])]
        next(source.citing([work])[0])
    headers = {path.split("/")[1]: sent for path, _, sent, _ in apis.seen}
    assert openalex.seen[0][2]["Authorization"] == "Bearer alex-key"
    assert headers["s2"]["x-api-key"] == "s2-key"
    assert headers["opencitations"]["authorization"] == "token"
    assert "mailto:me@example.org" in headers["crossref"]["User-Agent"]
    assert not any("key" in str(parameters) or "token" in str(parameters) for _, parameters, *_ in apis.seen)


@pytest.mark.parametrize("odd", ["SECRET\u200bKEY", "SECRET\rKEY", "SECRETKEY…"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(api_options, answers, openalex, odd):
    with pytest.raises(FetchError, match=r"^the key in OPENALEX_API_KEY has a character") as error:
        replace(api_options, keys={"openalex": odd}).source("openalex", answers)
    assert "SECRET" not in str(error.value)
    source = replace(api_options, keys={"openalex": " SECRETKEY\r\n"}, email="jörg@example.org").source(
        "openalex", answers
    )
    source.by_doi([world.doi(IDS[0])])
    (*_, headers) = openalex.seen[0]
    assert headers["Authorization"] == "Bearer SECRETKEY"
    assert headers["User-Agent"].endswith("(mailto:j%C3%B6rg@example.org)")


@pytest.mark.parametrize(("name", "hint"), [("semantic-scholar", "SEMANTIC_SCHOLAR_API_KEY"), ("arxiv", "")])
def test_a_refusal_names_the_variable_of_the_key_and_never_the_key(api_options, answers, monkeypatch, name, hint):
    refusal = (403, {"message": "Forbidden: s2-key is no key"})
    for api in ("s2", "arxiv"):
        monkeypatch.setattr(world.Handler, api, lambda *_: refusal)
    with pytest.raises(RefusedError) as error:
        replace(api_options, keys=KEYS).client(name, answers).get("x", {})
    said = str(error.value)
    assert said.endswith(f"; an API key may be missing or wrong ({hint})" if hint else "is no key")
    assert ("s2-key" in said) == (name == "arxiv")  # which has not been given it


@pytest.mark.parametrize(
    ("name", "keys", "email", "seconds"),
    [
        ("openalex", {}, "", 0.2),
        ("semantic-scholar", {}, "", 3),
        ("semantic-scholar", KEYS, "", 1),
        ("crossref", {}, "", 1),
        ("crossref", {}, "me@example.org", 1 / 3),
        ("opencitations", {}, "", 1 / 3),
        ("arxiv", {}, "", 3),
    ],
)
def test_each_api_is_asked_at_the_pace_that_it_wants(api_options, answers, monkeypatch, name, keys, email, seconds):
    slept = []
    standing = SimpleNamespace(monotonic=lambda: 0.0, sleep=slept.append)
    monkeypatch.setattr("fetch.client.time", standing)
    client = replace(api_options, keys=keys, email=email, requests_per_second=0).client(name, answers)
    for number in range(2):
        with pytest.raises(FetchError):  # there is no such path; the pace is kept all the same
            client.get(f"nowhere/{number}", {})
    assert set(APIS) >= {name}
    assert max(slept) == pytest.approx(seconds)


@pytest.mark.parametrize("name", ["semantic-scholar", "crossref"])
def test_a_wait_that_an_api_asks_for_is_kept(api_options, answers, apis, name):
    apis.faults = {1: "429 Retry-After=1", 2: "503"}
    started = time.monotonic()
    assert api_options.source(name, answers).by_doi([world.doi(IDS[0])])
    assert time.monotonic() - started >= 1
    assert len(apis.seen) == 3
    assert answers.used == 1


def test_no_request_is_made_beyond_those_allowed(api_options, tmp_path, openalex):
    with Answers.kept_in(tmp_path / "few", 2) as answers:
        source = api_options.source("openalex", answers)
        with pytest.raises(BudgetSpent):
            list(source.works([world.w(id_) for id_ in world.BY_ID]))
    assert len(openalex.seen) == 2


def test_what_is_not_there_is_remembered_and_other_refusals_are_not(api_options, tmp_path, openalex):
    def ask(path):
        with Answers.kept_in(tmp_path / "kept", 10) as answers, pytest.raises(RefusedError) as error:
            api_options.client("openalex", answers).get(path, {"per_page": "1000"})
        return error.value.status

    assert [ask("works/doi:10.5555/none") for _ in range(2)] == [404, 404]
    assert len(openalex.seen) == 1
    assert [ask("works") for _ in range(2)] == [400, 400]
    assert len(openalex.seen) == 3


@pytest.mark.parametrize("name", ["openalex", "crossref"])
def test_an_answer_of_another_shape_is_tried_again_and_not_kept(api_options, tmp_path, monkeypatch, name):
    def found():
        with Answers.kept_in(tmp_path / "kept", 10) as answers:
            return list(chain.from_iterable(api_options.source(name, answers).works([world.ID_OF[name](IDS[4])])))

    with monkeypatch.context() as patched:
        patched.setattr(world.Handler, "crossref", lambda *_: (200, {"status": "failed"}))
        patched.setattr("fake_openalex.Handler.result", lambda *_: (200, {"error": "busy"}))
        with pytest.raises(FetchError, match=r"the answer has no .*3 tries"):
            found()
    assert [work.paper.title for work in found()] == [world.BY_ID[IDS[4]]["title"]]

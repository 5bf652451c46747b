"""The review of a manuscript on the page, against the library's own."""

import html
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_index import recommender_fixture
from web_pages import Text, sent

from citescout.review import ReviewOptions, review
from citescout.review.review_parts import KINDS
from exports.reviews import review_sentences, write_review
from manuscripts import read_manuscript
from webui import create_app, review_page
from webui.answers import BusyError, DeadlineError, Limits

sys.path.append(str(Path(__file__).parents[1] / "citescout"))
from reviewed import CLAIM, PAPERS, faulty

ONE = f"/s/{'A' * 22}"
REVIEW = f"{ONE}/manuscript/1/review"
SENTENCE = "Walks on citation graphs number {} have been used by several authors to find related papers."

index = recommender_fixture(PAPERS)


@pytest.fixture
def app(index, tmp_path):
    return create_app(index, sessions=tmp_path / "sessions")


def keep(client, files):
    assert client.post(f"{ONE}/manuscript", data=sent(files)).status_code == 303


def keep_faulty(client, folder):
    keep(client, {f"paper/{path.name}": path.read_bytes() for path in faulty(folder).iterdir()})
    return read_manuscript(folder)


def keep_long(client, sentences):
    text = " ".join(SENTENCE.format(number) for number in range(sentences))
    source = rf"\title{{Walking}}\begin{{document}}\section{{Related work}}{text}\end{{document}}".encode()
    keep(client, {"long.tex": source})
    return read_manuscript(source)


def links(client):
    return [link["href"] for link in Text(client.get(REVIEW).text).named("a")]


def test_the_page_says_what_the_library_says(client, index, tmp_path):
    manuscript = keep_faulty(client, tmp_path / "paper")
    assert f'href="{REVIEW}"' in client.get(f"{ONE}/manuscript/1").text
    shown = " ".join(Text(client.get(REVIEW).text).text.split())
    expected = review(index, manuscript)
    assert {finding.kind for finding in expected.findings} == set(KINDS) - {"claim", "missing"}
    assert expected.claims
    for sentence in review_sentences.summary(expected):
        assert " ".join(sentence.split()) in shown
    for finding in expected.findings:
        assert " ".join(review_sentences.finding_words(finding).split()) in shown
        assert all(where in shown for where in review_sentences.places(finding))
    for claim in expected.claims:
        assert claim.sentence in shown
    for heading, references in review_sentences.references_by_state(expected):
        assert heading in shown
        assert all(review_sentences.reference_words(one) in shown for one in references)
    headings = [*review_sentences.HEADINGS.values(), *dict(review_sentences.references_by_state(expected)), "Not read"]
    written = [heading for heading in re.findall(r"(?m)^## (.*?)(?: \(|$)", write_review(expected, "markdown"))]
    page = [" ".join(one.split()) for one in re.findall("<h2[^>]*>([^<]*)", client.get(REVIEW).text)]
    assert [heading for heading in page if heading in headings] == written


def test_findings_and_sentences_lead_to_the_text(client, tmp_path):
    manuscript = keep_faulty(client, tmp_path / "paper")
    addresses = [one for one in links(client) if "sentence=" in one]
    sentences = [sentence.text for sentence in manuscript.sentences()]
    claim = sentences.index(CLAIM) + 1
    assert f"{ONE}/manuscript/1?sentence={claim}#s{claim}" in addresses
    wrong_key = next(number for number, text in enumerate(sentences, 1) if "a key is wrong" in text)
    assert f"{ONE}/manuscript/1?sentence={wrong_key}&cited=nowhere#s{wrong_key}" in addresses
    assert not any("cited=idle" in one for one in addresses), "no sentence cites it"
    for address in addresses:
        page = client.get(address)
        assert page.status_code == 200
        assert f'id="{address.partition("#")[2]}"' in page.text


def test_a_finding_leads_to_the_sentence_that_cites_it_and_not_to_one_of_the_same_words(client):
    text = r"\begin{document}See \cite{one} for this. See \cite{other} for this.\end{document}"
    keep(client, {"draft.tex": text.encode()})
    addresses = {one for one in links(client) if "sentence=" in one}
    assert addresses == {
        f"{ONE}/manuscript/1?sentence={number}&cited={key}#s{number}" for number, key in enumerate(("one", "other"), 1)
    }


@pytest.mark.long
@pytest.mark.parametrize("format_name", ["markdown", "html", "json"])
def test_it_is_downloaded_as_the_command_writes_it(client, index, tmp_path, format_name):
    manuscript = keep_faulty(client, tmp_path / "paper")
    answer = client.get(f"{REVIEW}/{format_name}?claims=1")
    assert answer.text == write_review(review(index, manuscript), format_name, "paper")
    ending = {"markdown": "md"}.get(format_name, format_name)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="review.{ending}"'
    assert client.get(f"{REVIEW}/pdf").status_code == 404


def test_papers_for_a_sentence_go_into_the_basket_and_back_to_it(client, index, monkeypatch):
    manuscript = keep_long(client, 2)
    monkeypatch.setattr(review_page, "OPTIONS", ReviewOptions(chance=0.0))
    expected = review(index, manuscript, review_page.OPTIONS)
    wanted = [one.paper.id for claim in expected.claims for one in claim.suggestions]
    page = client.get(REVIEW).text
    assert wanted
    assert [*wanted, *(one.paper.id for one in expected.missing)] == re.findall(r'name="paper" value="(\w+)"', page)
    field = re.compile(r'name="(\w+)" value="([^"]*)"')
    forms = [part for part in page.split("<form")[1:] if 'name="sentence"' in part]
    sent = [{name: html.unescape(value) for name, value in field.findall(form)} for form in forms]
    fields, last = sent[0], sent[-1]
    assert fields["note"] == expected.claims[0].sentence
    for one in (fields, last):
        answer = client.post(f"{ONE}/manuscript/1/pick", data=one)
        address, _, place = answer.headers["Location"].partition("#")
        assert address == f"{REVIEW}?claims={one['review']}"
        back = client.get(address).text
        around = back.partition(f'id="{place}"')[2].partition("</li>")[0]
        assert f'name="paper" value="{one["paper"]}"' in around, "back to that paper, not to the top of its list"
        assert "In the basket" in around
    assert fields["note"] in client.get(f"{ONE}/basket").text
    onwards = f'href="{ONE}/manuscript/1#bibliography"'
    assert onwards in client.get(REVIEW).text
    assert onwards not in page
    for one in (fields, last):
        client.post(f"{ONE}/manuscript/1/pick", data={**one, "remove": "1"})
    assert "In the basket" not in client.get(REVIEW).text


def asked(address, client):
    answer = client.get(f"{REVIEW}/json{address}")
    assert answer.status_code == 200, answer.text
    return answer.get_json()


def test_a_long_text_is_asked_in_parts_and_each_once(app, client, index, monkeypatch):
    monkeypatch.setattr(review_page, "CLAIMS", 4)
    manuscript = keep_long(client, 7)
    questions = []
    answers = app.extensions["citescout"].indexes[""]
    ask = answers.answer

    def counted(query, settings, until=None):
        questions.append(query.context)
        return ask(query, settings, until)

    monkeypatch.setattr(answers, "answer", counted)
    first = asked("", client)
    assert len(first["claims"]) == 4
    assert first["claims_left"] == 3
    assert f"{REVIEW}?claims=7#claim" in links(client)
    whole = asked("?claims=7", client)
    assert whole == json.loads(write_review(review(index, manuscript), "json"))
    assert questions == ["", *(SENTENCE.format(number) for number in range(7))]
    for wrong in ("0", "-1", "x", "1" * 30, ""):
        assert len(asked(f"?claims={wrong}", client)["claims"]) == 4
    assert len(questions) == 8


def test_there_is_an_end_to_how_many_sentences_are_asked_for(client, monkeypatch):
    monkeypatch.setattr(review_page, "CLAIMS", 4)
    monkeypatch.setattr(review_page, "OPTIONS", ReviewOptions(most_claims=6))
    keep_long(client, 9)
    found = asked("?claims=999999", client)
    assert (len(found["claims"]), found["claims_left"]) == (6, 3)
    assert "sentences more" not in client.get(f"{REVIEW}?claims=999").text


@pytest.mark.long
@pytest.mark.parametrize(("error", "status"), [(DeadlineError("late"), 503), (BusyError("busy", 3), 429)])
def test_what_was_answered_in_time_is_shown_and_kept(app, client, monkeypatch, error, status):
    keep_long(client, 30)
    answers = app.extensions["citescout"].indexes[""]
    ask = answers.answer
    left = 5

    def limited(query, settings, until=None):
        nonlocal left
        left -= 1
        if left < 0:
            raise error
        return ask(query, settings, until)

    monkeypatch.setattr(answers, "answer", limited)
    answer = client.get(REVIEW)
    assert answer.status_code == status
    assert "Retry-After" in answer.headers
    left = 15
    shown = client.get(REVIEW)
    assert shown.status_code == 200
    assert "Look at 20 sentences more" in shown.text
    left = 100
    assert len(asked("", client)["claims"]) == 30
    assert left == 80, "those that were there are not asked again"


def test_a_full_queue_refuses_the_review(index, tmp_path):
    client = create_app(index, sessions=tmp_path, limits=Limits(at_once=1, queue=-1)).test_client()
    keep_long(client, 1)
    assert client.get(REVIEW).status_code == 429


def test_a_hostile_manuscript_is_only_text(client):
    attack = '<script>alert(1)</script>"><img src=x onerror=alert(2)>'
    text = rf"\title{{{attack}}}\begin{{document}}\section{{{attack}}}Several studies have shown {attack} before. They cite it \cite{{a<b>}}.\end{{document}}"  # noqa: E501
    keep(client, {"<b>.tex": text.encode()})
    answer = client.get(REVIEW)
    assert "<script>alert" not in answer.text
    assert "<img" not in answer.text
    assert "Several studies have shown" in answer.text
    assert "unsafe-inline" not in answer.headers["Content-Security-Policy"]
    assert " style=" not in answer.text


def test_nobody_sees_the_review_of_another_session(client, tmp_path):
    keep_faulty(client, tmp_path / "paper")
    for other in (f"/s/{'B' * 22}", ""):
        assert client.get(f"{other}/manuscript/1/review").status_code == 404
        assert client.get(f"{other}/manuscript/1/review/json").status_code == 404
    client.post(f"{ONE}/manuscript/1/delete")
    assert client.get(REVIEW).status_code == 404


def test_a_changed_index_is_asked_anew(client, app, index, tmp_path, monkeypatch):
    keep_faulty(client, tmp_path / "paper")
    site = app.extensions["citescout"]
    client.get(REVIEW)
    client.get(REVIEW)
    assert len(site.reviews) == 1
    monkeypatch.setattr(index, "info", replace(index.info, generation="gen-000002"))
    client.get(REVIEW)
    assert len(site.reviews) == 2

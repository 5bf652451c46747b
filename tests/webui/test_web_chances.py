"""Chances, cuts and verdicts on the page and in the API."""

import re

import pytest

QUESTION = {"title": "Passage retrieval with neural ranking"}


def page(client, **fields):
    return client.post("/", data={**QUESTION, **fields}).text


def cuts(html):
    return re.findall(r'<p class="cut \w+" id="cut-\d">(\w+)', html)


def test_bars_are_as_long_as_the_chance(client, calibrate):
    calibrate(0.62)
    html = page(client)
    assert re.findall(r'<span class="spoken">Chance </span>([^<]+)</span>', html)[:2] == ["62 %", "31 %"]
    assert re.findall(r'class="fill" width="([\d.]+)" height="6"/></svg>\s*<span class="number"><span', html)[:2] == [
        "62.0",
        "31.0",
    ]
    assert cuts(html) == ["Likely", "Perhaps", "Unlikely"]
    assert 'start="2" aria-labelledby="cut-2"' in html


@pytest.mark.parametrize(("best", "label"), [(0.999, "&gt;99 %"), (0.001, "&lt;1 %")])
def test_no_chance_is_shown_as_certain(client, calibrate, best, label):
    calibrate(best)
    assert f"</span>{label}</span>" in page(client)


def test_without_chances_there_are_ranks_only(client):
    html = client.post("/api/v1/recommend", json={**QUESTION, "blend": False}, headers={"Accept": "text/html"}).text
    assert 'class="rank">1<' in html
    assert 'class="score"' not in html
    assert cuts(html) == []
    assert "probable" not in html


def test_a_good_fit_is_not_spoken_of(client, calibrate):
    calibrate(0.9, "good")
    html = page(client)
    assert "5 papers to consider" in html
    assert "this index has" not in html.lower()
    assert 'id="nearest"' not in html


def test_a_weak_fit_is_said_above_the_list(client, calibrate):
    calibrate(0.3, "weak")
    html = page(client)
    assert '<p class="fit">This index has little on this.' in html
    assert 'id="nearest"' not in html


def test_where_nothing_fits_the_list_is_folded_away(client, calibrate):
    calibrate(0.02, "none")
    html = page(client)
    assert "<h2>Nothing in this index seems to be about this." in html
    before, _, folded = html.partition(
        '<details class="folded" id="nearest"><summary>The 5 papers that came nearest</summary>'
    )
    assert '<li class="result"' not in before
    assert folded.count('<li class="result"') == 5
    assert folded.index('id="paper-5"') < folded.rindex("</details>")


def test_reasons_are_sentences_and_ranks_stand_in_the_details(client):
    html = page(client)
    why = re.search(r'<ul class="why".*?</ul>', html, re.DOTALL)[0]
    assert re.search(r'Shared terms: <b class="w\d" title="[\d.]+ of the BM25 score"><bdi>', why)
    assert len(re.findall(r'<a [^>]*dir="auto">', why)) == why.count("<a ") > 0, "scripts are not mixed"
    assert "#" not in re.sub(r'href="[^"]*"', "", why)
    details = re.search(r'<details class="parts">.*?</details>', html, re.DOTALL)[0]
    assert re.search(r"Matched by words \(\d+(st|nd|rd|th)\)", details)


def test_api_tells_likelihood_and_fit(client, calibrate):
    calibrate(0.62, "weak")
    answer = client.post("/api/v1/recommend", json=QUESTION).get_json()
    assert answer["fit"] == {"chance": 0.62, "verdict": "weak", "unknown_words": 0.0}
    first, second, *_ = answer["recommendations"]
    assert (first["score"], first["likelihood"]) == (pytest.approx(62), "likely")
    assert second["likelihood"] == "perhaps"
    assert first["reasons"]["why"].endswith(".")
    batch = client.post("/api/v1/batch", json={"queries": [QUESTION]}).get_json()
    assert batch["answers"][0]["fit"]["verdict"] == "weak"
    exported = client.post("/api/v1/export/markdown", json=QUESTION).text
    assert "This index has little on this." not in exported, "above a paper that is likely cited"
    assert "### Likely" in exported


def test_api_document_knows_the_new_fields(client):
    schemas = client.get("/api/v1/openapi.json").get_json()["components"]["schemas"]
    assert schemas["FitRecord"]["properties"]["verdict"]["enum"] == ["good", "weak", "none"]
    assert schemas["RecommendationRecord"]["properties"]["likelihood"]["enum"] == [
        "likely",
        "perhaps",
        "unlikely",
        None,
    ]
    assert "fit" in schemas["RecommendAnswer"]["required"]

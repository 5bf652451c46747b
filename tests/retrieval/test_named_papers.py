"""Papers that a sentence names by their authors."""

import numpy as np
import pytest
from growth import NEARLY_LINEAR, growth

from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.paper import Paper
from retrieval.named_papers import Mention, mentions, named_papers


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("As Karpukhin et al. (2020) showed, it works.", [Mention(("As Karpukhin",), True, 2020)]),
        ("Word vectors were proposed by Mikolov et al. and others", [Mention(("Mikolov",), True)]),
        ("Robertson and Zaragoza [CITATION] describe it", [Mention(("Robertson", "Zaragoza"), fewest=2)]),
        (
            "(see Lovelace & Hopper, 1952; Turing 1936b)",
            [Mention(("Lovelace", "Hopper"), False, 1952, 2), Mention(("Turing",), year=1936)],
        ),
        ("Van der Maaten's (2008) maps", [Mention(("Van der Maaten",), year=2008)]),
        (
            "O’Neil-Brown (1999) and García et al., 2001",
            [Mention(("O’Neil-Brown",), year=1999), Mention(("García",), True, 2001)],
        ),
        ("by Blei, Ng, and Jordan (2003)", [Mention(("Blei", "Ng", "Jordan"), False, 2003, 2)]),
        ("(Blei, Ng, & Jordan, 2003)", [Mention(("Blei", "Ng", "Jordan"), False, 2003, 2)]),
        ("Salton, Wong and Yang have proposed", [Mention(("Salton", "Wong", "Yang"), fewest=2)]),
        ("Price (1965, 1976) counted", [Mention(("Price",), year=1965), Mention(("Price",), year=1976)]),
        (r"Devlin et~al.~(2019) mask 15\% of it", [Mention(("Devlin",), True, 2019)]),
        (
            r"Devlin \emph{et al.} (2019), M\"uller~\& Roe",
            [Mention(("Devlin",), True, 2019), Mention(("Müller", "Roe"), fewest=2)],
        ),
        ("Devlin *et al.* (2019)", [Mention(("Devlin",), True, 2019)]),
        ("Shannon's 1948 paper and Turing 1936b", [Mention(("Shannon",), year=1948), Mention(("Turing",), year=1936)]),
        (
            "VASWANI ET AL. (2017) and LOVELACE AND HOPPER",
            [Mention(("VASWANI",), True, 2017), Mention(("LOVELACE", "HOPPER"), fewest=2)],
        ),
        (
            "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). See Hirsch, J. E. (2005)",
            [Mention(("Devlin", "Chang", "Lee", "Toutanova"), False, 2019, 2), Mention(("See Hirsch",), year=2005)],
        ),
        (
            "by Roe, A. B. and Van Doe, C. (1999) for the work of Poe, A. B. Clark",
            [Mention(("Roe", "Van Doe"), False, 1999, 2)],
        ),
        ("we use BERT and dropout on the data of Wikipedia", []),
        ("accuracy of 2010 samples rose", []),
        ("Page 1999 of the proceedings has it (as Page 1999 of others), the Price 1976 rose, as in Price 1970s.", []),
        ("Bush (2001–2009)", []),
    ],
)
def test_mentions(text, named):
    assert list(mentions(text)) == named


@pytest.mark.parametrize("repeated", ["van ", "de-", "A-", "A. "])
def test_a_text_made_to_be_slow_is_searched_at_once(repeated):
    assert list(mentions(repeated * 1_000)) == []
    assert growth(lambda size: list(mentions(repeated * size)), 20_000) < NEARLY_LINEAR


PAPERS = (
    Paper("dpr", "Dense passages", "", authors=("Vladimir Karpukhin", "Barlas Oğuz", "Sewon Min"), year=2020),
    Paper("prf", "The framework", "", authors=("Stephen Robertson", "Hugo Zaragoza"), year=2009),
    Paper("alone", "On ranking", "", authors=("Robertson, S.",), year=1997),
    Paper("three", "Simple BM25", "", authors=("Stephen Robertson", "Hugo Zaragoza", "Michael Taylor"), year=2004),
    Paper("edits", "Edits", "", authors=("Nicola De Cao", "Wilker Aziz", "Ivan Titov"), year=2021),
    Paper("counts", "Counts", "", authors=("Benjamin Van Durme", "Ashwin Lall"), year=2009),
    Paper("conll", "Entities", "", authors=("Erik F. Tjong Kim Sang", "De Meulder, Fien"), year=2003),
    Paper("cao", "Edits of others", "", authors=("Wei Cao", "B. Aziz", "C. Lu"), year=2021),
    Paper("lda", "Topics", "", authors=("David M. Blei", "Andrew Y. Ng", "Michael I. Jordan"), year=2003),
    Paper("jordan", "Graphs", "", authors=("Michael I. Jordan",), year=2003),
    Paper("tsne", "Maps", "", authors=("Laurens van der Maaten", "Geoffrey Hinton"), year=2008),
)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Karpukhin et al. (2020)", ["dpr"]),
        ("KARPUKHIN ET AL. (2020)", ["dpr"]),
        ("Robertson, S., Zaragoza, H., & Taylor, M. (2004)", ["three"]),
        ("De Cao, N., Aziz, W., & Titov, I. (2021)", ["edits"]),
        ("Robertson, S. (1997)", ["alone"]),
        ("Karpukhin et al. (2021)", ["dpr"]),  # of a preprint
        ("Karpukhin et al. (2015)", []),
        ("Karpukhin and Lewis (2020)", []),
        ("Robertson and Zaragoza", ["prf"]),
        ("Robertson et al. 2004", ["three"]),
        ("Robertson (1997)", ["alone"]),
        ("Zaragoza et al.", []),  # not the first author
        ("van der Maaten and Hinton", ["tsne"]),
        ("Maaten and Hinton (2008)", ["tsne"]),
        ("Precision and Recall (2020)", []),
        ("As De Cao et al. (2021) edit", ["edits"]),
        ("Cao et al. (2021)", ["cao", "edits"]),
        ("Van Durme and Lall (2009)", ["counts"]),
        ("Tjong Kim Sang and De Meulder (2003)", ["conll"]),
        ("Kim Sang and Fien De Meulder", ["conll"]),
        ("Likewise, Blei, Ng, and Jordan (2003)", ["lda"]),
        ("Blei, Ng, et al. (2003)", ["lda"]),
        ("Blei, Ng, Jordan, et al. (2003)", []),
        ("Blei and Jordan (2003)", []),
        ("Likewise, Jordan (2003)", ["jordan"]),
        ("we compare BM25 and Blei et al. (2003)", ["lda"]),
    ],
)
def test_what_is_named(tmp_path, text, ids):
    assert _named(text, tmp_path, PAPERS) == ids


def test_only_what_is_allowed(tmp_path):
    assert not _named("Karpukhin et al. (2020)", tmp_path, PAPERS, allowed=False)


def test_a_name_of_many_papers_is_none_of_them(tmp_path):
    papers = [
        Paper(f"p{number}", f"Title {number}", "", authors=("A. Lovelace", "B. C."), year=1990) for number in range(6)
    ]
    assert len(_named("Lovelace et al. (1990)", tmp_path, papers[:5])) == 5
    assert not _named("Lovelace et al. (1990)", tmp_path, papers)


def _named(text, folder, papers, allowed=True):
    path = folder / f"{len(papers)}.sqlite"
    build_catalog(papers, path)
    catalog = Catalog(path)
    years = np.array([paper.year for paper in catalog.papers(range(len(papers)))])
    return catalog.ids(named_papers(text, catalog, years, np.full(len(papers), allowed)))

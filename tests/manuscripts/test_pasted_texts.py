"""What people copy from a PDF, from arXiv or from a publisher's page → title and abstract."""

from collections.abc import Callable
from itertools import count

import pytest
from growth import NEARLY_LINEAR, growth

from manuscripts import read_manuscript
from manuscripts.draft import split_title

TITLE = "Neural Machine Translation by Jointly Learning to Align and Translate"
LINES = "Neural Machine Translation by Jointly\nLearning to Align and Translate"
NAMES = "Dzmitry Bahdanau, Kyunghyun Cho, Yoshua Bengio"
STAMP = "arXiv:1409.0473v7 [cs.CL] 19 May 2016"
TEXT = (
    "Neural machine translation is a recently proposed approach to machine translation. The models proposed recently "
    "often belong to a family of encoders and decoders. Here we learn to align and to translate jointly."
)
CHINESE = "本文研究神经网络在机器翻译中的应用。"
WRAPPED = (
    "Neural machine translation is a recently proposed approach to machine\n"
    "translation. The models proposed recently often belong to a family of\n"
    "encoders and decoders. Here we learn to align and to translate jointly."
)


@pytest.mark.parametrize("abstract", [TEXT, WRAPPED])
@pytest.mark.parametrize(
    "above",
    [
        f"{LINES}\n\nAbstract. ",
        f"{LINES}\n\nAbstract\n",
        f"{LINES}\n\n",
        f"{LINES}\nAbstract—",
        f"{LINES}\nAbstract - ",
        f"{LINES}\nABSTRACT\n\n",
        f"{LINES}\nA B S T R A C T\n",
        f"{LINES}\n\nSummary: ",
        f"{LINES}\nZusammenfassung. ",
        f"{LINES}\n\n【摘要】",
        f"{TITLE}\n{NAMES}\nAbstract: ",
        f"{TITLE}\n\n{NAMES}\n\nAbstract\n",
        f"{TITLE}\n{NAMES}\n\n",
        f"{TITLE}\n\n{NAMES}\n\n",
        f"{TITLE}\n{NAMES}\n",
        f"{LINES}\n{NAMES}\n",
        f"{LINES}\n{NAMES}\nAbstract—",
        f"{LINES}\n\n{NAMES}\nUniversité de Montréal\n\nAbstract. ",
        f"Title: {TITLE}\nAuthors: {NAMES}\nAbstract: ",
        f"Title: {LINES}\n\n",
        f"{STAMP}\n{TITLE}\n{NAMES}\n",
        f"{STAMP}\n\n{LINES}\n\n",
        f"Published as a conference paper at ICLR 2015\n{LINES}\n{NAMES}\nABSTRACT\n",
        f"Author manuscript\nPublished in final edited form as: Acta Ling. 2021\n\n{LINES}\n{NAMES}\n\nAbstract—",
        "HHS Public Access\nAuthor manuscript\nActa Ling Stud. Author manuscript; available in PMC 2015 July 07.\n\n"
        f"Published in final edited form as:\nActa Ling Stud. 2015 January 7; 35(1): 1-10. doi:10.1000/x.\n{LINES}\n\n",
        f"NIH-PA Author Manuscript\n{TITLE}\n{NAMES}\n",
        f"Europe PMC Funders Group\nAuthor Manuscript\n{LINES}\n\nAbstract\n",
        f"Wellcome Open Access\n\n{TITLE}\n{NAMES}\nAbstract\n",
        f"Acta Linguistica 12 (2015) 1–15\nContents lists available at ScienceDirect\n{LINES}\n{NAMES}\nAbstract\n",
        f"https://doi.org/10.48550/arXiv.1409.0473\n{TITLE}\n\n",
        f"{LINES}\nDzmitry Bahdanau1, Kyunghyun Cho2,3*, and Yoshua Bengio2†\n1 Jacobs University Bremen\n"
        "2 Université de Montréal, 3 CIFAR\n{db,kc}@jacobs.de\n\nAbstract. ",
        f"{TITLE}\nDzmitry Bahdanau∗\nJacobs University Bremen, Germany\nKyunghyun Cho, Yoshua Bengio†\n"
        "Université de Montréal\nAbstract: ",
        f"{TITLE}\nD. Bahdanau\nJacobs University Bremen, 28759 Bremen, Germany\nbahdanau@jacobs.de\n\n",
        f"{TITLE}\nKyunghyun Cho\nAbstract: ",
        f"{TITLE}\nby Kyunghyun Cho and Aaron van den Oord\n\n",
        f"{TITLE}\n{NAMES}\n19 May 2016\n\n",
        f"{TITLE}\nLudwig zu Stolberg, Muhammad ibn Musa et al.\n\n",
        f"{TITLE}\nBo Li, Wei Xu\n\n",
        f"{TITLE}\n李明，王芳\nAbstract: ",
        f"{TITLE}\nKyunghyun Cho, University of Montreal\n\n",
        f"{TITLE}\nKarl von dem Bussche and João do Nascimento\n",
        f"{TITLE}\n\n",
    ],
)
def test_a_title_stands_above_who_wrote_it_and_above_the_abstract(above: str, abstract: str) -> None:
    assert split_title(above + abstract) == (TITLE, abstract)


@pytest.mark.parametrize(
    "above",
    [
        "From: Ada Doe <doe@example.org>\nDate: 3 November 2025\nSubject: Fwd: draft\nTo: B. Roe\n\n",
        "Begin forwarded message:\n\nFrom: Ada Doe <doe@example.org>\nSubject: our draft\n\n",
        "Subject: our draft\n\nDear Bo,\n\nhere is the abstract, as promised:\n\n",
        "Liebe Frau Roe,\n\n",
    ],
)
def test_of_a_mail_only_what_it_was_sent_for_is_read(above: str) -> None:
    mail = f"{above}{TITLE}\n{NAMES}\n\n{TEXT}"
    assert split_title(mail) == (TITLE, TEXT)
    assert split_title("\n".join(f"> {line}" for line in mail.splitlines())) == (TITLE, TEXT)
    assert split_title(f"{mail}\n\n-- \nAda Doe\nUniversity of Nowhere") == (TITLE, TEXT)
    broken = split_title(f"Hi-C maps of yeast, worm,\nfly and human\n\n{TEXT}")
    assert broken == ("Hi-C maps of yeast, worm, fly and human", TEXT), "that greets nobody"
    assert split_title(f"{TITLE}\n\n-- \n{TEXT}") == (TITLE, f"-- \n{TEXT}"), "it parts a text, and signs none"


def test_a_title_that_stands_in_the_head_of_a_mail_alone_is_kept() -> None:
    assert split_title(f"To: B. Roe\nSubject: Fwd: {TITLE}\n\nDear Bo,\n\n{TEXT}") == (TITLE, TEXT)
    assert split_title(f"Subject: Re: our draft\n\n{TEXT}") == ("", TEXT)


@pytest.mark.parametrize("name", ["DATE", "SENT"])
def test_a_title_that_begins_with_an_acronym_is_no_head_of_a_mail(name: str) -> None:
    assert split_title(f"{name}: {TITLE}\n\n{TEXT}") == (f"{name}: {TITLE}", TEXT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"Is Neural Translation\nReally Solved?\n\n{TEXT}", ("Is Neural Translation Really Solved?", TEXT)),
        (f"Is neural translation\nsolved:\n\n{TEXT}", ("Is neural translation solved:", TEXT)),
        (f"{STAMP}\n{WRAPPED}", ("", WRAPPED)),
        (STAMP, (STAMP, "")),
        (WRAPPED, ("", WRAPPED)),
        (f"{WRAPPED}\n\n{WRAPPED}", ("", f"{WRAPPED}\n\n{WRAPPED}")),
        (f"{TITLE}\n{WRAPPED}\n\n{TEXT} {TEXT}", (TITLE, f"{WRAPPED}\n\n{TEXT} {TEXT}")),
        ("We ask whether\nmodels align\n\n" + TEXT, ("", f"We ask whether\nmodels align\n\n{TEXT}")),
        # The abstract speaks of what the line names; of people it does not.
        (
            f"Models for\nMachine Translation, Neural Networks\n\n{TEXT}",
            ("Models for Machine Translation, Neural Networks", TEXT),
        ),
        (f"Models of\nMachine Translation\nAbstract: {TEXT}", ("Models of Machine Translation", TEXT)),
        (f"Learning to Align\n{TEXT}", ("Learning to Align", TEXT)),
        (f"Abstract-based models\n\n{TEXT}", ("Abstract-based models", TEXT)),
        (f"Summary-Based Models\n\n{TEXT}", ("Summary-Based Models", TEXT)),
        (f"Abstract—{TEXT}", ("", TEXT)),
        (f"Abstract-We {TEXT[1:]}", ("", f"We {TEXT[1:]}")),
        (f"Abstract\n\n{TEXT}", ("", TEXT)),
        (
            f"{TITLE}\n\n{TEXT}\n\nKeywords: Machine Translation, Neural Networks\n\n1 Introduction\n{TEXT}",
            (TITLE, f"{TEXT}\n\nKeywords: Machine Translation, Neural Networks\n\n1 Introduction\n{TEXT}"),
        ),
        (f"{TITLE}\n\n{TEXT}\n\nIntroduction\n\n{TEXT}", (TITLE, f"{TEXT}\n\nIntroduction\n\n{TEXT}")),
        (f"{WRAPPED}\n\n{TEXT}\n\nSummary: {TEXT}", ("", f"{WRAPPED}\n\n{TEXT}\n\nSummary: {TEXT}")),
        (f"{TITLE}\n{TEXT}", (TITLE, TEXT)),
        (f"机器翻译研究：\n神经网络、机器翻译\n摘要：{CHINESE}", ("机器翻译研究： 神经网络、机器翻译", CHINESE)),
        (f"神经网络与\n机器翻译\n摘要：{CHINESE}", ("神经网络与 机器翻译", CHINESE)),
    ],
)
def test_what_is_no_title_and_no_name_stays(text: str, expected: tuple[str, str]) -> None:
    assert split_title(text) == expected


NUMBERINGS = {
    "every line": lambda line, number: f"{number} {line}",
    "set right, of a later page": lambda line, number: f"{number + 97:>4}\t{line}",
    "every fifth": lambda line, number: line if number % 5 else f"{number}  {line}",
    "on lines of their own": lambda line, number: f"{number}\n{line}",
}


@pytest.mark.parametrize("numbered", NUMBERINGS.values(), ids=NUMBERINGS.keys())
@pytest.mark.parametrize("above", [f"{LINES}\n{NAMES}\n\nAbstract. ", f"{LINES}\n\n", f"{LINES}\nABSTRACT\n"])
def test_numbers_of_lines_are_left_out(above: str, numbered: Callable[[str, int], str]) -> None:
    parted = " ".join([TEXT] * 4).replace("proposed approach", "pro-\nposed approach").replace(". ", ".\n")
    lines = (above + parted).splitlines()
    number = count(1)
    text = "\n".join(numbered(line, next(number)) if line else line for line in lines)
    assert split_title(text) == split_title("\n".join(lines))
    found = read_manuscript(f"{text}\n".encode())
    assert (found.title, found.abstract) == (TITLE, " ".join([TEXT] * 4))


@pytest.mark.parametrize(
    "text",
    [
        f"{TITLE}\n\n{TEXT}\n\n1 Introduction\n{TEXT}\n2 Methods\n{TEXT}\n3 Results\n{TEXT}",
        f"{TITLE}\n\n{TEXT}\n\nReferences\n1 Doe A. Oaks. 2001.\n2 Roe B. Elms. 2002.\n3 Poe C. Ashes. 2003.",
        f"{TITLE}\n\n3 of 10 models align.\n4 of them do it well.\n9 translate.",
    ],
)
def test_other_numbers_at_the_beginnings_of_lines_stay(text: str) -> None:
    assert split_title(text)[1] == text.removeprefix(TITLE).strip()


@pytest.mark.parametrize(
    "text",
    [
        lambda size: "\n".join(f"{number} b" for number in range(size)),
        lambda size: "Aa Bb\n" * size,
        lambda size: f"a{' ' * size}b\n" * 3,
        lambda size: "a@" * size + "\nb",
        lambda size: "Aa, Bb " * size,
    ],
)
def test_a_long_text_is_read_at_once(text: Callable[[int], str]) -> None:
    assert growth(lambda size: split_title(f"{TITLE}\n{text(size)}"), 50_000) < NEARLY_LINEAR


def test_the_title_of_a_text_file_ends_above_the_names() -> None:
    found = read_manuscript(f"{LINES}\n{NAMES}\nAbstract. {WRAPPED}".encode())
    assert (found.title, found.abstract) == (TITLE, TEXT)


@pytest.mark.parametrize("numbered", [False, True])
def test_footnotes_and_comments_below_a_text_of_google_docs_are_no_reference_list(numbered: bool) -> None:
    listed = ["Doe, A. (2001). How trees grow. Acta, 3.", "Roe, B. (2002). How they fall. Acta, 4."]
    above = "On trees\n\nAbstract\n\nWe ask.\n\nTrees grow (Doe, 2001).[1] They fall (Roe, 2002).[a] So it is.[2]"
    if numbered:
        listed = [f"[{number}] {entry}" for number, entry in enumerate(listed, start=1)]
        above = "On trees\n\nAbstract\n\nWe ask.\n\nTrees grow [1]. They fall [1, 2].[a] So it is [1], [2]."
    below = "________________\n[1] In parks.\n\n[2] In towns, too.\n[a]Ann, is this so?\n[b]Yes."
    text = "\n\n\n".join([above, "References", *listed]) + f"\n{below}\n"
    found = read_manuscript(text.encode(), ".txt")
    assert [entry.source for entry in found.entries] == [entry.split("] ")[-1] for entry in listed]
    names = [("1",), ("1", "2"), ("1", "2")] if numbered else [("Doe 2001",), ("Roe 2002",)]
    assert ([mark.keys for mark in found.marks()], found.unread) == (names, ())
    texts = [sentence.text for sentence in found.sentences()][-4:]
    expected = ["They fall.", "So it is.", "In parks.", "In towns, too."]
    assert texts == (expected if numbered else [expected[0], "So it is.²", *expected[2:]])


def test_footnotes_that_cite_are_the_list_of_a_text_of_google_docs() -> None:
    notes = "[1] Ann Doe, How trees grow (Acta, 2001).\n\n[2] Cy Poe, Elms (1987).\n\n[3] See Bo Roe, Of falls (1999)."
    above = "On trees\n\nAbstract\n\nWe ask.\n\nTrees grow.[1] They fall.[2] So[a] it is.[3]"
    found = read_manuscript(f"{above}\n________________\n{notes}\n[a]Ann, is this so?\n".encode(), ".txt")
    assert [entry.key for entry in found.entries] == ["1", "2", "3"]
    assert [sentence.text for sentence in found.sentences()][-3:] == ["Trees grow.", "They fall.", "So it is."]
    assert [mark.keys for mark in found.marks()] == [("1",), ("2",), ("3",)]


def test_a_text_may_begin_with_a_letter_in_brackets() -> None:
    found = read_manuscript(b"[a] Trees grow in towns.\n\nAbstract\n\nWe ask why.", ".txt")
    assert (found.title, found.abstract) == ("[a] Trees grow in towns.", "We ask why.")

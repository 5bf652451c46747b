"""Text on one line."""

import pytest

from common.text import one_line, unligated
from retrieval.query import Query


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  two\n\twords ", "two words"),
        ("\x1b\n\u202e", ""),
        ("a \u202e b", "a b"),
        ("García\u00a0López", "García López"),
    ],
)
def test_one_line(text, line):
    assert one_line(text) == line


def test_what_is_copied_from_a_pdf_is_asked_in_letters():
    asked = Query("Eﬃcient reﬂection", "Oﬃces diﬀer. Müller ﬁnds Ω.", context="A ﬂow [CITATION].")
    assert (asked.title, asked.abstract) == ("Efficient reflection", "Offices differ. Müller finds Ω.")
    assert asked.context == "A flow [CITATION]."
    assert unligated("ﬅ ﬆ Straße") == "st st Straße"

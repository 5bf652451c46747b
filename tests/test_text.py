"""Text on one line."""

import pytest

from common.text import one_line


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

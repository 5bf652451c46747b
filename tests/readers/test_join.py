import sqlite3

import pytest

from common.errors import SourceError
from indexer.readers.join import temporary_join


def test_values_come_in_the_order_in_which_they_were_stored():
    with temporary_join() as join:
        for number in range(50):
            join.add("cites", str(number % 3), str(number))
        join.add("abstract", "1", "half \ud83d pair")
        join.finish()
        assert join.values("cites", "1") == [str(n) for n in range(1, 50, 3)]
        assert join.value("abstract", "1") == "half  pair"
        assert join.value("abstract", "2") == ""


def test_full_disk_is_one_clear_error():
    with pytest.raises(SourceError, match="disk is full; make room"), temporary_join():
        raise sqlite3.OperationalError("database or disk is full")

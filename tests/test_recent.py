"""A bounded memory: what is asked for together is remembered as what is asked for one by one."""

from hypothesis import given
from hypothesis import strategies as st

from common.recent import RecentlyUsed

keys = st.lists(st.integers(0, 9), max_size=8)


@given(st.integers(1, 6), st.lists(st.tuples(st.booleans(), keys), max_size=12))
def test_keys_together_are_the_same_as_one_by_one(most: int, steps: list[tuple[bool, list[int]]]) -> None:
    together, apart = RecentlyUsed[int, int](most), RecentlyUsed[int, int](most)
    for putting, some in steps:
        if putting:
            for key in some:
                together.put(key, -key)
                apart.put(key, -key)
        else:
            one_by_one = {key: apart.get(key) for key in dict.fromkeys(some)}
            assert together.get_all(some) == {key: value for key, value in one_by_one.items() if value is not None}
    assert len(together) == len(apart) <= most


@given(st.integers(1, 6), st.lists(keys, max_size=12))
def test_what_is_not_remembered_is_made_together_and_once(most: int, steps: list[list[int]]) -> None:
    kept = RecentlyUsed[int, int](most)
    for some in steps:
        lacking = [key for key in dict.fromkeys(some) if key not in kept.get_all(range(10))]
        made: list[list[int]] = []

        def negated(asked: list[int], made: list[list[int]] = made) -> list[int]:
            made.append(asked)
            return [-key for key in asked]

        assert kept.all_of(some, negated) == [-key for key in some]
        assert made == ([lacking] if lacking else [])
        assert len(kept) <= most

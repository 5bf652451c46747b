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

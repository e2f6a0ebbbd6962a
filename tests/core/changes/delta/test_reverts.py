"""Returns to an earlier state, against looking at every pair of captures."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.core.changes.delta.reverts import returns


@given(st.lists(st.sampled_from("abc"), max_size=12))
def test_a_return_is_found_wherever_every_pair_is_compared(contents):
    captures = [(number, float(number), content) for number, content in enumerate(contents)]
    expected = {}
    for number in range(1, len(contents)):
        earlier = [other for other in range(number) if contents[other] == contents[number]]
        if contents[number] != contents[number - 1] and earlier:
            expected[number] = float(earlier[-1])
    assert returns(captures) == expected

"""What of a page is shown again, against counting by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.core.quality.replayed import LiveBlock, shown_again

TEXTS = st.lists(st.lists(st.sampled_from(["ab", "cd", "ef", "gh", "ij"]), max_size=6).map(" ".join), max_size=5)


@given(TEXTS, TEXTS, st.randoms())
def test_the_figure_is_what_is_found_run_by_run(live, replayed, random):
    blocks = [LiveBlock(text, random.choice([0.0, 1.0, 2.5])) for text in live]
    whole = " ".join(" ".join(replayed).split())
    runs = set()
    for text in replayed:
        words = text.split()
        runs |= {" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))}
    total = got = 0.0
    for block in blocks:
        words = block.text.split()
        if not words:
            continue
        own = [" ".join(words[at : at + 3]) for at in range(max(1, len(words) - 2))]
        share = 1.0 if f" {' '.join(words)} " in f" {whole} " else sum(run in runs for run in own) / len(own)
        total += block.weight
        got += share * block.weight
    found = shown_again(blocks, replayed)
    assert found.share == pytest.approx(got / total if total else 1.0)
    assert sum(block.weight * (1 - block.share) for block in found.missing) <= 1 - found.share + 1e-9


def test_all_and_nothing():
    blocks = [LiveBlock("one two three four", 1.0), LiveBlock("five", 1.0)]
    assert shown_again(blocks, ["One two", "three four five"]).share == 1.0
    assert shown_again([LiveBlock("one two", 1.0)], ["one", "", "two"]).share == 1.0
    lost = shown_again(blocks, [])
    assert (lost.share, [block.text for block in lost.missing]) == (0.0, ["one two three four", "five"])


def test_a_ticking_number_costs_a_little():
    words = [f"w{number}" for number in range(40)]
    found = shown_again([LiveBlock(" ".join(words), 1.0)], [" ".join([*words[:20], "other", *words[21:]])])
    assert 0.9 < found.share < 1.0

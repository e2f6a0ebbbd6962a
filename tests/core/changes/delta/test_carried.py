"""What is carried from a version to the next is what would be worked out of it anew."""

from strandline.core.blocks.tree import BlockTree
from strandline.core.changes.delta.carried import prose_of, shown_by
from strandline.core.changes.delta.delta import Delta
from strandline.core.changes.delta.vidiff import compare
from strandline.dom.html import blocks

LONG_TEXT = "The council met in the old town hall and spoke about the bridge over the river for many hours. " * 3


def page(headline: str) -> BlockTree:
    parts = (LONG_TEXT, headline, "A short text", f"Another one. {LONG_TEXT}")
    return blocks(
        "".join(f"<section><h2>Part {k}</h2><p>{part}</p></section>" for k, part in enumerate(parts)).encode()
    )


def test_words_and_prose_of_blocks_that_stay_are_those_worked_out_anew() -> None:
    old, new, fresh = page("Storm hits the coast"), page("Council opens a school"), page("Council opens a school")
    for block in old.blocks:
        assert block.words.size and prose_of(block) >= 0
    delta = compare(old, new)
    stayed = [j for i, j in delta.pairs if old.blocks[i].digest == new.blocks[j].digest]
    assert stayed and len(stayed) < len(new.blocks)
    for j, block in enumerate(new.blocks):
        assert "words" in block.__dict__ or j not in stayed
        assert block.words.tolist() == fresh.blocks[j].words.tolist()
        assert prose_of(block) == prose_of(fresh.blocks[j])


def test_long_texts_only_are_prose() -> None:
    long = len(" ".join(LONG_TEXT.split()))
    assert sum(map(prose_of, page("x").blocks)) == long + long + len("Another one. ")


def test_what_a_page_shows_is_the_identities_of_its_blocks() -> None:
    tree = page("Storm hits the coast")
    assert shown_by(tree) == {identity for block in tree.blocks for identity in block.identities}
    assert shown_by(tree) is shown_by(tree)


def test_pairs_that_may_differ_hold_all_that_do() -> None:
    old, new = page("Storm hits the coast"), page("Council opens a school")
    delta = compare(old, new)
    differ = {(i, j) for i, j in delta.pairs if old.blocks[i].digest != new.blocks[j].digest}
    assert differ and differ <= set(delta.differing) < set(delta.pairs)
    assert Delta(old, new, delta.pairs, delta.changes).differing == delta.pairs
    assert compare(old, old).differing == ()

"""What is told of entries of lists."""

from core.blocks.pages import block
from strandline.core.blocks.tree import Item, PageBlock
from strandline.core.changes.words.told_lists import entries_of, heads_of, is_list, long_texts, names_document


def test_counters_and_bylines_are_no_entries():
    assert long_texts("Swarm in the chimney 6 replies\n12 points\nby ann") == ("Swarm in the chimney", "by ann")


def test_teasers_below_headlines_are_left_out():
    assert heads_of(["Fire in the mill", "Two people were hurt.", "Port opens"]) == ["Fire in the mill", "Port opens"]


def test_threads_are_told_by_their_place():
    assert entries_of(block("html/body/main/div.posts", "One long text of a thread")) == "post"
    plain = block("html/body/main", "One long text of no list at all")
    assert entries_of(plain) == ""
    assert not is_list(plain)


def test_documents_are_told_by_where_their_links_lead():
    items = (
        Item("text", "Audit (PDF) Minutes"),
        Item("link", "Audit (PDF)", "/a.PDF?v=2"),
        Item("link", "Minutes", "/m"),
    )
    listed = PageBlock("html/body/main", 0, "", "", items, 100, 100)
    assert names_document(listed, "Audit (PDF)")
    assert not names_document(listed, "Minutes")

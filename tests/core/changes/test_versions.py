"""Paper 003's repository: layouts and blocks once, versions rebuilt, lifetimes of blocks."""

from core.blocks.pages import block, page
from strandline.core.blocks.tree import Item
from strandline.core.changes.versions import (
    BlockRepository,
    appended,
    block_record,
    layout_record,
    packed,
    stored_block,
    stored_layout,
    unpacked,
)


def test_only_what_is_new_is_stored():
    repository = BlockRepository()
    a, b, c = block("m", "first"), block("m", "second", nth=1), block("m", "other", nth=1)
    first = repository.store(page(a, b), 1.0)
    assert (first.layout is not None, len(first.blocks)) == (True, 2)
    assert repository.store(page(a, b), 2.0).version is None
    changed = repository.store(page(a, c), 3.0)
    assert (changed.layout, [record.text for record in changed.blocks]) == (None, ["other"])
    moved = repository.store(page(block("n", "first"), c), 4.0)
    assert (moved.layout is not None, moved.blocks) == (True, ())
    assert moved.version.previous == 3.0


def test_a_block_that_occurs_twice_is_stored_once():
    stored = BlockRepository().store(page(block("m", "same"), block("m", "same", nth=1)), 1.0)
    assert len(stored.blocks) == 1
    assert len(stored.version.blocks) == 2


def test_versions_are_rebuilt_for_reading():
    repository, tree = BlockRepository(), page(block("m", "first"), block("n", "second", role="footer"))
    repository.store(tree, 1.0)
    repository.store(page(block("m", "later")), 2.0)
    assert repository.read(tree.url, 0) == tree
    assert repository.read(tree.url, -1).text == "later"


def test_when_a_paragraph_appeared_and_vanished():
    repository = BlockRepository()
    a, b = block("m", "stays"), block("m", "comes and goes", nth=1)
    for time, tree in enumerate([page(a), page(a, b), page(a), page(a, b)]):
        repository.store(tree, float(time))
    key = block_record(b).key
    assert list(repository.lifetimes("https://page.example/", key)) == [(1.0, 2.0), (3.0, None)]
    assert list(repository.lifetimes("https://other.example/", key)) == []


def test_a_segment_gives_back_what_each_version_added():
    repository, frame, found = BlockRepository(), b"", {}
    long = " ".join(f"word{n}" for n in range(300))
    for time, edition in enumerate("abc"):
        stored = repository.store(page(block("m", f"{long} edition {edition}"), block("n", "stays")), time)
        content, spans = stored.content()
        frame, start = appended(frame, content)
        found |= {key: (start + begin, start + end) for key, (begin, end) in spans.items() if key}
        keys = spans[b""]
        assert content[keys[0] : keys[1]] == b"".join(stored.version.blocks)
    whole = unpacked(frame)
    for key, record in {**repository.blocks, **repository.layouts}.items():
        assert whole[found[key][0] : found[key][1]] == record.as_bytes()
    assert len(frame) < 1.3 * len(packed(block_record(block("m", long)).as_bytes())) + 200


def test_a_token_in_a_link_makes_no_new_block():
    one, other = (block_record(block("m", Item("link", "a", f"/x?t={n}"))) for n in (1, 2))
    assert one.key == other.key


def test_records_survive_storing():
    part = block("m", "Fees", "four euro")
    record = block_record(part, label="fees")
    assert stored_block(record.key, record.as_bytes(), record.topic, "fees") == record
    layout = layout_record(page(part))
    assert stored_layout(layout.key, layout.as_bytes()) == layout

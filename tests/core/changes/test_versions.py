"""Paper 003's repository: layouts and blocks once, versions rebuilt, lifetimes of blocks."""

from core.blocks.pages import block, page
from strandline.core.changes.versions import BlockRepository, block_record, layout_record, stored_block, stored_layout


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


def test_records_survive_storing():
    part = block("m", "Fees", "four euro")
    record = block_record(part, label="fees")
    assert stored_block(record.key, record.as_bytes(), record.topic, "fees") == record
    layout = layout_record(page(part))
    assert stored_layout(layout.key, layout.as_bytes()) == layout

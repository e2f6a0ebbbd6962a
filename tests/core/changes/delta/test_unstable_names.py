from strandline.core.changes.delta.unstable_names import StablePaths, changing_names, settled_path
from strandline.core.changes.delta.vidiff import compare
from strandline.dom.html import blocks


def page(name):
    parts = "".join(f"<p>{word} {'stands still until the water is back. ' * 12}</p>" for word in ("Mill", "Saw", "Hut"))
    return blocks(f"<body><div class='{name}'>{parts}</div><div class=side>{parts.upper()}</div></body>".encode())


def test_names_that_differ_on_the_same_content_are_dropped():
    delta = compare(page("alpha"), page("omega"))
    found = changing_names(delta, frozenset())
    assert found
    before, after = (tree.blocks[0].path for tree in (delta.old, delta.new))
    assert before != after
    assert settled_path(before, found) == settled_path(after, found)
    assert settled_path(before, frozenset()) == before


def test_a_block_that_says_something_else_tells_nothing_of_names():
    old, new = page("alpha"), page("omega")
    other = blocks(b"<body><div class=omega><p>All is new here.</p></div></body>")
    assert changing_names(compare(old, new), frozenset())
    assert not changing_names(compare(old, other), frozenset())


def test_paths_that_are_remembered_are_those_worked_out_anew_when_more_names_are_known():
    delta = compare(page("alpha"), page("omega"))
    paths, unstable = StablePaths(), set[int]()
    block_paths = [block.path for tree in (delta.old, delta.new) for block in tree.blocks]
    assert [paths.of(path, unstable) for path in block_paths] == block_paths
    unstable |= changing_names(delta, unstable)
    for _ in range(2):
        assert [paths.of(path, unstable) for path in block_paths] == [
            settled_path(path, unstable) for path in block_paths
        ]
    assert paths.of(block_paths[0], unstable) != block_paths[0]

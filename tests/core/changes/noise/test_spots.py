from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.spots import spots_of
from strandline.dom.html import blocks

PAGE = "<main><h1>Rowing club</h1><p>Fee: 10 € a month</p></main><footer><p>Imprint</p></footer>"


def test_a_text_stands_behind_the_one_before_it_whatever_that_counts():
    tree = blocks(PAGE.encode())
    spots = spots_of(compare(blocks(b"<p>old</p>"), tree))
    main, footer = tree.blocks[0], tree.blocks[-1]
    assert spots.before(main, "Fee: 10 € a month") == "Rowing club"
    assert spots.before(footer, "Imprint") == "Fee: # € a month"
    assert spots.before(main, "Rowing club") == ""

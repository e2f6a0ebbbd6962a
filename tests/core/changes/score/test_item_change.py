"""What happened to one text, as it is shown."""

from strandline.core.changes.score.item_change import ItemChange


def test_long_texts_are_shown_by_their_beginning_and_weights_not_at_all():
    shown = ItemChange("edited", "a" * 300, "b", True, "a limit", 0.4).as_data(longest=5)
    assert shown == {"kind": "edited", "before": "aaaaa", "after": "b", "counts": True, "why": "a limit"}

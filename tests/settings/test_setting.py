"""A setting carries what is said about it."""

from dataclasses import dataclass, fields

from strandline.settings.setting import SHARE, setting


def test_a_setting_knows_its_sentence_bounds_and_default():
    @dataclass
    class Section:
        share: float = setting(0.5, "A share.", bounds=SHARE)
        names: tuple[str, ...] = setting(("a",), "Names.")

    told = {field.name: field.metadata for field in fields(Section)}
    assert told["share"]["doc"] == "A share."
    assert told["share"]["bounds"] == (0, 1)
    assert Section().names == ("a",)

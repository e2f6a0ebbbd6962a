"""A kept property is worked out once, when it is first read."""

from dataclasses import dataclass

from strandline.core.kept_property import kept_property


@dataclass(frozen=True)
class Shown:
    """A frozen class with a property that counts how often it is worked out."""

    text: str
    asked: list[str]

    @kept_property
    def length(self) -> int:
        """Letters."""
        self.asked.append(self.text)
        return len(self.text)


def test_is_worked_out_once_and_for_each_instance() -> None:
    asked: list[str] = []
    one, other = Shown("one", asked), Shown("other", asked)
    assert not asked
    assert (one.length, one.length, other.length) == (3, 3, 5)
    assert asked == ["one", "other"]
    assert one.__dict__["length"] == 3


def test_is_no_part_of_the_value_and_keeps_its_docstring() -> None:
    one, same = Shown("one", []), Shown("one", [])
    assert one.length == 3
    same.asked.append("one")
    assert one == same
    assert Shown.length.__doc__ == "Letters."

"""The quick dataclass against the one of the standard library."""

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from strandline.core.capture import Place
from strandline.core.quick_dataclass import dataclass as quick

_FLAGS = (True, False)
_KINDS = [{"frozen": a, "slots": b, "eq": c} for a in _FLAGS for b in _FLAGS for c in _FLAGS]


def _twins(**kind: bool) -> list[Any]:
    """The same class made by both."""
    made = []
    for dataclass in (dataclasses.dataclass, quick):

        @dataclass(**kind)
        class Twin:
            """A class with a field of every sort."""

            first: int
            second: str = "b"
            third: list[int] = field(default_factory=list)
            hidden: str = field(default="secret", repr=False)
            aside: int = field(default=0, compare=False)
            fixed: int = field(default=7, init=False)
            filled: dict[str, int] = field(default_factory=dict, init=False)

        made.append(Twin)
    return made


@pytest.mark.parametrize("kind", _KINDS)
def test_instances_look_and_compare_alike(kind: dict[str, bool]) -> None:
    standard, ours = _twins(**kind)
    for values, named in (((1,), {}), ((1, "x"), {"aside": 5}), ((), {"first": 2, "third": [3], "hidden": "h"})):
        assert repr(standard(*values, **named)) == repr(ours(*values, **named))
        assert dataclasses.asdict(standard(*values, **named)) == dataclasses.asdict(ours(*values, **named))
        same = [twin(*values, **named) == twin(*values, **named) for twin in (standard, ours)]
        assert same[0] is same[1] is kind["eq"]
    assert [f.name for f in dataclasses.fields(standard)] == [f.name for f in dataclasses.fields(ours)]
    assert standard.__match_args__ == ours.__match_args__
    assert (ours(1, aside=1) == ours(1, aside=2)) is (standard(1, aside=1) == standard(1, aside=2))
    assert (ours(1) == ours(2)) is (standard(1) == standard(2)) is False
    assert ours(1) != standard(1)
    assert ours(1).third is not ours(1).third
    assert dataclasses.replace(ours(1), second="z").second == "z"


@pytest.mark.parametrize("kind", _KINDS)
def test_what_may_be_set_hashed_and_left_out_is_the_same(kind: dict[str, bool]) -> None:
    for twin in _twins(**kind):
        one = twin(1)
        with pytest.raises(TypeError, match="first"):
            twin()
        with pytest.raises(TypeError, match="unexpected"):
            twin(1, nonsense=2)
        assert hasattr(one, "__dict__") is not kind["slots"]
        if kind["frozen"]:
            with pytest.raises(FrozenInstanceError, match="cannot assign to field 'first'"):
                one.first = 2
            with pytest.raises(FrozenInstanceError, match="cannot delete field 'first'"):
                del one.first
        else:
            one.first = 2
            assert one.first == 2
        if kind["eq"] and not kind["frozen"]:
            with pytest.raises(TypeError, match="unhashable"):
                hash(one)
        elif not kind["eq"]:
            assert hash(one) == hash(one)


def test_equal_frozen_values_have_the_same_hash_as_in_the_standard_library() -> None:
    for dataclass in (dataclasses.dataclass, quick):

        @dataclass(frozen=True, slots=True)
        class Pair:
            """Two values."""

            left: int
            right: str = field(default="", hash=False)

        assert hash(Pair(1, "a")) == hash(Pair(1, "b")) == hash((1,))
        assert Pair(1, "a") != Pair(1, "b")


def test_methods_of_the_class_itself_win_and_post_init_runs() -> None:
    for dataclass in (dataclasses.dataclass, quick):

        @dataclass(frozen=True)
        class Own:
            """Has its own way to look, to compare and to check."""

            value: int

            def __post_init__(self) -> None:
                if self.value < 0:
                    raise ValueError("negative")

            def __repr__(self) -> str:
                return "own"

            def __eq__(self, other: object) -> bool:
                return True

            def __hash__(self) -> int:
                return 5

        assert (repr(Own(1)), Own(1) == 3, hash(Own(1))) == ("own", True, 5)
        with pytest.raises(ValueError, match="negative"):
            Own(-1)


def test_a_class_may_extend_another_and_an_instance_may_hold_itself() -> None:
    for dataclass in (dataclasses.dataclass, quick):

        @dataclass(slots=True)
        class Parent:
            """One field."""

            name: str

        @dataclass(slots=True)
        class Child(Parent):
            """One more."""

            children: list[Any] = field(default_factory=list)

        child = Child("a")
        child.children.append(child)
        assert repr(child).endswith("Child(name='a', children=[...])")
        assert Parent("a") != Child("a")


def test_frozen_values_with_slots_can_be_copied_and_sent_to_another_process() -> None:
    place = Place("a.warc.gz", 3, 5)
    assert pickle.loads(pickle.dumps(place)) == copy.copy(place) == copy.deepcopy(place) == place

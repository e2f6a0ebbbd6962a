"""`dataclass` as in the standard library, made without compiling six functions for every class.

A command imports about eighty dataclasses, and most of them are never instantiated: compiling their methods took a
third of its start. Here the methods are shared, and `__init__` is compiled when the first instance is made. Instances
of frozen classes, of which a crawl and a study make dozens a page, are made faster, too.

Behaves like `dataclasses.dataclass` for what this package uses of it (`frozen`, `slots`, `eq`, `field` with all its
arguments but `kw_only`, `__post_init__`); tests compare the two. Type checkers see the standard one.
"""

import dataclasses
from collections.abc import Callable, Iterable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, cast

Values = Callable[[object], object]
"""Makes one value, which can be compared and hashed, of the fields of an instance."""


def _quick(
    cls: type | None = None, /, *, frozen: bool = False, slots: bool = False, eq: bool = True
) -> type | Callable[[type], type]:
    """See dataclasses.dataclass."""

    def make(cls: type) -> type:
        made: type = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots)(cls)
        parameters = cast(Any, made).__dataclass_params__
        parameters.init = parameters.repr = True
        parameters.eq, parameters.frozen = eq, frozen
        for name, method in _methods(made, frozen, slots, eq).items():
            if cls.__dict__.get(name) is None:
                setattr(made, name, method)
        return made

    return make if cls is None else make(cls)


def _methods(made: type, frozen: bool, slots: bool, eq: bool) -> dict[str, object]:
    """What the decorator adds to a class, unless the class has its own."""
    fields = dataclasses.fields(made)
    methods: dict[str, object] = {
        "__init__": _init(made, frozen, slots),
        "__repr__": _repr([field.name for field in fields if field.repr]),
    }
    if eq:
        hashed = [field.name for field in fields if (field.compare if field.hash is None else field.hash)]
        methods["__eq__"] = _eq(_values([field.name for field in fields if field.compare]))
        methods["__hash__"] = _hash(_values(hashed)) if frozen else None
    if frozen:
        names = frozenset(field.name for field in fields)
        methods["__setattr__"] = _refusing(made, names, object.__setattr__, "assign to")
        methods["__delattr__"] = _refusing(made, names, object.__delattr__, "delete")
        if slots:
            methods |= {"__getstate__": _state, "__setstate__": _restore}
    return methods


def _init(made: type, frozen: bool, slots: bool) -> Callable[..., None]:
    """An `__init__` that makes the real one, which takes its place."""

    def init(self: object, *values: object, **named: object) -> None:
        real = _compiled(made, frozen, slots)
        made.__init__ = real  # type: ignore[misc]
        real(self, *values, **named)

    return init


def _compiled(made: type, frozen: bool, slots: bool) -> Callable[..., None]:
    """`__init__` with the fields as parameters, which sets them in the quickest way there is."""
    known: dict[str, Any] = {"_ABSENT": object()}
    parameters, lines = ["self"], ["values = self.__dict__"] if frozen and not slots else []
    for field in dataclasses.fields(made):
        name = field.name
        parameter, value = _given(field, known)
        if field.init:
            parameters.append(parameter)
        elif not value.startswith("_factory_"):
            if not slots or field.default is dataclasses.MISSING:
                continue  # an attribute of the class, or set later
            value = f"_default_{name}"
        if not frozen:
            lines.append(f"self.{name} = {value}")
        elif slots:
            known[f"_set_{name}"] = getattr(made, name).__set__
            lines.append(f"_set_{name}(self, {value})")
        else:
            lines.append(f"values[{name!r}] = {value}")
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    body = "\n    ".join(lines or ["pass"])
    exec(f"def __init__({', '.join(parameters)}):\n    {body}", known)
    init: Callable[..., None] = known["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _given(field: "dataclasses.Field[Any]", known: dict[str, Any]) -> tuple[str, str]:
    """A field as a parameter of `__init__`, and the value it gets there."""
    name = field.name
    if field.default is not dataclasses.MISSING:
        known[f"_default_{name}"] = field.default
        return f"{name}=_default_{name}", name
    if field.default_factory is not dataclasses.MISSING:
        known[f"_factory_{name}"] = field.default_factory
        made = f"_factory_{name}()"
        return f"{name}=_ABSENT", f"{made} if {name} is _ABSENT else {name}" if field.init else made
    return name, name


def _values(names: list[str]) -> Values:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple([getattr(self, name) for name in names])


def _repr(names: Iterable[str]) -> Callable[[object], str]:
    @recursive_repr()
    def represent(self: object) -> str:
        return f"{type(self).__qualname__}({', '.join([f'{name}={getattr(self, name)!r}' for name in names])})"

    return represent


def _eq(values: Values) -> Callable[[object, object], bool]:
    def equal(self: object, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return equal


def _hash(values: Values) -> Callable[[object], int]:
    return lambda self: hash(values(self))


def _refusing(made: type, names: frozenset[str], allowed: Callable[..., None], what: str) -> Callable[..., None]:
    """No field of a frozen class changes; a class that extends it may have other attributes."""

    def refuse(self: object, name: str, *value: object) -> None:
        if type(self) is made or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")
        allowed(self, name, *value)

    return refuse


def _state(self: Any) -> list[object]:  # noqa: ANN401 - any dataclass
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _restore(self: Any, state: list[object]) -> None:  # noqa: ANN401
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _quick

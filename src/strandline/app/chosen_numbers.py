"""Numbers that were chosen, by stage, each with what it is and where it comes from.

A number is an assignment at the top of a module whose value is written in digits; its docstring ends with `Origin: `
and one of ORIGINS. They are read from the sources as installed, without running them. Machine code is only used with
the very sources of kernels it was made of, so theirs stand beside this module, in `kernel_numbers.toml`.
"""

import ast
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

_PACKAGE: Final = Path(__file__).parents[1]
STAGES: Final = {
    "crawl": ("crawl", "core/discovery", "core/politeness"),
    "study": ("study", "core/blocks", "core/changes"),
    "learn": ("learn", "core/history", "core/beliefs", "core/mining"),
    "plan": ("plan", "core/plan", "core/skip", "core/rivals"),
    "watch": ("watch",),
    "report": ("core/quality",),
}
ORIGINS: Final = ("paper ", "measured, ", "RFC ", "a standard, ", "a definition", "a unit", "a bound on ", "derived, ",
                  "a guess")  # fmt: skip
"""How an origin may begin: only a guess has nothing behind it."""
_NO_CHOICE: Final = frozenset({"empty", "zeros", "ones", "nextafter", "itemgetter", "maketrans", "compile"})
"""Calls whose numbers choose nothing."""
_VALUES: Final = (
    ast.Constant, ast.UnaryOp, ast.BinOp, ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Call, ast.keyword, ast.Name,
    ast.Attribute, ast.ListComp, ast.comprehension, ast.expr_context, ast.operator, ast.unaryop,
)  # fmt: skip


class ChosenNumber(NamedTuple):
    """A number, or several that are told together."""

    stage: str
    module: str
    name: str
    value: str
    what: str
    origin: str
    """Empty where nobody says it."""

    @property
    def guess(self) -> bool:
        """Whether nothing but a guess stands behind it."""
        return self.origin.startswith("a guess")


def chosen_numbers(package: Path = _PACKAGE) -> list[ChosenNumber]:
    """All of them, in the order of the stages."""
    return [
        number
        for stage, folders in STAGES.items()
        for folder in folders
        for file in sorted((package / folder).rglob("*.py"))
        for number in numbers_of(stage, file.relative_to(package).as_posix(), file.read_text())
    ]


def numbers_of(stage: str, module: str, source: str) -> Iterator[ChosenNumber]:
    """Those of one module."""
    body = ast.parse(source).body
    for statement, follower in zip(body, (*body[1:], None), strict=True):
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names = [name]
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=value):
                names = [part.id for part in parts if isinstance(part, ast.Name)]
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                names = [name]
            case _:
                continue
        if all(map(str.isupper, names)) and _is_chosen(value):
            said = _docstring(follower)
            if "Origin: " not in said:
                said = kernel_numbers().get(module, {}).get(names[0], said)
            what, _, origin = said.partition("Origin: ")
            yield ChosenNumber(
                stage, module, ", ".join(names), ast.unparse(value), what.strip(), origin.removesuffix(".")
            )


def _is_chosen(value: ast.expr) -> bool:
    """Whether a value is written in digits, rather than worked out or made of texts."""
    nodes = list(ast.walk(value))
    calls = {getattr(node.func, "attr", getattr(node.func, "id", "")) for node in nodes if isinstance(node, ast.Call)}
    digits = any(isinstance(node, ast.Constant) and type(node.value) in (int, float) for node in nodes)
    return digits and all(isinstance(node, _VALUES) for node in nodes) and not calls & _NO_CHOICE


def _docstring(follower: ast.stmt | None) -> str:
    match follower:
        case ast.Expr(value=ast.Constant(value=str() as text)):
            return " ".join(text.split())
    return ""


@cache
def kernel_numbers() -> dict[str, dict[str, str]]:
    """What is said of the numbers of kernels: module, first name, text."""
    return {
        module: {name: str(text) for name, text in names.items()}
        for module, names in tomllib.loads(Path(__file__).with_name("kernel_numbers.toml").read_text()).items()
    }

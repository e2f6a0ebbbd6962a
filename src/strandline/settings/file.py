"""strandline.toml: written with every setting documented, read strictly.

An unknown key or a bad unit stops the command before anything is started, and names the line and the nearest key.
"""

import contextlib
import dataclasses
import math
import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, get_type_hints

from strandline.errors import SettingError
from strandline.settings.schema import TABLES, Settings, sections
from strandline.settings.texts import FORMS
from strandline.settings.units import duration_text, octets, rate, seconds, size_text

NAME = "strandline.toml"
_MOST = 2.0**53
"""Numbers stay below: what counts them keeps each one apart."""
_TOLD = 400
"""Letters of a problem that are told."""


def settings_text(settings: Settings) -> str:
    """The whole file, each setting under the sentence that explains it."""
    lines = ["# Settings of this archive. Every key is optional; the values below are the ones in force.", ""]
    for name, part in sections(settings):
        lines += [f"# {(type(part).__doc__ or '').strip()}", f"[{name}]"]
        for key in dataclasses.fields(part):
            lines += [f"# {line}" for line in textwrap.wrap(key.metadata["doc"], 110)]
            lines.append(f"{key.name} = {_toml(getattr(part, key.name), key.metadata['unit'])}")
        lines.append("")
    for name, kind in TABLES.items():
        lines += [f"# {line}" for line in textwrap.wrap(" ".join((kind.__doc__ or "").split()), 110)]
        lines.append(f"# [[{name}]]")
        for key in dataclasses.fields(kind):
            lines += [f"#   {line}" for line in textwrap.wrap(f"{key.name}: {key.metadata['doc']}", 110)]
        lines.append("")
        for table in getattr(settings, name):
            lines += [*table_lines(name, table), ""]
    return "\n".join(lines)


def table_lines(name: str, table: Any) -> list[str]:  # noqa: ANN401 - one of schema.TABLES
    """One of several tables, with what is said in it and nothing else."""
    lines, usual = [f"[[{name}]]"], type(table)()
    for key in dataclasses.fields(table):
        value = getattr(table, key.name)
        if value != getattr(usual, key.name):
            lines.append(f"{key.name} = {_toml(value, key.metadata['unit'])}")
    return lines


def _toml(value: object, unit: str) -> str:
    if unit == "duration" and isinstance(value, float):
        return f'"{duration_text(value)}"'
    if unit == "size" and isinstance(value, int):
        return f'"{size_text(value)}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "[" + ", ".join(quoted(str(item)) for item in value) + "]"
    return quoted(value) if isinstance(value, str) else str(value)


def quoted(text: str) -> str:
    """A text as TOML writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + '"'


def read_settings(path: Path) -> Settings:
    """Settings from a file; a missing file means the defaults."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return Settings()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingError(f"{path}: cannot be read: {error}") from None
    return parse_settings(text, str(path))


def parse_settings(text: str, where: str) -> Settings:
    """Settings from the text of such a file; `where` names it in errors."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingError(f"{where}: {error}") from None
    return _Reader(where, text).settings(document)


def table_of(name: str, table: Mapping[str, object]) -> Any:  # noqa: ANN401 - one of schema.TABLES
    """One of several tables, from its keys; SettingError names a bad one."""
    return _Reader("--", "").keys(TABLES[name](), name, table, 0)


def with_overrides(settings: Settings, assignments: Iterable[str], where: str = "--set") -> Settings:
    """Settings with `section.key=value` assignments applied, as given by `--set`, or by the flag that errors name."""
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        section, dot, key = name.strip().partition(".")
        if not equals or not dot:
            raise SettingError(f"{where} {assignment}: expected section.key=value, for example fetch.total=60s")
        reader = _Reader(where, assignment)
        parsed: object = value.strip()
        with contextlib.suppress(tomllib.TOMLDecodeError):  # a bare word or duration is taken as text
            parsed = tomllib.loads(f"v = {value.strip()}")["v"]
        settings = reader.section(settings, section, {key: parsed})
    problem = _fitting(settings)
    if problem:
        raise SettingError(f"{where}: {problem}")
    return settings


class _Reader:
    """Turns a parsed document into settings; knows the text, to name lines."""

    def __init__(self, where: str, text: str) -> None:
        self.where = where
        self.lines = text.splitlines()

    def settings(self, document: Mapping[str, Any]) -> Settings:
        settings = Settings()
        for name, table in document.items():
            if name in TABLES:
                settings = self.tables(settings, name, table)
                continue
            if not isinstance(table, dict):
                raise self.error("", name, f"unknown key {name!r} outside of a section")
            settings = self.section(settings, name, table)
        problem = _fitting(settings)
        if problem:
            section, _, key = problem.partition(":")[0].partition(".")
            raise self.error(section, key, problem)
        return settings

    def section(self, settings: Settings, name: str, table: Mapping[str, object]) -> Settings:
        part = dict(sections(settings)).get(name)
        if part is None:
            known = [*dict(sections(settings)), *TABLES]
            hint = f"; tables of sites are written [[{name}]]" if name in TABLES else _nearest(name, known)
            raise self.error("", f"[{name}]", f"unknown section [{name}]{hint}")
        changed: Settings = dataclasses.replace(settings, **{name: self.keys(part, name, table)})
        return changed

    def tables(self, settings: Settings, name: str, found: object) -> Settings:
        """The tables of one kind, which their names tell apart."""
        if not isinstance(found, list) or not all(isinstance(table, dict) for table in found):
            raise self.error("", f"[{name}]", f"write [[{name}]]: there may be several")
        made = tuple(self.keys(TABLES[name](), name, table, nth) for nth, table in enumerate(found))
        known: set[str] = set()
        for nth, table in enumerate(made):
            if not table.name:
                raise self.error(f"[{name}", "name", f"{name}: a table without a name", nth)
            if table.name in known:
                raise self.error(f"[{name}", "name", f"{name}: {table.name!r} is there twice", nth)
            known.add(table.name)
        named: dict[str, Any] = {name: made}
        changed: Settings = dataclasses.replace(settings, **named)
        return changed

    def keys(self, part: Any, name: str, table: Mapping[str, object], nth: int = -1) -> Any:  # noqa: ANN401
        """A section or table with what a document says of it; `nth` counts tables of a kind."""
        inside, shown = (name, f"[{name}]") if nth < 0 else (f"[{name}", f"[[{name}]]")
        kinds = get_type_hints(type(part))
        fields = {f.name: f for f in dataclasses.fields(part)}
        changed: dict[str, object] = {}
        for key, value in table.items():
            if key not in fields:
                raise self.error(inside, key, f"unknown key {key!r} in {shown}{_nearest(key, fields)}", nth)
            try:
                changed[key] = _value(value, kinds[key], fields[key].metadata)
            except ValueError as problem:
                raise self.error(inside, key, f"{name}.{key}: {_one_line(str(problem))}", nth) from None
        return dataclasses.replace(part, **changed)

    def error(self, section: str, key: str, problem: str, nth: int = -1) -> SettingError:
        line = self._line(section, key, nth)
        if self.where == "--":
            return SettingError(problem)
        return SettingError(f"{self.where}, line {line}: {problem}" if line else f"{self.where}: {problem}")

    def _line(self, section: str, key: str, nth: int) -> int:
        if self.where.startswith("--"):  # a flag has no lines
            return 0
        inside, left = "", nth
        for number, line in enumerate(self.lines, 1):
            header = re.match(r"\s*\[\s*([^\]]+?)\s*\]", line)
            if header:
                inside = header[1]
                left -= inside == section
                if key == f"[{inside}]" or (inside == section and left == -1 and key == "name" and nth >= 0):
                    return number
            elif inside == section and left < 0 and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*=", line):
                return number
        return 0


def _one_line(text: str) -> str:
    """What is told of a value stays one line, whatever the value is."""
    return "".join(c if c.isprintable() else "?" for c in (text if len(text) < _TOLD else text[:_TOLD] + " ..."))


def _nearest(word: str, known: Iterable[str]) -> str:
    import difflib  # noqa: PLC0415 - only a mistake needs it

    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}?" if close else f"; known: {', '.join(sorted(known))}"


def _value(value: object, kind: object, metadata: Mapping[str, Any]) -> object:
    if metadata["unit"]:
        return _measured(value, metadata)
    if metadata["choices"] and value not in metadata["choices"]:
        raise ValueError(f"{value!r} is not one of {', '.join(metadata['choices'])}")
    if kind is bool:
        if not isinstance(value, bool):
            raise ValueError("expected true or false")
        return value
    if kind is int or kind is float:
        return _number(value, kind is int, metadata["bounds"])
    check = FORMS[metadata["form"]] if metadata["form"] else str
    if kind is str:
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str):
            raise ValueError("expected text in quotes")
        check(value)
        return value
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError('expected a list of texts, for example ["a", "b"]')
    for item in value:
        check(item)
    return tuple(value)


def _measured(value: object, metadata: Mapping[str, Any]) -> object:
    """A duration or a size in its unit; a budget is kept as it was written."""
    if not isinstance(value, str | int | float):
        raise ValueError("expected a number with a unit")
    if metadata["unit"] == "rate":
        rate(value)
        return value
    least = metadata["bounds"][0]
    if metadata["unit"] == "duration":
        if seconds(value) < least:
            raise ValueError(f"must be {duration_text(least)} or more")
        return seconds(value)
    if octets(value) < least:
        raise ValueError(f"must be {size_text(least)} or more")
    return octets(value)


def _number(value: object, whole: bool, bounds: tuple[float, float]) -> float | int:
    if isinstance(value, bool) or not isinstance(value, int | float) or (whole and value % 1 != 0):
        raise ValueError("expected a whole number" if whole else "expected a number")
    if value < 0:
        raise ValueError("must not be negative")
    if not value < _MOST:
        raise ValueError("too large" if math.isfinite(min(value, _MOST)) else "expected a finite number")
    least, most = bounds
    if not least <= value <= most:
        raise ValueError(f"must be {least} or more" if most == math.inf else f"must lie between {least} and {most}")
    return int(value) if whole else float(value)


def _fitting(settings: Settings) -> str:
    """What is wrong with values that are fine one by one; empty when nothing is."""
    shortest, longest = settings.politeness.shortest, settings.politeness.longest
    if shortest > longest:
        return (
            f"politeness.shortest: {duration_text(shortest)} is more than politeness.longest, {duration_text(longest)}"
        )
    return ""

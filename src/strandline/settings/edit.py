"""Changing one setting of strandline.toml where it stands: comments and everything else stay as they were."""

import contextlib
import dataclasses
import errno
import fcntl
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from strandline.durable import sync_path
from strandline.errors import OutOfSpace, SettingError
from strandline.settings.file import NAME, read_settings, settings_text, table_lines, with_overrides
from strandline.settings.schema import Settings


def change_settings(folder: Path, values: dict[str, str]) -> Settings:
    """Write values (`section.key` to a TOML value) into the settings of an archive; SettingError names a bad one.

    The file is written beside the old one and takes its place in one step. Who changes others at the same moment waits.
    """

    def change(text: str, before: Settings) -> tuple[str, Settings]:
        wanted = with_overrides(before, [f"{key}={value}" for key, value in values.items()])
        for key in values:
            section, _, name = key.partition(".")
            text = _with_line(text, section, name, _written(wanted, section, name))
        return text, wanted

    return rewrite_settings(folder, change)


def change_tables(folder: Path, kind: str, change: Callable[[tuple[Any, ...]], tuple[Any, ...]]) -> Settings:
    """Change the tables of a kind (schema.TABLES) in the settings of an archive, as `change_settings` does keys."""

    def changed(text: str, before: Settings) -> tuple[str, Settings]:
        old = getattr(before, kind)
        new = change(old)
        named: dict[str, Any] = {kind: new}
        return with_tables(text, kind, old, new), dataclasses.replace(before, **named)

    return rewrite_settings(folder, changed)


def rewrite_settings(folder: Path, change: Callable[[str, Settings], tuple[str, Settings]]) -> Settings:
    """Change the text of the settings; `change` gets it, and what it says, and gives both back. A text that does not
    say what is wanted is not written.
    """
    with _alone(folder):
        return _changed(folder / NAME, change)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """One change at a time, by a lock on the folder itself, which ends with whoever holds it. A file system that
    cannot lock folders is no reason to change nothing.
    """
    try:
        held = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as problem:
        raise SettingError(f"{folder}: {problem.strerror}") from None
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(held, fcntl.LOCK_EX)
        yield
    finally:
        os.close(held)


def _changed(path: Path, change: Callable[[str, Settings], tuple[str, Settings]]) -> Settings:
    before = read_settings(path)
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else settings_text(before)
        text, wanted = change(text, before)
        new = path.with_name(f"{NAME}.new")
        try:
            _write(new, text, path.stat().st_mode & 0o777 if path.exists() else 0o600)
            if not _understood(new, wanted):
                raise SettingError(f"{path}: cannot be changed by a program as it is written; edit it by hand")
            new.replace(path)
        finally:
            new.unlink(missing_ok=True)
        sync_path(path.parent)
    except OSError as problem:
        if problem.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise OutOfSpace(f"no room for {path}: {problem.strerror}; it is as it was") from None
        raise SettingError(f"{path}: cannot be written: {problem.strerror}") from None
    return wanted


def _write(path: Path, text: str, mode: int) -> None:
    """A file, durably: a power cut after it has taken another's place must not leave an empty one."""
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    sync_path(path)


def _understood(path: Path, wanted: Settings) -> bool:
    try:
        return read_settings(path) == wanted
    except SettingError:
        return False


def _written(settings: Settings, section: str, name: str) -> str:
    """The line of a setting as the settings file would have it."""
    inside = ""
    for line in settings_text(settings).splitlines():
        if line.startswith("["):
            inside = line.strip("[]")
        elif inside == section and line.startswith(f"{name} ="):
            return line
    raise SettingError(f"no setting {section}.{name}")


def _with_line(text: str, section: str, name: str, line: str) -> str:
    r"""The text with the value of one key replaced, or added to its section.

    >>> _with_line("[plan]\n# why\nbudget = '1/day' # old\n[keep]\n", "plan", "budget", "budget = '2/day'")
    "[plan]\n# why\nbudget = '2/day'\n[keep]\n"
    >>> _with_line("[scope]\nseeds = [\n  'a', # one\n  'b',\n]\nhops = 1\n", "scope", "seeds", "seeds = []")
    '[scope]\nseeds = []\nhops = 1\n'
    >>> _with_line("[keep]\n", "plan", "budget", "budget = 1")
    '[keep]\n\n[plan]\nbudget = 1\n'
    """
    lines = text.splitlines()
    inside, header = "", -1
    for number, found in enumerate(lines):
        head = re.match(r"\s*\[\s*([^\]]+?)\s*\]\]?\s*(#.*)?$", found)
        if head:  # of a table of which there are several, too: [[site]] becomes [site
            inside = head[1]
            header = number if inside == section else header
        elif inside == section and re.match(rf"\s*{re.escape(name)}\s*=", found):
            return "\n".join([*lines[:number], line, *lines[_end_of(lines, number) :]]) + "\n"
    if header >= 0:
        return "\n".join([*lines[: header + 1], line, *lines[header + 1 :]]) + "\n"
    return "\n".join([*lines, "", f"[{section}]", line]) + "\n"


def with_tables(text: str, kind: str, before: Sequence[Any], wanted: Sequence[Any]) -> str:
    r"""The text with the tables of a kind as they are wanted: those that stay as they were are not touched, lines that
    explain a key stay where it does, and new tables come last.

    >>> from strandline.settings.site_tables import SiteSettings as Site
    >>> old = "[plan]\n[[site]] # ours\nname = 'a'\n# why\nhops = 1\n[[site]]\nname = 'b'\n"
    >>> print(with_tables(old, "site", [Site("a", hops=1), Site("b")], [Site("a", hops=2), Site("c")]), end="")
    [plan]
    [[site]] # ours
    name = 'a'
    # why
    hops = 2
    <BLANKLINE>
    [[site]]
    name = "c"
    """
    new, old = {table.name: table for table in wanted}, {table.name: table for table in before}
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if re.match(r"\s*\[", line) and _heads(line)]
    own = [number for number in heads if re.match(rf"\s*\[\[\s*{kind}\s*\]\]", lines[number])]
    kept = lines[: own[0]] if own else lines
    for number, table in zip(own, before, strict=True):
        end = next((head for head in heads if head > number), len(lines))
        if table.name in new:
            kept = [*kept, *_table(lines[number:end], table, new[table.name])]
        following = next((head for head in own if head > number), len(lines))
        kept = [*kept, *lines[end:following]]
    for table in wanted:
        if table.name not in old:
            kept = [*kept, *([""] if kept and kept[-1].strip() else []), *table_lines(kind, table)]
    return "\n".join(kept) + "\n"


def _heads(line: str) -> bool:
    """Whether a line begins a section or table, and is not a value that goes on."""
    return re.match(r"\s*\[{1,2}\s*[\w.\"' -]+\s*\]{1,2}\s*(#.*)?$", line) is not None


def _table(lines: list[str], old: Any, new: Any) -> list[str]:  # noqa: ANN401 - one of schema.TABLES
    """The lines of a table with what is said in it now."""
    told = {line.partition(" =")[0]: line for line in table_lines("x", new)[1:]}
    for key in dataclasses.fields(old):
        if getattr(old, key.name) == getattr(new, key.name):
            continue
        at = next((n for n, line in enumerate(lines) if re.match(rf"\s*{key.name}\s*=", line)), 0)
        end = _end_of(lines, at) if at else 0
        line = [told[key.name]] if key.name in told else []
        if at:
            lines = [*lines[:at], *line, *lines[end:]]
        else:
            last = max((n for n, one in enumerate(lines) if one.strip()), default=0)
            lines = [*lines[: last + 1], *line, *lines[last + 1 :]]
    return lines


def _end_of(lines: list[str], start: int) -> int:
    """The line after a value: a list may go on over several."""
    value = lines[start].partition("=")[2]
    if not value.strip().startswith("[") or _closed(value):
        return start + 1
    for number in range(start + 1, len(lines)):
        if _closed(lines[number]):
            return number + 1
    return len(lines)


def _closed(line: str) -> bool:
    """Whether the bracket of a list of texts closes in this line."""
    return "]" in re.sub(r"\"(?:\\.|[^\"\\])*\"|'[^']*'|#.*", "", line)

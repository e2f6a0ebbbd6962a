"""Changing one setting of strandline.toml where it stands: comments and everything else stay as they were."""

import contextlib
import errno
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path

from strandline.durable import sync_path
from strandline.errors import OutOfSpace, SettingError
from strandline.settings.file import NAME, read_settings, settings_text, with_overrides
from strandline.settings.schema import Settings


def change_settings(folder: Path, values: dict[str, str]) -> Settings:
    """Write values (`section.key` to a TOML value) into the settings of an archive; SettingError names a bad one.

    The file is written beside the old one and takes its place in one step. Who changes others at the same moment waits.
    """
    with _alone(folder):
        return _changed(folder / NAME, values)


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


def _changed(path: Path, values: dict[str, str]) -> Settings:
    before = read_settings(path)
    wanted = with_overrides(before, [f"{key}={value}" for key, value in values.items()])
    try:
        text = path.read_text(encoding="utf-8-sig") if path.exists() else settings_text(before)
        for key in values:
            section, _, name = key.partition(".")
            text = _with_line(text, section, name, _written(wanted, section, name))
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
        head = re.match(r"\s*\[\s*([^\]]+?)\s*\]\s*(#.*)?$", found)
        if head:
            inside = head[1]
            header = number if inside == section else header
        elif inside == section and re.match(rf"\s*{re.escape(name)}\s*=", found):
            return "\n".join([*lines[:number], line, *lines[_end_of(lines, number) :]]) + "\n"
    if header >= 0:
        return "\n".join([*lines[: header + 1], line, *lines[header + 1 :]]) + "\n"
    return "\n".join([*lines, "", f"[{section}]", line]) + "\n"


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

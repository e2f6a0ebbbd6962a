"""What happens, in one line each on standard error: for people, for a log, or as JSON for machines.

Everything goes through one logger of the standard library, so that a program that embeds an archive can send it
elsewhere. An event has a name that stays the same (`alarm-opened`), a sentence for people, and fields. Where lines go
from standard error, and how long they are kept, is the business of the system.
"""

import json
import logging
import re
import sys
import unicodedata
from datetime import UTC, datetime
from typing import IO, Any, Final, Literal

Format = Literal["plain", "text", "json"]
FORMATS: Final[tuple[Format, ...]] = ("plain", "text", "json")
_LOGGER: Final = logging.getLogger("strandline")
_FIELDS: Final = "strandline_fields"
_USER_INFO = re.compile(r"(\w+://)[^/@\s]+@")
_SECRETS = re.compile(r"([?&](?:token|key|secret|password|passwd|auth|sig|signature|session|sid|code)=)[^&#\s]+", re.I)
Level = Literal["debug", "info", "warning", "error"]


def event(name: str, text: str = "", level: Level = "info", **fields: object) -> None:
    """Tell that something happened. Without anyone who listens it goes to standard error, for people."""
    if not _LOGGER.hasHandlers():
        configure()
    _LOGGER.log(getattr(logging, level.upper()), "%s", text, extra={_FIELDS: (name, fields)})


def configure(form: Format = "plain", stream: IO[str] | None = None, level: Level = "info") -> None:
    """Send events to a stream, standard error by default, in one of the formats."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter({"plain": _Plain, "text": _Text, "json": _Json}[form]())
    _LOGGER.handlers[:] = [handler]
    _LOGGER.setLevel(getattr(logging, level.upper()))
    _LOGGER.propagate = False


def without_secrets(text: str) -> str:
    """Text without passwords in addresses and without values of query keys that usually are secrets.

    >>> without_secrets("https://anna:pw@a.example/?id=7&token=abc")
    'https://***@a.example/?id=7&token=***'
    """
    return _SECRETS.sub(r"\1***", _USER_INFO.sub(r"\1***@", text))


def _parts(record: logging.LogRecord) -> tuple[str, dict[str, object], str]:
    name, fields = getattr(record, _FIELDS, (record.name, {}))
    return name, fields, without_secrets(record.getMessage())


def _time(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _clean(value: Any) -> Any:  # noqa: ANN401 - whatever a field holds
    return without_secrets(value) if isinstance(value, str) else value


def _printable(text: str) -> str:
    return "".join(c if unicodedata.category(c)[0] != "C" else "\N{REPLACEMENT CHARACTER}" for c in text)


class _Plain(logging.Formatter):
    """For a person at a terminal: the sentence."""

    def format(self, record: logging.LogRecord) -> str:
        name, fields, text = _parts(record)
        return _printable(f"strandline: {text or ' '.join([name, *(f'{k}={_clean(v)}' for k, v in fields.items())])}")


class _Text(logging.Formatter):
    """For a log that people read: time, level, name, sentence and fields."""

    def format(self, record: logging.LogRecord) -> str:
        name, fields, text = _parts(record)
        values = " ".join(f"{key}={json.dumps(_clean(value), default=str)}" for key, value in fields.items())
        return _printable(" ".join(filter(None, (_time(record), record.levelname.lower(), name, values, text))))


class _Json(logging.Formatter):
    """For machines: one JSON document a line."""

    def format(self, record: logging.LogRecord) -> str:
        name, fields, text = _parts(record)
        document: dict[str, object] = {"time": _time(record), "level": record.levelname.lower(), "event": name}
        if text:
            document["text"] = text
        document |= {key: _clean(value) for key, value in fields.items()}
        return json.dumps(document, ensure_ascii=False, default=str)

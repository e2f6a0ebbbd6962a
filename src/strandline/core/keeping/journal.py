"""A journal that shows when somebody changed it: each line names the digest of the one before and is sealed by a key.

    {"number": 2, "time": 1794821400.0, "act": "block", "target": "https://example.org/a/*", ...,
     "before": SHA-256 of line 1, "seal": HMAC-SHA-256 of all of this by the archive's key}

A line that is altered, left out, put in or moved breaks the chain from there on. Lines cut off at the end leave a whole
chain: who wants to notice that keeps the last seal elsewhere. Who has the key can write a journal anew.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

FIRST: Final = "0" * 64
"""What the first line names as the one before."""


def sealed(entry: Mapping[str, Any], before: str, key: bytes) -> str:
    """An entry as a line of the journal, without a line end; `before` is the digest of the line before."""
    content = {**entry, "before": before}
    return _written({**content, "seal": _seal(content, key)})


def digest(line: str) -> str:
    """What the next line names."""
    return hashlib.sha256(line.encode()).hexdigest()


def read_journal(lines: Iterable[str], key: bytes) -> tuple[list[dict[str, Any]], str]:
    """The entries of a journal, and what is wrong with it: the first line that is not as it was written."""
    entries: list[dict[str, Any]] = []
    before, problem = FIRST, ""
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            seal = str(entry.pop("seal"))
            named = entry["before"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return entries, problem or f"line {number} is no entry"
        if not problem and named != before:
            problem = f"line {number} does not follow the one before it"
        elif not problem and not hmac.compare_digest(seal, _seal(entry, key)):
            problem = f"line {number} is not as it was written"
        before = digest(line)
        entries.append(entry)
    return entries, problem


def _seal(content: Mapping[str, Any], key: bytes) -> str:
    return hmac.new(key, _written(content).encode(), hashlib.sha256).hexdigest()


def _written(entry: Mapping[str, Any]) -> str:
    return json.dumps(entry, ensure_ascii=False, separators=(", ", ": "))

"""A journal tells when a line was changed, left out, put in or moved."""

import json

import pytest

from strandline.core.keeping.journal import FIRST, digest, read_journal, sealed

KEY = b"k" * 32


def _journal(count=4):
    lines = []
    for number in range(count):
        lines.append(
            sealed({"number": number, "reason": f"reason ä {number}"}, digest(lines[-1]) if lines else FIRST, KEY)
        )
    return lines


def test_a_journal_is_read_as_it_was_written():
    entries, problem = read_journal(_journal(), KEY)
    assert not problem
    assert [entry["number"] for entry in entries] == [0, 1, 2, 3]


def _altered(lines):
    entry = json.loads(lines[1])
    entry["reason"] = "another"
    lines[1] = json.dumps(entry, ensure_ascii=False)


@pytest.mark.parametrize(
    "tamper",
    [
        _altered,
        lambda lines: lines.pop(1),
        lambda lines: lines.pop(0),
        lambda lines: lines.insert(2, lines[1]),
        lambda lines: lines.reverse(),
        lambda lines: lines.__setitem__(2, "{}"),
        lambda lines: lines.__setitem__(2, "not json"),
        lambda lines: lines.__setitem__(3, sealed({"number": 9}, digest(lines[2]), b"another key")),
    ],
)
def test_tampering_is_noticed(tamper):
    lines = _journal()
    tamper(lines)
    assert read_journal(lines, KEY)[1]


def test_without_the_right_key_no_line_is_believed():
    assert read_journal(_journal(), b"guessed")[1].startswith("line 1")

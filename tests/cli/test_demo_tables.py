"""The tables of the demonstration leave out what says nothing new."""

from types import SimpleNamespace

import numpy as np

from strandline.cli.demo_tables import learned_table, rules_table
from strandline.plan.directory_hours import DirectoryHours

DAY = tuple(np.ones(24) / 24.0)
NIGHT = tuple(np.where(np.arange(24) < 6, 4.0, 0.0) / 24.0)


def row(directory, pages, per_day, hours, said):
    return DirectoryHours("a.example", directory, pages, 3 * pages, pages, per_day, 0.5, hours, 1.0, said)


def test_quiet_directories_share_a_line_and_the_whole_site_has_none():
    table = list(
        learned_table(
            [
                row("", 123, 2.0, DAY, "own"),
                row("/always/", 100, 4.0, DAY, "host"),
                row("/night/", 4, 4.0, NIGHT, "own"),
                row("/old/1998/", 9, 0.01, DAY, "quiet"),
                row("/old/1999/", 9, 0.01, DAY, "quiet"),
            ]
        )
    )
    assert sum("/night/" in line for line in table) == 1
    assert "▁" not in next(line for line in table if "/night/" in line)[:45]
    assert not any("a.example" in line for line in table) and len(table) == 5
    assert "  no hours of their own: /always/" in table
    assert "  quiet, left alone: /old/1998/, /old/1999/ (18 pages, 54 visits)" in table


def test_a_rule_about_what_never_changes_or_lies_inside_another_is_left_out():
    def rule(skip):
        return SimpleNamespace(if_changed=("a.example",), skip=f"a.example/{skip}")

    site = SimpleNamespace(
        dormant=("a.example/archive",),
        rules=[rule("documents"), rule("documents/minutes"), rule("archive"), rule("archive/1998"), rule("archives")],
    )
    assert list(rules_table([site]))[1:] == [
        "  /archive/ never changed",
        "  when the front page changes, /documents/ does not",
        "  when the front page changes, /archives/ does not",
    ]
    assert list(rules_table([SimpleNamespace(dormant=(), rules=[])])) == []

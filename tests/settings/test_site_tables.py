"""What is said of a site is kept where it stands: comments, other tables and other keys stay as they were."""

import dataclasses
from dataclasses import replace

import pytest

from strandline.errors import SettingError
from strandline.settings.edit import change_settings, change_tables
from strandline.settings.file import read_settings, settings_text
from strandline.settings.schema import Settings
from strandline.settings.site_tables import SiteSettings

OLD = """# ours
[plan]
budget = "9/day" # enough

[[site]] # the paper
name = "a.example"
# they asked for it
delay = "9 s"
hours = [
  "22:00-06:00", # nights
]

[keep]
prefix = "x"

[[site]]
name = "b.example"
budget = "5/day"
"""


def test_only_what_changes_is_written(tmp_path):
    (tmp_path / "strandline.toml").write_text(OLD)

    def change(tables):
        first, second = tables
        return replace(first, delay="5 s", hours=(), state="paused"), second, SiteSettings("c.example", weight=2.0)

    found = change_tables(tmp_path, "site", change)
    text = (tmp_path / "strandline.toml").read_text()
    assert read_settings(tmp_path / "strandline.toml") == found
    for kept in (
        "# ours",
        "# enough",
        "[[site]] # the paper",
        "# they asked for it",
        'prefix = "x"',
        'budget = "5/day"',
    ):
        assert kept in text
    assert 'delay = "5 s"' in text and "nights" not in text
    change_tables(tmp_path, "site", lambda tables: tables[1:])
    text = (tmp_path / "strandline.toml").read_text()
    assert "a.example" not in text and 'prefix = "x"' in text and "c.example" in text


def test_keys_of_sections_are_not_those_of_tables(tmp_path):
    (tmp_path / "strandline.toml").write_text('[[site]]\nname = "b.example"\nbudget = "5/day"\n')
    found = change_settings(tmp_path, {"plan.budget": '"7/day"'})
    assert (found.plan.budget, found.site[0].budget) == ("7/day", "5/day")


def test_new_tables_come_after_the_file_that_init_writes(tmp_path):
    (tmp_path / "strandline.toml").write_text(settings_text(Settings()))
    change_tables(tmp_path, "site", lambda _: (SiteSettings("a.example", headers=('X: "q"',)),))
    assert read_settings(tmp_path / "strandline.toml").site[0].headers == ('X: "q"',)


def test_a_table_that_cannot_be_is_not_written(tmp_path):
    (tmp_path / "strandline.toml").write_text(OLD)
    with pytest.raises(SettingError):
        change_tables(tmp_path, "site", lambda tables: (*tables, SiteSettings("a.example")))
    assert (tmp_path / "strandline.toml").read_text() == OLD


def test_every_key_says_what_it_is_for():
    assert all(len(key.metadata["doc"]) > 15 for key in dataclasses.fields(SiteSettings))

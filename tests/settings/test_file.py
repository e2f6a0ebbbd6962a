import dataclasses

import pytest

from strandline.errors import SettingError
from strandline.settings.file import read_settings, settings_text, with_overrides
from strandline.settings.schema import TABLES, Settings, sections


def write(tmp_path, text):
    path = tmp_path / "strandline.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_written_file_documents_every_setting_and_reads_back_as_itself(tmp_path):
    settings = with_overrides(
        Settings(), ["archive.contact=https://example.org/bot", 'scope.seeds=["http://a/", "http://ü/\\"x"]']
    )
    text = settings_text(settings)
    assert read_settings(write(tmp_path, text)) == settings
    lines = text.splitlines()
    for name, section in sections(settings):
        for key in dataclasses.fields(section):
            at = next(i for i, line in enumerate(lines) if line.startswith(f"{key.name} = "))
            assert lines[at - 1].startswith("# "), f"{name}.{key.name} has no explanation"
            assert len(key.metadata["doc"]) > 15
    for name, kind in TABLES.items():
        assert f"# [[{name}]]" in lines
        for key in dataclasses.fields(kind):
            assert any(line.startswith(f"#   {key.name}: ") for line in lines), f"{name}.{key.name}"


def test_tables_of_sites_read_back_and_name_the_line_of_a_mistake(tmp_path):
    settings = read_settings(
        write(tmp_path, '[[site]]\nname = "a.example"\nweight = 2\n[[site]]\nname = "b.example"\nhops = 3\n')
    )
    assert [(site.name, site.weight, site.hops) for site in settings.site] == [
        ("a.example", 2.0, 0),
        ("b.example", 1.0, 3),
    ]
    assert read_settings(write(tmp_path, settings_text(settings))) == settings


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[site]]\nnam = "a"\n', "line 2: unknown key 'nam' in \\[\\[site\\]\\]; did you mean 'name'"),
        ('[[site]]\nname = "a"\n\n[[site]]\nname = "b"\nhours = ["9"]\n', "line 6: site.hours: '9' are no hours"),
        ('[[site]]\nname = "a"\n[[site]]\nname = "a"\n', "line 3: site: 'a' is there twice"),
        ("[[site]]\nhops = 3\n", "line 1: site: a table without a name"),
        ('[site]\nname = "a"\n', "write \\[\\[site\\]\\]"),
        ('[[site]]\nname = "https://a/"\n', "no name of a site"),
        ('[[site]]\nname = "a"\nheaders = ["Host: b"]\n', "ours to set"),
        ('[[site]]\nname = "a"\nbudget = "5 MB/day"\n', "counted in requests"),
    ],
)
def test_a_mistake_in_a_table_names_its_line(tmp_path, text, message):
    with pytest.raises(SettingError, match=message):
        read_settings(write(tmp_path, text))


def test_no_file_means_defaults(tmp_path):
    assert read_settings(tmp_path / "none.toml") == Settings()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n[fetch]\ntotl = 3\n", "line 3: unknown key 'totl' in \\[fetch\\]; did you mean 'total'"),
        ("[fetsh]\n", "line 1: unknown section \\[fetsh\\]; did you mean 'fetch'"),
        ("[fetch]\nconnect = 5\ntotal = '3 parsecs'\n", "line 3: fetch.total: 'parsecs' is no unit of time"),
        ("[fetch]\nbody = '3 XB'\n", "line 2: fetch.body: 'XB' is no unit of size"),
        ("[fetch]\nconnections = 2.5\n", "whole number"),
        ("[fetch]\nconnections = -1\n", "negative"),
        ("[scope]\nseeds = 'x'\n", "list of texts"),
        ("[scope]\nscope = 'galaxy'\n", "not one of page, prefix, host, domain"),
        ("[scope]\nsitemaps = 'yes'\n", "true or false"),
        ("[scope\n", "line 1"),
        ("stray = 1\n", "line 1: unknown key 'stray' outside"),
    ],
)
def test_a_mistake_names_line_and_nearest_key(tmp_path, text, message):
    with pytest.raises(SettingError, match=message) as caught:
        read_settings(write(tmp_path, text))
    assert caught.value.exit_code == 4
    assert "\n" not in str(caught.value)


def test_flags_win_over_the_file_and_are_checked_alike():
    settings = with_overrides(Settings(), ["fetch.total=90s", "politeness.delay=0"])
    assert settings.fetch.total == 90.0
    assert settings.politeness.delay == "0"
    for wrong in ("fetch.total=soon", "fetch", "fetch.nothing=1", "nothing.x=1"):
        with pytest.raises(SettingError, match="--set"):
            with_overrides(Settings(), [wrong])


def test_unreadable_file_is_one_clear_line(tmp_path):
    path = tmp_path / "strandline.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingError, match="cannot be read"):
        read_settings(path)


@pytest.mark.parametrize(
    ("assignment", "told"),
    [
        ("fetch.connections=0", "fetch.connections: must lie between 1 and 10000"),
        ("keep.commit_captures=0", "keep.commit_captures: must be 1 or more"),
        ("plan.least_chance=2", "plan.least_chance: must lie between 0 and 1"),
        ("serve.port=99999", "serve.port: must lie between 0 and 65535"),
    ],
)
def test_numbers_that_cannot_work_are_refused(assignment, told):
    with pytest.raises(SettingError, match=told):
        with_overrides(Settings(), [assignment])

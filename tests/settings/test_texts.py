"""Values of settings that cannot work are told where they are read, in one line that names key and value."""

import dataclasses

import holidays
import pytest

from strandline.core.rivals.catalogue import STRATEGIES
from strandline.errors import SettingError
from strandline.settings import texts
from strandline.settings.file import read_settings, settings_text, with_overrides
from strandline.settings.schema import TABLES, Settings, sections

WRONG = {
    "archive.contact": ["me", "https://", "mailto:nobody", "https://a.example/\\u0007"],
    "archive.operator": ["two\\nlines"],
    "archive.description": ["two\\nlines", "\\u001b[31mred"],
    "scope.seeds": [[""], ["example.org"], ["ftp://example.org/"], ["https://user:word@example.org/"]],
    "scope.include": [[""], ["example.org/media"], ["*.example.org"], ["http://"], ["org,example)/a b"]],
    "scope.exclude": [[" "], ["www.example.org"]],
    "scope.weights": ["two\\nlines"],
    "fetch.connections": [0, 2.5, "many", 10**6, 10**400],
    "fetch.connect": ["0 s", "soon", -1, "9" * 400, "5000 weeks"],
    "fetch.first_byte": [0],
    "fetch.between_reads": [0],
    "fetch.total": [0],
    "fetch.body": [0, "1 parsec", "9" * 400, "99999999 TB"],
    "fetch.headers": ["10 B"],
    "fetch.redirects": [-1, 10**400],
    "fetch.allow_address": [["nonsense"], ["127.0.0.1/8"], [""]],
    "fetch.tls": ["never"],
    "fetch.secret_keys": [[""], ["token=abc"], ["a b"]],
    "fetch.proxy": [
        "nonsense",
        "ftp://proxy.example:21",
        "http://",
        "http://proxy.example:port",
        "http://proxy.example:99999",
        "http://proxy.example/path",
        "http://anna:word@proxy.example:3128",
        "two words:80",
    ],
    "politeness.delay": ["soon", "-1", "1 parsec"],
    "politeness.shortest": ["60 s"],
    "politeness.connections_per_host": [0, 10**6],
    "plan.budget": ["many", "0/day", "9/fortnight"],
    "plan.strategy": ["nonsense", ""],
    "plan.site_budgets": [["example.org"], ["example.org many"], ["example.org 2MB/day"], ["https://a.example/ 1/day"]],
    "plan.host_budgets": [[""], ["100/day"]],
    "plan.campaigns": [[""], ["floods"], ["f: a.example from 2026-03-02 to 2026-03-01"], ["f: a.example from x to y"]],
    "keep.prefix": ["a/b", ".hidden", "x" * 200],
    "keep.file_size": [0],
    "keep.file_age": [0],
    "keep.disk_reserve": ["lots", "-1"],
    "study.level": [0, 7],
    "study.workers": [10**6],
    "study.page_time": [0],
    "study.page_memory": ["1 kB"],
    "learn.zone": ["Mars/Olympus", "", "../etc/passwd"],
    "learn.country": ["ZZ", "France", "F"],
    "learn.sites": [["example.org"], ["example.org Mars/Olympus"], ["example.org Europe/Paris ZZ"], ["a b c d"]],
    "learn.periods": [0, 10**9],
    "learn.classes": [0, 10**9],
    "learn.version": [0],
    "serve.host": ["http://127.0.0.1", "a b", "", "127.0.0.1:80"],
    "alerts.webhooks": [[""], ["hooks.example"], ["https://a:b@hooks.example/"], ["https://hooks.example/ often"]],
    "alerts.email": [["anna"], ["anna@example.org only=mondays"], ["anna@example.org min=much"]],
    "alerts.searches": [["words"], ["a:"], ["a: -b"], [": b"]],
    "alerts.smtp": ["mail.example", "http://mail.example", "smtp://a:b@mail.example", "smtp://mail.example:port"],
    "alerts.sender": ["me", "a@b c@d"],
    "alerts.allow_address": [["nonsense"]],
    "alerts.link": ["archive.example", "javascript:alert(1)"],
}


def written(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


@pytest.mark.parametrize(
    ("key", "value"),
    [(key, value) for key, values in WRONG.items() for value in values],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else repr(value)[:40],
)
def test_a_value_that_cannot_work_is_refused_where_it_is_set_and_read(tmp_path, key, value):
    section, _, name = key.partition(".")
    with pytest.raises(SettingError, match=key) as given:
        with_overrides(Settings(), [f"{key}={written(value)}"])
    file = tmp_path / "strandline.toml"
    file.write_text(f"[{section}]\n# why\n{name} = {written(value)}\n")
    with pytest.raises(SettingError, match=f"line 3: {key}") as read:
        read_settings(file)
    for told in (str(given.value), str(read.value)):
        assert told.isprintable(), "one line"
        assert len(told) < 600
        assert ":word" not in told, "a password is not repeated"


def test_values_that_do_not_go_together_are_refused():
    told = "politeness.shortest: 3 s is more than politeness.longest, 1 s"
    with pytest.raises(SettingError, match=told):
        with_overrides(Settings(), ["politeness.longest=1 s"])
    with_overrides(Settings(), ["politeness.shortest=60 s", "politeness.longest=90 s"])


RIGHT = {
    "archive.contact": ["https://a.example/bot", "mailto:anna@a.example", ""],
    "archive.operator": ["Bibliothèque", ""],
    "scope.seeds": [["http://ü.example/x"], []],
    "scope.include": [
        ["org,example,media)/", "https://example.org/a", "http://(org,example,)/a/", "127.0.0.1)/", "org"]
    ],
    "fetch.connect": ["1 ms", 2],
    "fetch.allow_address": [["127.0.0.1/32", "::1", "10.0.0.0/8"]],
    "fetch.secret_keys": [["token", "sig[0]"]],
    "fetch.proxy": ["", "http://proxy.example:3128", "proxy.example:3128", "socks5h://anna@[::1]:1080", "http://p/"],
    "politeness.delay": ["auto", 0, "2 s"],
    "plan.strategy": ["round-robin", "freshness-learned"],
    "plan.site_budgets": [["example.org 100/day"]],
    "plan.campaigns": [["f: a.example from 2026-03-01 to 2026-03-02T10:00Z x 2.5"]],
    "keep.prefix": ["", "a-b"],
    "keep.disk_reserve": ["auto", 0, "2 GiB"],
    "keep.audit": [0],
    "learn.zone": ["auto", "Europe/Paris", "UTC"],
    "learn.country": ["auto", "none", "FR", "fr"],
    "learn.sites": [["example.org Asia/Tokyo JP", "a.example UTC"]],
    "serve.host": ["127.0.0.1", "::1", "localhost", "0.0.0.0"],
    "alerts.webhooks": [["https://hooks.example/${A}/$B min=0.5 site=example.org only=changes"]],
    "alerts.email": [["anna@example.org only=alarms", "ben@example.org only=digest"]],
    "alerts.searches": [["prices: discount OR sale -closed"]],
    "alerts.smtp": ["", "smtps://mail.example:465", "smtp://localhost"],
    "alerts.sender": ["", "archive@example.org"],
    "alerts.link": ["", "https://archive.example/"],
    "model.allow": [["example.org", "www.example.org", "*"]],
    "model.address": ["", "http://127.0.0.1:8080/v1"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in RIGHT.items() for value in values])
def test_a_value_that_works_is_taken(key, value):
    section, _, name = key.partition(".")
    taken = getattr(getattr(with_overrides(Settings(), [f"{key}={written(value)}"]), section), name)
    if not isinstance(taken, float):  # a length of time, in seconds
        assert taken in (value, str(value), tuple(value) if isinstance(value, list) else value)


def test_every_text_is_looked_at():
    tables = [(name, kind()) for name, kind in TABLES.items()]
    for name, section in (*sections(Settings()), *tables):
        for key in dataclasses.fields(section):
            if isinstance(getattr(section, key.name), str | tuple) and not key.metadata["unit"]:
                assert key.metadata["choices"] or key.metadata["form"], f"{name}.{key.name}"


def test_strategies_and_countries_are_those_there_are():
    assert set(texts.STRATEGIES) == set(STRATEGIES)
    assert {code for code in holidays.list_supported_countries() if len(code) == 2} <= texts.COUNTRIES


def test_what_was_written_reads_back_whatever_letters_it_has(tmp_path):
    settings = with_overrides(Settings(), ['archive.operator="a\U000e0041b\u00a0c"'])
    (tmp_path / "s.toml").write_text(settings_text(settings), encoding="utf-8")
    assert read_settings(tmp_path / "s.toml") == settings

"""Every text of the interface is in one file, and everything in that file is said somewhere."""

import re
from pathlib import Path

import pytest

from strandline.core.rivals.catalogue import STRATEGIES
from strandline.web import texts as module
from strandline.web.texts import say, texts

FOLDER = Path(module.__file__).parent
SOURCES = "\n".join(
    path.read_text("utf-8")
    for pattern in ("*.py", "views/*.py", "templates/**/*.html")
    for path in FOLDER.glob(pattern)
)
BEGINNINGS = tuple({*re.findall(r"say\('([a-z_]+_)' ~", SOURCES), *re.findall(r'say\(f"([a-z_]+_)\{', SOURCES)})
NOT_TEXTS = {"Strandline", "ImpCh", "Atom RSS", "TimeMap, CDX."}


def test_every_text_is_used_and_every_used_text_is_there():
    said = set(re.findall(r"""say\(\s*['"]([a-z_0-9]+)['"]\s*[,)]""", SOURCES))
    assert said <= set(texts())
    named = set(re.findall(r"""['"]([a-z_0-9]+)['"]""", SOURCES))
    strategies = {f"{kind}_{name}" for name in STRATEGIES for kind in ("short", "strategy")}
    assert strategies <= set(texts())
    assert [name for name in texts() if name not in named | strategies and not name.startswith(BEGINNINGS)] == []


def test_a_text_that_does_not_exist_is_a_mistake():
    with pytest.raises(KeyError):
        say("no such text")


def test_templates_have_no_texts_of_their_own():
    templates = list(FOLDER.glob("templates/**/*.html"))
    assert len(templates) > 10
    for path in templates:
        shown = re.sub(
            r"<style>.*?</style>|<pre.*?</pre>|\{%.*?%\}|\{\{.*?\}\}", "", path.read_text("utf-8"), flags=re.S
        )
        left = {line.strip(" ·") for line in re.sub("<[^>]*>", "", shown).splitlines()}
        assert {line for line in left if re.search("[A-Za-z]{3}", line)} <= NOT_TEXTS | {"replay"}, path.name


def test_a_count_and_its_word_agree():
    assert say("count_captures", count=1) == "1 capture"
    assert say("count_captures", count="1,000") == "1,000 captures"

"""What modules import is captured with them, whoever imports it: scripts, modules in pages, and what looks like it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strandline.dom.documents import Documents
from strandline.dom.scripts import addresses

URL = "https://app.example/js/main.js"


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ('import a from "./a.js"', ["./a.js"]),
        ("import{a,b as c}from'../lib/b.mjs';", ["../lib/b.mjs"]),
        ('import * as all from "/c.js"\nimport "./side-effect.js"', ["/c.js", "./side-effect.js"]),
        ('export { x } from "https://cdn.example/x.js"', ["https://cdn.example/x.js"]),
        ('import React from "react"', []),
        ('/* import "./old.js" */ // import "./older.js"', []),
        ('array.from("/not.js")', []),
        ('const when = import("./later.js")', []),
        ("import json from './data.json' with { type: 'json' }", ["./data.json"]),
    ],
)
def test_static_imports(script, found):
    assert list(addresses(script)) == found


def test_a_script_and_a_page_name_their_modules():
    documents = Documents()
    found = documents.discover(URL, "text/javascript", b'import x from "./x.js"; export * from "/y.js"', "utf-8")
    assert [(one.url, one.via) for one in found.named] == [
        ("https://app.example/js/x.js", "requisite"),
        ("https://app.example/y.js", "requisite"),
    ]
    page = b"""<html><body><div id=app></div><script>import "./no.js"</script>
        <script type="module">import {start} from "./app/start.js"; start()</script></body></html>"""
    found = documents.discover("https://app.example/", "text/html", page, "utf-8")
    assert [one.url for one in found.named if one.via == "requisite"] == ["https://app.example/app/start.js"]


@given(st.text(max_size=500))
def test_any_text_is_a_script(text):
    assert all(isinstance(one, str) for one in addresses("import " + text + " from " + text))

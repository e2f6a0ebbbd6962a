"""Addresses in style sheets and the few names in script."""

import pytest

from strandline.access.rewrite_css import rewrite_css
from strandline.access.rewrite_js import rewrite_import_map, rewrite_js
from strandline.access.rewrite_links import Links

STEM = "/web/2026"


def links():
    return Links("http://e.test/d/s.css", STEM)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a{b:url(x.png)}", f"a{{b:url({STEM}im_/http://e.test/d/x.png)}}"),
        ("a{b:url( 'x.png' )}", f"a{{b:url( '{STEM}im_/http://e.test/d/x.png' )}}"),
        ('a{b:URL("/x(1).png")}', f'a{{b:URL("{STEM}im_/http://e.test/x(1).png")}}'),
        ('@import "a.css" screen;', f'@import "{STEM}cs_/http://e.test/d/a.css" screen;'),
        ("@import url( a.css ) print;", f"@import url( {STEM}cs_/http://e.test/d/a.css ) print;"),
        ("@import url('a.css');", f"@import url('{STEM}cs_/http://e.test/d/a.css');"),
        (
            'b:image-set("a" 1x, url(b) 2x type("image/png"))',
            f'b:image-set("{STEM}im_/http://e.test/d/a" 1x, url({STEM}im_/http://e.test/d/b) 2x type("image/png"))',
        ),
        (r"b:url(a\).png)", rf"b:url({STEM}im_/http://e.test/d/a\).png)"),
        (r"b:url('\2e\2e/x')", f"b:url('{STEM}im_/http://e.test/x')"),
    ],
)
def test_addresses_in_style_sheets(before, after):
    assert rewrite_css(before, links()) == after


@pytest.mark.parametrize(
    "text", ["/* url(x) */", "a{content:'url(x)'}", "a{b:url(data:x)}", "a{b:url(#f)}", "a{b:url()}", "a{b:c}"]
)
def test_other_bytes_of_a_style_sheet_stay(text):
    assert rewrite_css(text, links()) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("location.href='/x'", "__replay_location.href='/x'"),
        ("location = '/x'", "__replay_location = '/x'"),
        ("window.location.assign(u)", "window.__replay_location.assign(u)"),
        ("document.location=u", "document.__replay_location=u"),
        ("top.location.replace(u)", "__replay_top.__replay_location.replace(u)"),
        ("if (top !== self) x()", "if (__replay_top !== self) x()"),
        ("if (self == top) x()", "if (self == __replay_top) x()"),
        ("var w = window.top;", "var w = window.__replay_top;"),
        ("import('/a.js')", "__replay_import(\"http://e.test/d/s.css\", '/a.js')"),
        ("const {history, location} = window;", "const {history, __replay_location: location} = window;"),
        ("const{history:e,location:t}=window;", "const{history:e,__replay_location:t}=window;"),
        ("at(base, location)", "at(base, __replay_location)"),
        ("at(location)", "at(__replay_location)"),
        (
            "function f(location){return location.x}location.y=1",
            "function f(location){return location.x}__replay_location.y=1",
        ),
        (
            "()=>{const {location} = window;at(location)};at(location)",
            "()=>{const {__replay_location: location} = window;at(location)};at(__replay_location)",
        ),
        (
            "const A=({location,b})=>{return location.x};location.y()",
            "const A=({location,b})=>{return location.x};__replay_location.y()",
        ),
        ('import a from "/b.js"', f'import a from "{STEM}js_/http://e.test/b.js"'),
        ("export{a}from'./b.js'", f"export{{a}}from'{STEM}js_/http://e.test/d/b.js'"),
        ("import'//o.test/x.js'", f"import'{STEM}js_/http://o.test/x.js'"),
    ],
)
def test_names_a_page_cannot_redefine(before, after):
    assert rewrite_js(before, links()) == after


@pytest.mark.parametrize(
    "text",
    [
        "var location = 1; location.x = 2;",
        "function f(location) { return location.pathname; }",
        "const {location} = props; location.search",
        "var location = '{'; location.x = 2;",
        "const A = ({location}) => location.pathname",
        "a.location.b",
        "{location: 1}",
        "el.style.top = '1px'",
        "const top = 3; top + 1",
        "import React from 'react'",
        "Array.from('/x')",
        "obj.import(x)",
        "class A { import(x) { return x; } }",
        "my_location.href",
        "'location'",
    ],
)
def test_other_script_stays(text):
    assert rewrite_js(text, links()) == text


def test_an_import_map_that_is_no_json_stays():
    assert rewrite_import_map("{", links()) == "{"
    assert rewrite_import_map("[1]", links()) == "[1]"

import pytest

from strandline.dom.documents import Documents
from strandline.dom.styles import addresses


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{background:url(x.png)} b{background:URL( 'y z.png' )}", ["x.png", "y z.png"]),
        ('@import "a.css" screen; @import url(b.css); @import url("c.css");', ["a.css", "b.css", "c.css"]),
        ("/* url(no.png) */ p{content:'url(no)'} q{src:url(data:font,x)} r{mask:url(#clip)}", []),
        (r"a{background:url(a\(1\).png)} b{background:url('\66 oo\'s')}", ["foo's"]),
        ("@import 'never closed\n; a{background:url(x)}", ["never closed", "x"]),
        ("a{background:url(", []),
        ("", []),
    ],
)
def test_addresses_of_a_style_sheet(css, expected):
    assert list(addresses(css)) == expected


def test_a_style_sheet_names_requisites_beside_itself():
    found = Documents().discover(
        "http://a.example/css/s.css", "text/css", b"a{b:url(../i.png)} c{d:url(../i.png)}", "utf-8"
    )
    assert [(one.url, one.via) for one in found.named] == [("http://a.example/i.png", "requisite")]

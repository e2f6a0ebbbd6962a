"""What is told of a page and its requests."""

from strandline.core.shown import DOCUMENT, TEXT, PageRequest, Shown, View


def test_a_view_is_found_by_its_name_and_a_header_by_any_spelling():
    shown = Shown(1, 0.0, "settled", (View(DOCUMENT, "text/html", b"<p>"),))
    assert (shown.view(DOCUMENT), shown.view(TEXT)) == (b"<p>", None)
    request = PageRequest(1, 1, "https://a.example/", "GET", (("Accept", "a/b"),), b"", "Image")
    assert (request.header("accept"), request.header("range")) == ("a/b", "")

"""What a document tells of what scripts would make of it."""

import pytest

from strandline.core.browsing.signs import EMPTY, PLAIN, SCRIPTED, THIN, signs_of, text_of_document

LONG = b"<p>" + b"many plain words of an article " * 60 + b"</p>"


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (b"<p>Closed on Monday.</p>", PLAIN),
        (LONG, PLAIN),
        (LONG + b'<script src="a.js"></script>', SCRIPTED),
        (b'<p>short</p><script src="a.js"></script>', THIN),
        (b"<p>" + b"word " * 80 + b"</p><script>" + b"x" * 9000 + b"</script>", THIN),
        (b'<div id="root"></div><script src="a.js"></script>', EMPTY),
        (b"<noscript>You need to enable JavaScript to run this app.</noscript><p>App</p><script>0</script>", EMPTY),
        (b'<p>x</p><script type="application/ld+json">{}</script>', PLAIN),
        (b'<p>x</p><iframe src="a"></iframe>', SCRIPTED),
        (b"", PLAIN),
        (b"<script>never ends", EMPTY),
    ],
)
def test_kinds(document, kind):
    assert signs_of(document).kind == kind


def test_another_program_is_told_by_the_names_of_its_scripts():
    one, same, other = (
        signs_of(b'<script src="/a.%b.js"></script><script src="/b.js?%b"></script>' % names).main_script
        for names in ((b"1", b"5"), (b"1", b"6"), (b"2", b"5"))
    )
    assert one == same != other
    assert signs_of(LONG).main_script == 0


def test_text_is_what_is_read_without_scripts():
    text = text_of_document(b"<title>t</title><p>a &amp; b</p><script>c</script><style>d</style>")
    assert [word for word in text.split() if word != ">"] == ["a", "&", "b"]

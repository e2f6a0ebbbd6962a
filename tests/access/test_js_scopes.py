"""Where a name is bound in a script, against a reference that knows where the braces are."""

from hypothesis import given
from hypothesis import strategies as st

from strandline.access.js_scopes import scopes_around

BRACES = ['"}{"', "'}'", "/* } */", "// {\n", "`}`", "`a${b}c`", "x=/[}/]{/;", "`${ {a:1}.a }}`"]
QUIET = st.sampled_from([*BRACES, "a/b;", "f(1);"])


@st.composite
def scripts(draw, depth=0):
    """A script of nested blocks, with marks: text and the blocks around each mark."""
    parts = []
    for kind in draw(st.lists(st.sampled_from(["quiet", "block", "mark"]), max_size=4)):
        if kind == "quiet":
            parts.append(draw(QUIET))
        elif kind == "mark":
            parts.append("var location;")
        elif depth < 4:
            parts.append("{" + draw(scripts(depth=depth + 1)) + "}")
    return " ".join(parts)


@given(scripts())
def test_marks_are_bound_where_they_stand(text):
    places = [at + len("var location") for at in range(len(text)) if text.startswith("var location", at)]
    found = scopes_around(text, places)
    assert found is not None
    blanked = text
    for quiet in BRACES:
        blanked = blanked.replace(quiet, "." * len(quiet))
    for place, scope in zip(places, found, strict=True):
        waiting, best = [], (0, len(text))
        for at, letter in enumerate(blanked):
            if letter == "{":
                waiting.append(at)
            elif letter == "}" and (start := waiting.pop()) < place <= at:
                best = min(best, (start, at + 1), key=lambda span: span[1] - span[0])
        assert scope == best


def test_uneven_braces_say_nothing():
    assert scopes_around("{ var location", [14]) is None
    assert scopes_around("} var location", [14]) is None
    assert scopes_around("`${ var location", [14]) is None

"""Words in names, and what a page calls itself."""

from strandline.core.blocks.content_marks import AROUND_GROUPS, GROUPS, KIND_OF_TAG, KINDS, declared_kinds, name_marks


def test_names():
    assert name_marks("onetrust-banner-sdk") & AROUND_GROUPS
    assert not name_marks("entry-content") & AROUND_GROUPS
    assert name_marks("") == 0
    assert name_marks("siteNav cookie-notice") < 1 << GROUPS
    assert max(KIND_OF_TAG.values()) == KINDS - 1


def test_what_a_page_calls_itself():
    assert declared_kinds(b"<p>Nothing</p>") == 0
    assert declared_kinds(b'<script>{"@type": "NewsArticle"}</script>') == 1
    assert declared_kinds(b'{"@type":["Product"]} {"@type": "FAQPage"}') == 0b100010

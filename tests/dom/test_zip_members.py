"""ZIP files as pages: members are compared by name whatever their order, hostile files end in bounded time."""

import random
from binascii import crc32
from io import BytesIO
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom import zip_members
from strandline.dom.checksums import spoken
from strandline.dom.html import blocks, visible_hash
from strandline.dom.zip_members import LONGEST_MEMBER, MOST_MEMBERS, MOST_SHOWN, MOST_UNPACKED, zip_page
from strandline.study.worker import document

MEMBERS = {
    "terms.txt": "Either side may end this with a notice of 30 days.\n\nBoats lie at the outer wall.",
    "prices.csv": "berth,price\nouter,12\ninner,30\n",
    "data/state.json": '{"harbour": {"open": true, "depth": 4}}',
    "index.html": "<html><style>p {}</style><body><p>The <b>tide</b> turns</p><script>x()</script></body></html>",
    "logo.png": "\x89PNG and so on",
}


def made_zip(members, how=ZIP_DEFLATED, year=2026):
    file = BytesIO()
    with ZipFile(file, "w") as packed:
        for name, text in members.items():
            info = ZipInfo(name, (year, 1, 1, 0, 0, 0))
            info.compress_type = how
            packed.writestr(info, text)
    return file.getvalue()


def page_of(data):
    page = zip_page(data)
    assert page is not None
    return page


def changed(before, after):
    old = blocks(page_of(before))
    delta = compare(old, blocks(page_of(after), scale=old.scale))
    return importance(delta, NoiseState()).value, delta


def lines(data):
    return [line for line in blocks(page_of(data)).text.split("\n") if line]


def test_members_by_name_with_their_text():
    assert lines(made_zip(MEMBERS)) == [
        "data/state.json",
        "harbour",
        "open: true",
        "depth: 4",
        "index.html",
        "The tide turns",
        f"logo.png: 15 bytes, {spoken(crc32(MEMBERS['logo.png'].encode()))}",
        "prices.csv",
        *("berth", "price", "outer", "12", "inner", "30"),
        "terms.txt",
        "Either side may end this with a notice of 30 days.",
        "Boats lie at the outer wall.",
    ]


def test_order_time_and_packing_do_not_count():
    backwards = dict(reversed(MEMBERS.items()))
    other = made_zip(backwards, ZIP_STORED, 2020)
    assert other != made_zip(MEMBERS)
    assert visible_hash(page_of(other)) == visible_hash(page_of(made_zip(MEMBERS)))


def test_a_term_in_a_member_is_a_change():
    edited = {**MEMBERS, "terms.txt": MEMBERS["terms.txt"].replace("30 days", "90 days")}
    value, delta = changed(made_zip(MEMBERS), made_zip(edited))
    assert value > 0.1
    assert any("90 days" in operation.after for operation in delta.operations)


def test_a_member_that_is_no_text_is_compared_by_its_checksum():
    value, delta = changed(made_zip(MEMBERS), made_zip({**MEMBERS, "logo.png": "\x89PNG and more"}))
    assert value > 0.05
    assert [operation.after.partition(":")[0] for operation in delta.operations if operation.kind == "update"] == [
        "logo.png"
    ]


def test_a_new_member_leaves_the_others_alone():
    _, delta = changed(made_zip(MEMBERS), made_zip({"a.txt": "A storm warning for all boats", **MEMBERS}))
    assert not [operation for operation in delta.operations if operation.kind == "delete"]
    assert any("storm warning" in operation.after for operation in delta.operations)


def office(text, saved):
    return made_zip(
        {
            "[Content_Types].xml": "<Types/>",
            "docProps/core.xml": f"<c><modified>{saved}</modified></c>",
            "word/document.xml": f'<w:document xmlns:w="w"><w:body>{text}</w:body></w:document>',
            "word/settings.xml": f'<w:settings xmlns:w="w"><w:rsid w:val="{saved}"/></w:settings>',
            "word/styles.xml": f'<w:styles xmlns:w="w"><w:style w:id="{saved}"/></w:styles>',
        }
    )


def test_a_document_of_an_office_program_is_its_text():
    text = "<w:p><w:t>Notice of </w:t><w:r><w:t>30 days</w:t></w:r></w:p><w:p><w:r><w:t>Berths</w:t></w:r></w:p>"
    before = office(text, "2026-01-01")
    assert lines(before) == ["word/document.xml", "Notice of 30 days", "Berths"]
    assert page_of(office(text, "2027-07-07")) == page_of(before)
    assert changed(before, office(text.replace("30", "90"), "2026-01-01"))[0] > 0.1
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    assert document(before, kind).text


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x05\x06" + bytes(18), made_zip(MEMBERS)[:200], made_zip({})])
def test_what_cannot_be_read_is_other_content(data):
    assert document(data, "application/zip").text is False


def test_too_many_members_are_other_content():
    assert zip_page(made_zip(MEMBERS) + b"PK\x01\x02" * (MOST_MEMBERS + 1)) is None


def test_members_after_those_that_are_shown_still_count():
    many = {f"{number:05}.bin": str(number) for number in range(MOST_SHOWN + 3)}
    other = {**many, f"{MOST_SHOWN + 2:05}.bin": "another"}
    assert page_of(made_zip(many)) != page_of(made_zip(other))


def test_what_is_too_long_to_unpack_is_shown_by_its_checksum():
    bombs = {f"{number}.txt": "water " * (LONGEST_MEMBER // 6 - 1) for number in range(6)}
    bombs["0-whole.txt"] = "water " * LONGEST_MEMBER
    page = page_of(made_zip(bombs))
    assert len(page) < 2 * MOST_UNPACKED
    assert page.count(b" bytes, ") >= 4  # the long one, and those after the limit
    assert page.count(b"<h2>") >= 1
    assert b"<h2>" not in page_of(made_zip({"a.txt": "water"}, ZIP_BZIP2)), "not unpacked in steps"


def test_a_size_that_is_a_lie_is_shown_by_its_checksum(monkeypatch):
    monkeypatch.setattr(zip_members, "LONGEST_MEMBER", 100)
    data = made_zip({"a.txt": "water " * 1000})
    lied = data.replace((6000).to_bytes(4, "little"), (60).to_bytes(4, "little"))
    assert lied != data
    assert lines(lied)[0].startswith("a.txt: 60 bytes")


@pytest.mark.parametrize("name", ["a.html", "a.xml"])
def test_a_tag_of_very_many_attributes_ends(name):
    attributes = " ".join(f'a{number}="1"' for number in range(150_000))
    assert b"a.txt" in page_of(made_zip({name: f"<b {attributes}>x</b>", "a.txt": "water"}))


def test_entities_are_not_followed():
    bomb = '<!DOCTYPE a [<!ENTITY b "water"><!ENTITY c "&b;&b;"><!ENTITY f SYSTEM "file:///etc/passwd">]><a>&c;&f;</a>'
    page = page_of(made_zip({"a.xml": bomb, "b.txt": "tide"}))
    assert b"water" not in page and b"root" not in page


def test_no_damage_leads_to_an_error():
    whole = made_zip(MEMBERS)
    chance = random.Random(5)
    for _ in range(300):
        hurt = bytearray(whole)
        for _ in range(chance.randint(1, 8)):
            hurt[chance.randrange(4, len(hurt))] = chance.randrange(256)
        found = document(bytes(hurt), "application/zip")
        assert found.text or found.data == hurt, "what cannot be read is as it was"

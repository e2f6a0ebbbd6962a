"""PDF files as pages: what changed is seen and scored, how a file was made is not, hostile files end in time."""

import random
import zlib

import pytest

from servers.made_pdf import made_pdf, with_objects
from strandline.core.changes.delta.vidiff import compare
from strandline.core.changes.noise.volatility import NoiseState
from strandline.core.changes.score.importance import importance
from strandline.dom import pdf_text
from strandline.dom.html import blocks, visible_hash
from strandline.dom.pdf_text import MOST_PAGES, pdf_page
from strandline.study.worker import document

TERMS = [
    "1. Notice",
    "Either side may end this agreement with a notice of 30 days, in writing,",
    "sent to the address named below. The harbour keeps what was paid before.",
    "It stays in force until then.",
    "2. Berths",
    "Boats of more than twelve metres lie at the outer wall, all others within,",
    "and nobody may change places with another without the harbour master.",
]
MORE = ["3. Fees", "Fees are paid by the month, before the fifth day of it, at the office of the quay."]


def page_of(data):
    page = pdf_page(data)
    assert page is not None
    return page


def changed(before, after):
    delta = compare(*(blocks(page_of(data)) for data in (before, after)))
    return importance(delta, NoiseState()).value, delta


def test_the_text_of_a_file_by_paragraphs():
    tree = blocks(page_of(made_pdf(TERMS, MORE, title="Harbour terms")))
    assert tree.title == "Harbour terms"
    assert [line for line in tree.text.split("\n") if line] == [
        TERMS[0],
        f"{TERMS[1]} {TERMS[2]} {TERMS[3]}",
        TERMS[4],
        f"{TERMS[5]} {TERMS[6]}",
        *MORE,
    ]
    assert all(block.path.startswith("html/body.pdf") for block in tree.blocks)


def test_a_term_of_a_contract_is_a_change_and_the_time_it_was_made_is_not():
    before = made_pdf(TERMS, MORE)
    value, delta = changed(before, made_pdf([line.replace("30 days", "90 days") for line in TERMS], MORE))
    assert value > 0.1
    assert any("90 days" in operation.after for operation in delta.operations)
    again = made_pdf(TERMS, MORE, made="D:20270505", packed=False)
    assert again != before
    assert visible_hash(page_of(again)) == visible_hash(page_of(before))


def test_lines_that_break_elsewhere_are_no_change():
    words = " ".join(TERMS[1:4]).split()
    wider = [" ".join(words[at : at + 16]) for at in range(0, len(words), 16)]
    assert changed(made_pdf(TERMS), made_pdf([TERMS[0], *wider, *TERMS[4:]]))[1].empty


def test_numbers_of_pages_and_running_heads_are_shown_once():
    pages = [["Harbour terms", *TERMS[1:4], f"Page {number} of 5"] for number in range(1, 6)]
    text = blocks(page_of(made_pdf(*pages))).text
    assert text.count("Harbour terms") == 1
    assert "Page" not in text


def test_a_change_after_the_pages_that_are_read_is_still_one():
    pages = [[f"Sheet number {number} of the log of the harbour"] for number in range(MOST_PAGES + 5)]
    other = [*pages[:-1], ["The harbour was closed"]]
    value, delta = changed(made_pdf(*pages), made_pdf(*other))
    assert value > 0.05
    assert len(delta.operations) == 1


def test_a_file_that_says_it_is_something_else():
    assert document(made_pdf(TERMS), "application/octet-stream").text
    assert document(made_pdf(TERMS), "application/pdf; qs=0.001").text
    assert not document(b"nothing of the kind", "application/pdf").text


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7",
        b"%PDF-1.7\n" + b"<<" * 50_000,
        b"%PDF-1.4\n" + b"[" * 100_000,
        made_pdf(TERMS)[:300],
        made_pdf(TERMS).replace(b"/Kids [6 0 R]", b"/Kids [2 0 R]"),
        made_pdf([]),  # scanned: there is no text
        with_objects(
            [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 9 >>", b"null", b"<< >>"],
            b"/Encrypt << /Filter /Standard /V 4 /R 4 /O (x) /U (y) /P 1 >> /ID [(a) (b)] ",
        ),
    ],
)
def test_what_cannot_be_read_is_other_content(data):
    assert document(data, "application/pdf").text is False


def test_a_stream_that_unpacks_without_end_is_other_content():
    bomb = zlib.compress(b"(water) Tj " * 6_000_000, 9)
    told = b"<< /Filter /FlateDecode /Length %d >>\nstream\n%s\nendstream" % (len(bomb), bomb)
    whole = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [5 0 R] >>",
        told,
        b"<< >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 3 0 R >>",
    ]
    assert pdf_page(with_objects(whole)) is None


def test_time_is_looked_at_between_instructions(monkeypatch):
    monkeypatch.setattr(pdf_text, "CPU_LIMIT", 0.0)
    assert pdf_page(made_pdf(TERMS)) is None


def test_forms_that_call_each_other_end_in_bounded_time():
    """Each of twenty forms calls the next one ten times: without a bound this test never ends."""
    depth = 20
    whole = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R /Resources << /XObject << /N 6 0 R >> >> >>",
        b"<< >>",
        b"<< /Length 5 >>\nstream\n/N Do\nendstream",
    ]
    for number in range(6, 6 + depth):
        calls = b"/N Do " * 10
        inner = b"/Resources << /XObject << /N %d 0 R >> >>" % (number + 1) if number < 5 + depth else b""
        whole.append(
            b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] %s /Length %d >>\nstream\n%s\nendstream"
            % (inner, len(calls), calls)
        )
    assert pdf_page(with_objects(whole)) is None


def test_no_damage_leads_to_an_error():
    whole = bytearray(made_pdf(TERMS, MORE))
    chance = random.Random(5)
    for _ in range(60):
        hurt = bytearray(whole)
        for _ in range(chance.randint(1, 12)):
            hurt[chance.randrange(8, len(hurt))] = chance.randrange(256)
        found = document(bytes(hurt), "application/pdf")
        assert found.text or found.data == hurt, "what cannot be read is as it was"

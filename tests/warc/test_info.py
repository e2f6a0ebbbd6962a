"""What every WARC file says about the crawl."""

from strandline.warc.info import WarcInfo


def test_fields_are_one_line_each_and_empty_ones_are_left_out():
    text = WarcInfo("Strandline/1", operator="some\r\nbody").fields().decode()
    assert "software: Strandline/1\r\n" in text
    assert "operator: some body\r\n" in text
    assert "isPartOf" not in text

"""`quality --replay` for people and programs."""

from strandline.cli.replay_quality import LISTED, replay_data, replay_text
from strandline.core.quality.replayed import MissingBlock
from strandline.report.replayed import PageReplay, ReplayQuality

LOST = tuple((f"https://a.example/{number}.css", "not captured") for number in range(LISTED + 2))
PAGE = PageReplay(
    url="https://a.example/",
    time=0.0,
    score=0.45,
    blocks=0.9,
    parts=0.5,
    requests=20,
    missing_blocks=(MissingBlock("lost words", 0.1, 0.0),),
    missing_requests=LOST,
    outside=(),
    ended="settled",
)


def test_text_names_what_is_missing():
    text = "\n".join(replay_text(ReplayQuality((PAGE,))))
    assert ".45  https://a.example/" in text
    assert "block of weight 0.10, 0% shown: lost words" in text
    assert "... and 2 more" in text
    assert "a.example: replays .45" in text or "example: replays .45" in text
    assert "1 page asked for what was not captured" in text
    assert "planned" not in text
    again = ReplayQuality((PAGE,), (PAGE.url,))
    assert replay_text(again)[-1] == "1 visit planned" and replay_data(again)["planned"] == [PAGE.url]


def test_data_has_all_of_it():
    told = replay_data(ReplayQuality((PAGE,)))
    assert (told["score"], told["pages"][0]["mendable"]) == (0.45, True)
    assert len(told["pages"][0]["missing_requests"]) == len(LOST)
    assert replay_data(ReplayQuality(()))["score"] is None
    assert "nothing to compare" in replay_text(ReplayQuality(()))[0]

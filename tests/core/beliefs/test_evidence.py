import json

import pytest

from strandline.core.beliefs.evidence import Claim, Source, Trust, TrustBook, Verdict, judge

HOUR = 3600.0


@pytest.mark.parametrize(
    ("time", "changed", "verdict"),
    [
        (5 * HOUR, True, Verdict.CONFIRMED),
        (5 * HOUR, False, Verdict.FALSE_ALARM),
        (-5 * HOUR, False, Verdict.CONSISTENT),
        (-5 * HOUR, True, Verdict.MISSED),
        (10 * HOUR - 1, True, Verdict.WORTHLESS),  # stamped with the time of the answer
        (99 * HOUR, False, Verdict.WORTHLESS),  # from the future
    ],
)
def test_two_captures_judge_a_claim(time, changed, verdict):
    assert judge(Claim(Source.LAST_MODIFIED, time), 0.0, 10 * HOUR, changed=changed) is verdict


def test_a_mere_date_is_not_held_against_its_author():
    midnight = Claim(Source.SITEMAP, 0.0, precision=24 * HOUR)
    assert judge(midnight, 9 * HOUR, 20 * HOUR, changed=True) is Verdict.CONFIRMED
    assert judge(midnight, 9 * HOUR, 20 * HOUR, changed=False) is Verdict.CONSISTENT
    assert judge(midnight, 30 * HOUR, 50 * HOUR, changed=True) is Verdict.MISSED


def test_captures_must_be_in_order():
    with pytest.raises(ValueError, match="comes before the earlier"):
        judge(Claim(Source.FEED, 0.0), 10.0, 5.0, changed=True)


def trust_after(*verdicts):
    trust = Trust()
    for verdict in verdicts:
        trust.add(verdict)
    return trust


def test_trust_is_earned_and_lost():
    confirmed, missed, alarm = Verdict.CONFIRMED, Verdict.MISSED, Verdict.FALSE_ALARM
    assert not Trust().trusted
    assert not trust_after(confirmed, confirmed).trusted
    assert trust_after(*[confirmed] * 3).trusted
    assert not trust_after(*[confirmed] * 3, *[missed] * 3).trusted
    assert not trust_after(*[confirmed] * 3, *[alarm] * 3).trusted
    assert not trust_after(*[Verdict.CONSISTENT] * 50).trusted  # a header that never moves has told nothing
    assert not trust_after(*[Verdict.WORTHLESS] * 50, confirmed, confirmed, confirmed).trusted


def test_old_lies_fade():
    trust = trust_after(*[Verdict.MISSED] * 400, *[Verdict.CONFIRMED] * 800)
    assert trust.trusted
    assert trust.missed + trust.confirmed <= 200.0 + 1e-9


def test_each_host_is_judged_by_itself_and_the_most_precise_source_speaks():
    book = TrustBook()
    for day in range(5):
        since, until = day * 24 * HOUR, (day + 1) * 24 * HOUR
        honest = [Claim(Source.LAST_MODIFIED, since + HOUR), Claim(Source.SITEMAP, since + 2 * HOUR, 60.0)]
        book.learn("honest.example", honest, (since, until), changed=True)
        book.learn("liar.example", [Claim(Source.LAST_MODIFIED, until)], (since, until), changed=False)
    claims = [Claim(Source.SITEMAP, 7 * HOUR, 60.0), Claim(Source.LAST_MODIFIED, 6 * HOUR)]
    assert book.changed_at("honest.example", claims, 5 * HOUR, 20 * HOUR) == 6 * HOUR
    assert book.changed_at("liar.example", claims, 5 * HOUR, 20 * HOUR) is None
    assert book.changed_at("unknown.example", claims, 5 * HOUR, 20 * HOUR) is None
    assert book.changed_at("honest.example", claims, 8 * HOUR, 20 * HOUR) is None
    coarse = [Claim(Source.SITEMAP, 6 * HOUR, 24 * HOUR)]
    assert book.changed_at("honest.example", coarse, 5 * HOUR, 20 * HOUR) is None


def test_the_book_survives_json():
    book = TrustBook()
    book.learn("a.example", [Claim(Source.FEED, 5.0)], (0.0, 100.0), changed=True)
    again = TrustBook.from_data(json.loads(json.dumps(book.as_data())))
    assert again == book
    assert book.as_data()[0]["source"] == "feed"

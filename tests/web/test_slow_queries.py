"""Answers that take long: asked once, remembered, renewed when they are old, and never waited for in vain."""

import asyncio

import pytest

from strandline.app.slow_queries import SlowAnswers
from strandline.archive.deployment import Address
from strandline.archive.folder import create
from strandline.web import slow_queries
from strandline.web.slow_queries import NoAnswerError, SlowQueries, StillWorkingError


class Lane:
    """Answers with how often it was asked, when it is let."""

    def __init__(self):
        self.asked = 0
        self.let = asyncio.Event()
        self.problem = ""

    async def told(self, ask, about):
        self.asked += 1
        asked = self.asked
        await self.let.wait()
        return {"problem": self.problem} if self.problem else {"answer": {"asked": asked}}


def _slow_queries(tmp_path):
    made, lane = SlowQueries(Address(str(tmp_path))), Lane()
    made._lanes = dict.fromkeys((True, False), lane)
    return made, lane


def test_a_question_is_asked_once_and_remembered(tmp_path):
    async def run():
        made, lane = _slow_queries(tmp_path)
        assert made.remembered("quality") is None
        with pytest.raises(StillWorkingError, match="Being worked out"):
            await made.ask("quality", patience=0.01)
        lane.let.set()
        answers = await asyncio.gather(made.ask("quality"), made.ask("quality"))
        assert answers == [{"asked": 1}, {"asked": 1}] and lane.asked == 1
        made.forget()
        assert await made.ask("quality") == {"asked": 2}

    asyncio.run(run())


def test_an_old_answer_is_shown_while_a_new_one_is_worked_out(tmp_path, monkeypatch):
    async def run():
        made, lane = _slow_queries(tmp_path)
        lane.let.set()
        await made.ask("next")
        assert made.remembered("next") == {"asked": 1} and lane.asked == 1
        monkeypatch.setattr(slow_queries, "FRESH", 0.0)
        monkeypatch.setattr(slow_queries, "COSTLY", 0.0)
        assert made.remembered("next") == {"asked": 1}
        await asyncio.sleep(0.01)
        assert made.remembered("next") == {"asked": 2}

    asyncio.run(run())


def test_whoever_waits_is_let_go_when_the_server_ends(tmp_path):
    create(tmp_path / "archive", operator="Tests")

    async def run():
        made = SlowQueries(Address(str(tmp_path / "archive")))
        waiting = [asyncio.create_task(made.ask(ask)) for ask in ("quality", "next")]  # one process, one after another
        while made._lanes[True]._process is None:
            await asyncio.sleep(0.01)
        process = made._lanes[True]._process
        made.hush()
        for one in waiting:
            with pytest.raises(NoAnswerError):
                await asyncio.wait_for(one, 300.0)
        await asyncio.wait_for(process.wait(), 300.0)  # whoever waited may be told before it has ended
        await made.close()

    asyncio.run(run())


def test_what_cannot_be_worked_out_says_why_and_can_be_asked_again(tmp_path):
    async def run():
        made, lane = _slow_queries(tmp_path)
        lane.let.set()
        lane.problem = "there is nothing yet"
        for _ in range(2):
            with pytest.raises(NoAnswerError, match="nothing yet"):
                await made.ask("why", url="http://a.test/")
        assert lane.asked == 2

    asyncio.run(run())


def test_measures_do_not_hang_on_what_was_asked_before(living):
    def measures(answers):
        return answers.quality()["sites"]["archive"], answers.history("courier.test")["moments"]

    answers, plain = SlowAnswers(living.folder), SlowAnswers(living.folder)
    url = "http://courier.test/news/1.html"
    plain.planning().now = answers.planning().now
    first = answers.why(url)["answers"]["changes"]
    assert answers.next(5)["visits"]
    assert measures(answers) == measures(plain)
    assert answers.why(url)["answers"]["changes"] == first == plain.why(url)["answers"]["changes"]


def test_of_many_pages_plan_or_measures_are_held_and_answers_are_the_same(living, monkeypatch):
    news = "http://courier.test/news/1.html"
    asks = [("quality", ()), ("next", (5,)), ("why", (news,)), ("history", ("courier.test",))]
    assert SlowAnswers(living.folder).hours()["directories"][0]["host"] == "courier.test"
    moment = SlowAnswers(living.folder).planning().now

    def answers_now():
        found = SlowAnswers(living.folder)
        found.planning().now = moment
        return found

    expected = [getattr(answers_now(), name)(*about) for name, about in asks]
    monkeypatch.setattr("strandline.plan.planning.MANY", 1)
    answers, held = answers_now(), []
    for (name, about), answer in zip([*asks, asks[0]], [*expected, expected[0]], strict=True):
        assert getattr(answers, name)(*about) == answer
        held.append({"outlook", "whole", "looks"} & set(answers.planning().__dict__))
    assert held[:2] == [set(), {"outlook"}] and held[2] <= {"outlook"} and held[3:] == [set(), set()]


def test_of_many_pages_the_plan_is_lived_through_and_made_anew(living, monkeypatch):
    first, second = SlowAnswers(living.folder).planning(), SlowAnswers(living.folder).planning()
    second.now = first.now
    expected = list(first.ahead(8.0))
    assert len(expected) > 5 and "outlook" in first.__dict__
    monkeypatch.setattr("strandline.plan.planning.MANY", 1)
    for _ in range(2):
        assert list(second.ahead(8.0)) == expected
        assert not {"outlook", "whole"} & set(second.__dict__)


def test_beliefs_that_took_long_are_renewed_rarely(living, monkeypatch):
    answers, used = SlowAnswers(living.folder), [0.0]
    monkeypatch.setattr("time.process_time", lambda: used[0])
    kept = answers.planning()
    kept.now, answers._mark = kept.now - 300.0, (0, 0)  # five minutes ago, and something was captured since
    used[0] = 32.0
    assert answers.planning() is kept
    used[0] = 1.0
    assert answers.planning() is not kept

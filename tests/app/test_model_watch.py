"""A watch puts the questions of the settings to what changes: once, within bounds, without waiting."""

import json
import time

import pytest

from made.model_server import model_server, saying, send
from made.news import TOLD, News
from strandline.app.model import answers_told
from strandline.app.model_watch import ModelWatch, StandingQuestion, ask_of_new, standing_questions
from strandline.archive.folder import Archive, create
from strandline.errors import SettingError
from strandline.settings.collection_tables import CollectionSettings
from strandline.settings.schema import AlertSettings, ModelSettings, Settings

QUESTION = "notice: Did a notice period rise?"


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "a")
    return tmp_path / "a"


def changed(folder, *importances):
    news = News(folder)
    for importance in importances:
        news.change(importance, told=TOLD)
    news.close()


def settings_of(server, questions=(QUESTION,), **more):
    wanted = {"name": "small", "allow": ("news.example",), "allow_address": ("127.0.0.0/8",), "timeout": 5.0} | more
    return Settings(
        model=ModelSettings(address=server.address if server else "", questions=questions, **wanted),
        alerts=AlertSettings(webhooks=("https://hooks.example/x",)),
    )


def look(folder, settings, **more):
    return ask_of_new(Archive(folder, settings), **more)


def test_what_changes_from_now_on_is_asked_about_once_and_told_where_the_answer_is_yes(folder):
    changed(folder, 0.9)
    with model_server(saying("Yes, it rose from 30 to 90 days.")) as server:
        settings = settings_of(server)
        assert look(folder, settings).asked == 0, "it changed before there were questions"
        changed(folder, 0.5, 0.2)
        first, again = look(folder, settings), look(folder, settings)
    assert (first.asked, first.told, first.problem) == (2, 2, "")
    assert (again.asked, len(server.asked)) == (0, 2)
    said = [one for told in answers_told(Archive(folder, settings)).values() for one in told]
    assert said == ["The model small answers “Did a notice period rise?”: Yes, it rose from 30 to 90 days."] * 2


def test_nobody_is_told_where_the_answer_is_no(folder):
    with model_server(saying("No, it stayed.")) as server:
        settings = settings_of(server)
        look(folder, settings)
        changed(folder, 0.9)
        found = look(folder, settings)
    assert (found.asked, found.told) == (1, 0)
    assert answers_told(Archive(folder, settings)) == {}


def test_what_is_beyond_the_budget_waits_and_is_asked_later(folder):
    with model_server(saying("Yes.")) as server:
        look(folder, settings_of(server, requests=1))
        changed(folder, 0.9, 0.8)
        spent = look(folder, settings_of(server, requests=1))
        later = look(folder, settings_of(server, requests=9))
    assert (spent.asked, "budget" in spent.problem) == (1, True)
    assert (later.asked, later.problem, len(server.asked)) == (1, "", 2)


def test_no_text_of_other_sites_is_sent(folder):
    with model_server(saying("Yes.")) as server:
        settings = settings_of(server, allow=("other.example",))
        look(folder, settings)
        changed(folder, 0.9)
        assert look(folder, settings).asked == 0
        assert server.asked == []


def test_a_model_that_fails_is_asked_again_until_it_is_given_up(folder):
    with model_server(lambda handler, _: send(handler, b"no", 500)) as server:
        settings = settings_of(server)
        look(folder, settings)
        changed(folder, 0.9)
        assert look(folder, settings).problem
        assert look(folder, settings, give_up=lambda _: True).problem
        assert len(server.asked) == 2
        assert look(folder, settings).problem == "", "its change was passed over"
    assert len(server.asked) == 2


def test_a_watch_asks_beside_its_work(folder, monkeypatch):
    monkeypatch.setattr("strandline.app.model_watch.EVERY", 0.0)
    with model_server(saying("Yes, by 60 days.")) as server:
        settings = settings_of(server)
        look(folder, settings)
        changed(folder, 0.9)
        asking, end = ModelWatch(Archive(folder, settings), settings), time.monotonic() + 120
        while not answers_told(Archive(folder, settings)) and time.monotonic() < end:
            asking.beside()
            time.sleep(0.02)
    assert len(server.asked) == 1
    assert json.loads(server.asked[0][1]["messages"][1]["content"])["new text"] == TOLD["after"]


def test_a_question_is_narrowed_to_a_page_a_site_a_collection_and_what_matters():
    entry = "prices: Did a price rise = or fall? collection=shops min=0.2"
    settings = Settings(
        model=ModelSettings("https://models.example/v1", "small", ("*",), questions=(entry,)),
        collection=(CollectionSettings("shops", sites=("news.example",)),),
    )
    (found,) = standing_questions(settings)
    assert (found.question, found.collection, found.least) == ("Did a price rise = or fall?", "shops", 0.2)
    assert found.stretches


def test_what_cannot_be_asked_is_said_at_once():
    model = ModelSettings("https://models.example/v1", "small", ("*",), questions=("x: Rose? collection=none",))
    with pytest.raises(SettingError, match="no collection 'none'"):
        standing_questions(Settings(model=model))
    with pytest.raises(SettingError, match=r"model\.address"):
        standing_questions(Settings(model=ModelSettings(questions=(QUESTION,))))
    assert standing_questions(Settings()) == ()


def test_a_question_fits_changes_of_its_own_pages(folder):
    changed(folder, 0.5)
    (change,) = Archive(folder, Settings()).studies.changes()
    assert StandingQuestion("n", "q").fits(change)
    assert StandingQuestion("n", "q", page=change.url, site=change.site, least=0.5).fits(change)
    assert not StandingQuestion("n", "q", page="https://else.example/").fits(change)
    assert not StandingQuestion("n", "q", site="else.example").fits(change)
    assert not StandingQuestion("n", "q", least=0.6).fits(change)
    assert not StandingQuestion("n", "q", collection="shops", stretches=(("a", "b"),)).fits(change)

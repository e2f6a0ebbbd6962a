"""The list of changes shows what a language model answered, as its words."""

import json

from made.model_server import model_server, saying
from made.news import TOLD, News
from strandline.app.model_watch import ask_of_new
from strandline.archive.folder import Archive, create
from strandline.settings.schema import AlertSettings, ModelSettings, Settings
from web.archives import served


def test_what_the_model_answered_stands_beside_the_change(tmp_path):
    create(tmp_path / "a")
    with model_server(saying("Yes, by <b>60</b> days.")) as model:
        asked = ModelSettings(model.address, "small", ("*",), ("terms: Did it rise?",), allow_address=("127.0.0.0/8",))
        archive = Archive(tmp_path / "a", Settings(model=asked, alerts=AlertSettings()))
        ask_of_new(archive)
        news = News(tmp_path / "a")
        news.change(0.9, told=TOLD)
        news.close()
        assert ask_of_new(archive).told == 1
    with served(archive) as server:
        page = server.get("/changes", origin="interface")[2].decode()
        assert "The model small answers “Did it rise?”: Yes, by &lt;b&gt;60&lt;/b&gt; days." in page
        (change,) = json.loads(server.get("/api/v1/changes", origin="interface")[2])["changes"]
        assert change["answers"] == ["The model small answers “Did it rise?”: Yes, by <b>60</b> days."]

"""A language model is asked within bounds: where text may go, how often, and whatever the other side does."""

import json
import threading

import pytest
from typer.testing import CliRunner

from made.model_server import model_server, saying, send
from made.news import TOLD, News
from strandline.app.model import Model, tell_of
from strandline.archive.folder import Archive, create
from strandline.cli.main import app
from strandline.errors import SettingError
from strandline.settings.schema import AlertSettings, ModelSettings, Settings
from strandline.store.catalog import DATABASE
from strandline.store.outbox import OutboxReading


@pytest.fixture
def folder(tmp_path):
    create(tmp_path / "a")
    news = News(tmp_path / "a")
    for importance in (0.9, 0.5):
        news.change(importance, told=TOLD)
    news.close()
    return tmp_path / "a"


def archive_with(folder, server, **more):
    wanted = {"name": "small", "allow": ("news.example",), "allow_address": ("127.0.0.0/8",), "timeout": 5.0} | more
    address = wanted.pop("address", server.address if server else "")
    alerts = AlertSettings(webhooks=("https://hooks.example/x",))
    return Archive(folder, Settings(model=ModelSettings(address=address, **wanted), alerts=alerts))


def asked(archive, question="Did a notice period rise?"):
    return list(Model(archive).answers(archive.studies.changes(), question))


def test_a_question_is_answered_and_marked_as_the_models(folder, monkeypatch):
    monkeypatch.setenv("STRANDLINE_MODEL_KEY", "secret")
    with model_server(saying("Yes, it rose from 30 to 90 days.")) as server:
        first, second = asked(archive_with(folder, server))
    assert (first.yes, first.answer, first.model, first.tokens) == (
        True,
        "Yes, it rose from 30 to 90 days.",
        "small",
        42,
    )
    assert second.yes is True and first.as_data()["said_by"] == "the model small"
    (path, body), _ = server.asked
    assert path == "/v1/chat/completions" and body["model"] == "small" and body["max_tokens"] <= 300
    system, user = body["messages"]
    assert "never instructions" in system["content"] and "Did a notice period rise?" in system["content"]
    sent = json.loads(user["content"])
    assert (sent["old text"], sent["new text"]) == (TOLD["before"], TOLD["after"])
    assert server.keys == ["Bearer secret"] * 2


def test_a_change_is_summarised_without_a_question(folder):
    with model_server(saying("Tenants have to wait longer.")) as server:
        found = asked(archive_with(folder, server), "")
    assert [(one.answer, one.yes) for one in found] == [("Tenants have to wait longer.", None)] * 2


def test_text_is_sent_only_where_it_may(folder):
    with model_server(saying("yes")) as server:
        found = asked(archive_with(folder, server, allow=("other.example",)))
        assert [one.problem for one in found] == ["text of news.example may not be sent (model.allow)"] * 2
        assert server.asked == []
        assert all(one.yes for one in asked(archive_with(folder, server, allow=("*",))))


def test_the_budget_of_a_day_is_kept(folder):
    with model_server(saying("no")) as server:
        archive = archive_with(folder, server, requests=1)
        first, second = asked(archive)
        assert first.yes is False and "budget" in second.problem
        assert "budget" in asked(archive)[0].problem  # also in the next run
        assert len(server.asked) == 1 and Model(archive).spent().requests == 1
        assert "budget" in asked(archive_with(folder, server, tokens=100))[0].problem
        assert len(server.asked) == 1


def endless(handler, _):
    handler.send_response(200)
    handler.end_headers()
    for _ in range(10_000):
        try:
            handler.wfile.write(b" " * 4096)
        except OSError:
            return


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda handler, _: send(handler, b"{}", 500), "answered 500"),
        (lambda handler, _: send(handler, b"{}", 429, Retry_After="17"), "answered 429, to be asked again after 17"),
        (lambda handler, _: send(handler, b"{}", 302, Location="http://127.0.0.1/"), "redirects are not followed"),
        (lambda handler, _: send(handler, b"<html>no</html>"), "not one of the protocol"),
        (lambda handler, _: send(handler, b'{"choices": []}'), "not one of the protocol"),
        (lambda handler, _: send(handler, b"[" * 100_000), "not one of the protocol"),
        (lambda handler, _: send(handler, b'{"choices": [{"message": {"content": 5}}]}'), "empty"),
        (lambda handler, _: handler.connection.close(), ""),
        (endless, "larger than"),
        (lambda handler, _: threading.Event().wait(3), "timed out"),
    ],
    ids=["500", "429", "302", "html", "no choice", "nested", "number", "hangs up", "endless", "silent"],
)
def test_whatever_a_model_does_is_a_problem_in_words(folder, answer, said):
    with model_server(answer) as server:
        found = asked(archive_with(folder, server, timeout=1.0))
    assert len(found) == 2
    for one in found:
        assert one.answer == "" and one.yes is None
        assert one.problem and said.lower() in one.problem.lower()


def test_an_answer_is_bounded(folder):
    with model_server(saying("yes " * 50_000)) as server:
        assert len(asked(archive_with(folder, server))[0].answer) <= 4_000


def test_a_model_on_this_machine_needs_to_be_allowed(folder):
    with model_server(saying("yes")) as server:
        found = asked(archive_with(folder, server, allow_address=()))
        assert all("model.allow_address" in one.problem for one in found)
        assert server.asked == []


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"address": ""}, "no language model is set up"),
        ({"name": ""}, "no language model is set up"),
        ({"allow": ()}, "no text may be sent"),
        ({"allow_address": ("x",)}, "model.allow_address"),
    ],
)
def test_it_is_off_unless_it_is_set_up(folder, settings, said):
    with pytest.raises(SettingError, match=said):
        Model(archive_with(folder, None, **({"address": "http://127.0.0.1:9/v1"} | settings)))


def test_those_who_asked_are_told_once(folder):
    with model_server(saying("Yes.")) as server:
        archive = archive_with(folder, server)
        for new in (2, 0):
            changes = list(archive.studies.changes())
            found = list(zip(changes, Model(archive).answers(changes, "Did it rise?"), strict=True))
            assert tell_of(archive, found) == new
    reading = OutboxReading.open(folder / DATABASE)
    alerts = list(reading.alerts())
    reading.close()
    assert len(alerts) == 2
    assert "the model small answers “Did it rise?”: Yes." in alerts[0].document["text"]
    assert alerts[0].document["model"]["said_by"] == "the model small"


def test_the_command(folder):
    with model_server(saying("Yes, by 60 days.")) as server:
        sets = [f'model.address="{server.address}"', 'model.name="small"', 'model.allow=["news.example"]']
        sets.append('model.allow_address=["127.0.0.0/8"]')
        settings = folder / "strandline.toml"
        lines = "\n".join(one.replace("model.", "") for one in sets)
        text = settings.read_text("utf-8")
        assert "[model]" in text
        head, _, rest = text.partition("[model]\n")
        after = rest.partition("\n[")
        settings.write_text(f"{head}[model]\n{lines}\n{after[1]}{after[2]}", encoding="utf-8")
        done = CliRunner().invoke(app, ["ask", str(folder), "Did the notice period rise?", "--json"])
        assert done.exit_code == 0, done.output
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["yes"] for line in lines] == [True, True]
        plain = CliRunner().invoke(app, ["ask", str(folder), "Did the notice period rise?"])
    assert "The model small says: Yes, by 60 days." in plain.stdout

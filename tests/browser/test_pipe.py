"""Messages on pipes: answers find their calls, events come in order, and an end is heard by all who wait."""

import json
import os
import threading

import pytest

from strandline.browser.chromium import ChromiumLost
from strandline.browser.pipe import CallFailed, Pipe


class Peer:
    """The other end: answers each message with what a function says."""

    def __init__(self, reply):
        self.reads, to_peer = os.pipe()
        from_peer, self.writes = os.pipe()
        self.events, self.gone, self.heard = [], threading.Event(), []
        self.pipe = Pipe(from_peer, to_peer, self.events.append, self.gone.set)
        self._ends = [from_peer, to_peer]
        self.thread = threading.Thread(target=self._talk, args=(reply,), daemon=True)
        self.thread.start()

    def _talk(self, reply):
        waiting = b""
        while data := os.read(self.reads, 1 << 16):
            *whole, waiting = (waiting + data).split(b"\0")
            for text in whole:
                message = json.loads(text)
                self.heard.append(message)
                for said in reply(message):
                    self.say(said)

    def say(self, message):
        os.write(self.writes, json.dumps(message).encode() + b"\0")

    def end(self):
        os.close(self.writes)


def test_answers_find_their_calls_and_events_come_in_order():
    def reply(message):
        yield {"method": "before", "params": {}}
        yield {"id": message["id"], "result": {"echo": message["params"]}}

    peer = Peer(reply)
    assert peer.pipe.call("A.b", "session", x=1) == {"echo": {"x": 1}}
    assert peer.pipe.call("A.c", y=2) == {"echo": {"y": 2}}
    assert [one["method"] for one in peer.events] == ["before", "before"]
    assert peer.heard[0]["sessionId"] == "session"
    assert "sessionId" not in peer.heard[1]


def test_a_refusal_is_told_in_the_words_of_the_browser():
    peer = Peer(lambda message: [{"id": message["id"], "error": {"message": "no such target"}}])
    with pytest.raises(CallFailed, match="no such target"):
        peer.pipe.call("A.b")


def test_a_browser_that_is_silent_or_gone_keeps_nobody_waiting():
    peer = Peer(lambda message: [])
    with pytest.raises(ChromiumLost, match="hangs"):
        peer.pipe.call("A.b", seconds=0.05)
    threading.Timer(0.05, peer.end).start()
    with pytest.raises(ChromiumLost, match="gone"):
        peer.pipe.call("A.c", seconds=60.0)
    assert peer.gone.wait(10)
    with pytest.raises(ChromiumLost, match="gone"):
        peer.pipe.call("A.d")


def test_bodies_are_packed_on_their_way():
    peer = Peer(lambda message: [{"id": message["id"], "result": {}}])
    peer.pipe.fulfil("s", "7", 200, [{"name": "a", "value": "b"}], b"\x00\xff")
    peer.pipe.call("A.b")
    assert peer.heard[0]["params"] == {
        "requestId": "7", "responseCode": 200, "responseHeaders": [{"name": "a", "value": "b"}], "body": "AP8="
    }  # fmt: skip


def test_what_is_no_message_does_no_harm():
    def reply(message):
        os.write(peer.writes, b"nonsense\0[1]\0")
        return [{"id": message["id"], "result": {}}]

    peer = Peer(reply)
    assert peer.pipe.call("A.b") == {}

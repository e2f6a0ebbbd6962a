"""Settings and alerts for the tests of alerts."""

import time
from dataclasses import replace

from made.receivers import LOOPBACK
from strandline.settings.schema import AlertSettings, Settings
from strandline.store.outbox import Alert

DATABASE = "strandline.db"


def settings_for(*webhooks, **more):
    return replace(Settings(), alerts=AlertSettings(webhooks=webhooks, allow_address=LOOPBACK, **more))


def alert(number, **changes):
    given = {"kind": "change", "time": time.time(), "site": "a.example", "url": f"http://a.example/{number}"}
    document = {"archive": "test", "text": str(number), "url": f"http://a.example/{number}", "importance": 0.9}
    return Alert(**(given | {"importance": 0.9, "document": document, "key": f"key-{number}"} | changes))

"""What the tests of alerts share: an archive with news in it, its outbox, somebody who is told."""

import pytest

from app.alerting import DATABASE
from app.news import News
from app.receivers import Webhook
from strandline.store.outbox import Outbox


@pytest.fixture
def news(tmp_path):
    opened = News(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def hook():
    receiver = Webhook()
    yield receiver
    receiver.close()


@pytest.fixture
def outbox(tmp_path, news):
    opened = Outbox.open(tmp_path / DATABASE)
    opened.begin()
    yield opened
    opened.close()

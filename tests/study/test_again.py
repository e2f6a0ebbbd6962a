"""Pages of which something was erased are studied again from what is left."""

from made.secrets import secretive
from strandline.access.timestamps import timestamp
from strandline.archive.folder import open_archive
from strandline.core.keeping.takedowns import Act
from strandline.study.again import study_again


def test_what_is_left_is_studied_again(tmp_path):
    folder = tmp_path / "archive"
    secrets, _ = secretive(folder)
    archive = open_archive(folder)
    url = max({one.url for one in secrets}, key=lambda one: sum(other.url == one for other in secrets))
    mine = [one for one in secrets if one.url == url]
    assert len(mine) > 2
    archive.journal.add(Act(0, 0.0, "erase", f"{timestamp(mine[1].time)}/{url}", "because"))
    assert study_again(archive) == 1
    assert study_again(archive) == 0
    found = open_archive(folder).studies
    found._hiding = None
    texts = " ".join(life.text for life in found.block_history(url))
    assert mine[0].text in texts
    assert mine[1].text not in texts
    assert mine[2].text in texts

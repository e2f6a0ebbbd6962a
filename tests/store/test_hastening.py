"""Pages that people want soon are handed out, beside whatever is planned."""

import contextlib

from made.catalog_words import capture, found, visited
from strandline.archive.folder import create
from strandline.ports import PLANNED, Batch
from strandline.store.catalog import open_catalog
from strandline.store.hastening import hasten

NOW = 1.8e9
URLS = [f"http://{name}.example/" for name in "abc"]


def test_a_planned_page_is_handed_out_by_a_catalog_that_is_open(tmp_path):
    archive = create(tmp_path / "archive")
    with contextlib.closing(open_catalog(archive.folder)) as catalog:
        catalog.add([found(url, due=NOW) for url in URLS])
        tasks = catalog.take(9, NOW, NOW, ())
        for place, task in enumerate(tasks):
            taken = capture(task.url, NOW, 100 * place)
            due = PLANNED if task.url != URLS[2] else float("inf")
            catalog.commit(Batch([visited(task.page, taken, time=NOW, due=due)]))
        assert catalog.take(9, NOW + 50, NOW + 50, ()) == []
        numbers = {task.url: task.page for task in tasks}
        wanted = [numbers[URLS[0]], numbers[URLS[2]], 99]
        assert archive.beside(lambda connection: hasten(connection, wanted, NOW + 100)) == {numbers[URLS[0]]}
        assert archive.beside(lambda connection: hasten(connection, wanted, NOW + 200)) == {numbers[URLS[0]]}
        assert catalog.page(URLS[0]).due == NOW + 100, "it waits already"
        assert [task.url for task in catalog.take(9, NOW + 101, NOW + 101, ())] == [URLS[0]]

"""A cluster leaves out what its sites keep quiet, as a folder does, and books its re-tests."""

import psycopg

from journeys.test_cluster import command, done, place
from journeys.test_skipping import NEWS, PATHS, known
from servers import postgres

pytestmark = postgres.GROUP
__all__ = ["known", "place"]


def test_a_worker_leaves_out_quiet_directories_and_books_its_tests(place, known):
    (site, folder), (database, store, environment) = known, place
    settings = folder / "strandline.toml"
    settings.write_text(settings.read_text().replace('contact = ""', 'contact = "https://library.example/bot"'))
    moved = command(environment, "migrate", folder, "--database", database, "--store", store)
    assert moved.communicate()[1] is not None and moved.returncode == 0
    code, _, err = done(command(environment, "learn", database, "rules", "--json", "--quiet"))
    assert code == 0, err
    given = ("--allow-address", "127.0.0.0/8", "--set", "crawl.skip=dormant", "--set", "politeness.delay=0",
             "--set", "keep.disk_reserve=0", "--set", "study.workers=0")  # fmt: skip
    code, _, err = done(command(environment, "cluster", "init", "--database", database, "--json", *given))
    assert code == 0, err
    site.asked.clear()
    site.change(NEWS[1], NEWS[2], "/news/")
    words = ("worker", "--database", database, "--json", "--quiet", "--lease", 3, "--commit-seconds", 0.3)
    code, lines, err = done(command(environment, *words))
    assert code == 0, err
    assert {NEWS[1], NEWS[2], "/news/", "/"} <= set(site.asked)
    assert len(site.asked) < 0.3 * len(PATHS)
    assert lines[-1]["refusals"]["quiet directory"] > 0.7 * len(PATHS)
    with psycopg.connect(database) as connection:
        (tests,) = connection.execute("SELECT sum(tests) FROM skip_tests WHERE method = 'dormant'").fetchone()
    assert tests > 0, "samples of what was left out were not booked"

"""What a cluster leaves out as unchanged (`crawl.skip`, `plan.skip`), and who keeps the books about it.

A directory lies on one host, and a host belongs to one worker at a time: that worker decides, and books its re-tests
with the captures that made them. One that gets a host back later may know less than the catalog does; what it books
then is older, and the catalog keeps what it has (store/postgres/recording.py).
"""

from strandline.crawl.quiet_sites import QuietPlan, QuietSites, QuietWatch
from strandline.crawl.skipping import Library
from strandline.crawl.skips import SkipNothing, Skips
from strandline.settings.schema import Settings
from strandline.store.postgres.reading import on_postgres
from strandline.store.postgres.session import Session
from strandline.store.skipping import SkipReading


def worker_skips(settings: Settings, session: Session, watching: bool) -> Skips:
    """What a worker leaves out in a pass; in a watch its plan does, and here visits are booked as tests."""
    method = settings.plan.skip if watching else settings.crawl.skip
    if method == "none":
        return SkipNothing()
    library = Library(on_postgres(SkipReading, session))
    return (
        QuietWatch(method, library, library.pace * settings.learn.version) if watching else QuietSites(method, library)
    )


def desk_skips(settings: Settings, session: Session) -> QuietPlan | None:
    """What plans leave out; None when they leave out nothing."""
    if settings.plan.skip == "none":
        return None
    library = Library(on_postgres(SkipReading, session))
    return QuietPlan(settings.plan.skip, library, library.pace * settings.learn.version)

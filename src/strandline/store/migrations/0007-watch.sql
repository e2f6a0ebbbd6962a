-- A watch: how far it is, and what it has spent. Times are UTC epoch seconds.

-- Hours of a watch as seconds of the world: hour `hour` began at `start`, and hours last `length` seconds from then on.
-- Without a row hours are those of the clock.
CREATE TABLE watch_time (
    start  REAL PRIMARY KEY,
    hour   REAL NOT NULL,
    length REAL NOT NULL
) STRICT, WITHOUT ROWID;

-- Requests that still count against the budget.
CREATE TABLE watch_requests (
    request INTEGER PRIMARY KEY,
    time    REAL NOT NULL,
    cost    REAL NOT NULL                      -- requests or bytes, as the budget counts
) STRICT;

-- How the watch stands, written at most once a second: one row. The keys of `document` are told in app/watching.py.
CREATE TABLE watch_state (
    one      INTEGER PRIMARY KEY CHECK (one = 1),
    pid      INTEGER NOT NULL,
    host     TEXT    NOT NULL,
    started  REAL    NOT NULL,
    updated  REAL    NOT NULL,
    ended    TEXT    NOT NULL,                 -- why it ended; empty while it runs (or since it was killed)
    document TEXT    NOT NULL                  -- JSON
) STRICT;

-- What each hour was meant to do and did.
CREATE TABLE watch_hours (
    hour       INTEGER PRIMARY KEY,            -- since the Monday before the watch began
    start      REAL    NOT NULL,
    allowed    REAL    NOT NULL,               -- by the budget, with what was carried over
    planned    INTEGER NOT NULL,               -- visits the plan wanted
    requests   INTEGER NOT NULL,               -- sent: all kinds
    revisits   INTEGER NOT NULL,               -- of pages fetched before
    firsts     INTEGER NOT NULL,               -- of pages never fetched before
    parts      INTEGER NOT NULL,               -- requisites, sitemaps, feeds, robots.txt, probes
    changed    INTEGER NOT NULL,               -- revisits that found other bytes
    unchanged  INTEGER NOT NULL,
    failed     INTEGER NOT NULL,
    octets     INTEGER NOT NULL
) STRICT;

-- Pages, captures and the frontier. Times are UTC epoch seconds. Everything but the back-off of pages and hosts
-- and the due times can be rebuilt from the WARC files.

CREATE TABLE hosts (
    host        INTEGER PRIMARY KEY,
    authority   TEXT    NOT NULL UNIQUE,
    site        TEXT    NOT NULL,                -- registered domain, with an unusual port
    turn        INTEGER NOT NULL,                -- hosts are served in this order; renewed when one was served
    queued      INTEGER NOT NULL DEFAULT 0,      -- pages in state 1
    waiting     INTEGER NOT NULL DEFAULT 0,      -- 1: nothing is asked of it before not_before
    not_before  REAL    NOT NULL DEFAULT 0,
    failures    INTEGER NOT NULL DEFAULT 0,
    seconds     REAL    NOT NULL DEFAULT 0,
    pages       INTEGER NOT NULL DEFAULT 0,
    captures    INTEGER NOT NULL DEFAULT 0,
    first       REAL,                            -- times of the earliest and latest capture
    last        REAL
) STRICT;
CREATE INDEX hosts_site    ON hosts (site);
CREATE INDEX hosts_ready   ON hosts (turn)       WHERE queued > 0 AND waiting = 0;
CREATE INDEX hosts_waiting ON hosts (not_before) WHERE queued > 0 AND waiting = 1;

-- Apart from hosts: a text of up to 500 KiB must not be rewritten with every turn.
CREATE TABLE robots (
    host   INTEGER PRIMARY KEY REFERENCES hosts,
    time   REAL    NOT NULL,
    status INTEGER NOT NULL,
    body   BLOB    NOT NULL
) STRICT;

CREATE TABLE pages (
    page          INTEGER PRIMARY KEY,
    key           INTEGER NOT NULL,              -- 64-bit look-up key of url: see store/addresses.py
    url           TEXT    NOT NULL,              -- unique; the one writer looks it up before it inserts
    host          INTEGER NOT NULL REFERENCES hosts,
    kind          TEXT    NOT NULL,
    via           TEXT    NOT NULL,              -- how it was first found
    hops          INTEGER NOT NULL,
    state         INTEGER NOT NULL,              -- 0 resting, 1 queued, 2 backed off, 3 leased: see store/frontier.py
    priority      REAL    NOT NULL,
    due           REAL    NOT NULL,
    not_before    REAL    NOT NULL DEFAULT 0,
    attempts      INTEGER NOT NULL DEFAULT 0,    -- failures in a row
    evidence      TEXT    NOT NULL DEFAULT 'unknown',
    since         REAL    NOT NULL DEFAULT 0,
    outcome       TEXT    NOT NULL DEFAULT '',   -- of the last visit
    detail        TEXT    NOT NULL DEFAULT '',
    visited       REAL    NOT NULL DEFAULT 0,
    seconds       REAL    NOT NULL DEFAULT 0,
    weight        REAL    NOT NULL DEFAULT 1,
    weight_given  INTEGER NOT NULL DEFAULT 0,    -- 1: by the user, not by the link graph
    captures      INTEGER NOT NULL DEFAULT 0,
    surt          TEXT,                          -- once there is a capture
    etag          TEXT    NOT NULL DEFAULT '',
    last_modified TEXT    NOT NULL DEFAULT '',
    conditional   INTEGER NOT NULL DEFAULT 0,    -- conditional visits in a row
    origin        INTEGER                        -- capture the validators belong to
) STRICT;
CREATE INDEX pages_key     ON pages (key);
CREATE INDEX pages_due     ON pages (due);
CREATE INDEX pages_queued  ON pages (host, priority) WHERE state = 1;
CREATE INDEX pages_backoff ON pages (not_before)     WHERE state = 2;
CREATE INDEX pages_surt    ON pages (surt)           WHERE surt IS NOT NULL;

CREATE TABLE leases (
    page  INTEGER PRIMARY KEY REFERENCES pages,
    owner TEXT NOT NULL,
    time  REAL NOT NULL
) STRICT;

-- Pages due by the horizon are queued, backed off or leased; all others rest.
CREATE TABLE frontier (
    horizon REAL NOT NULL
) STRICT;
INSERT INTO frontier VALUES (-9e999);

CREATE TABLE passes (
    pass    INTEGER PRIMARY KEY,
    started REAL NOT NULL,
    ended   REAL
) STRICT;

CREATE TABLE files (
    file INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE captures (
    seq             INTEGER PRIMARY KEY AUTOINCREMENT, -- the order of recording, also when the clock jumps back
    page            INTEGER NOT NULL REFERENCES pages,
    time            REAL    NOT NULL,
    status          INTEGER NOT NULL,
    mime            TEXT    NOT NULL,
    digest          TEXT    NOT NULL,
    file            INTEGER NOT NULL REFERENCES files,
    offset          INTEGER NOT NULL,
    length          INTEGER NOT NULL,
    revisit         INTEGER NOT NULL,
    truncated       TEXT    NOT NULL,
    redirect        TEXT    NOT NULL,
    record_id       TEXT    NOT NULL,
    entity          TEXT    NOT NULL,
    original_url    TEXT,
    original_time   REAL,
    original_digest TEXT,
    original_record TEXT
) STRICT;
CREATE UNIQUE INDEX captures_place  ON captures (file, offset);
CREATE INDEX        captures_page   ON captures (page, time);
CREATE INDEX        captures_entity ON captures (entity) WHERE entity <> '' AND revisit = 0 AND truncated = '';

-- The link graph: what page names what other page. Requisites and sitemap entries are no endorsement and stay out.
CREATE TABLE links (
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    via    TEXT    NOT NULL,
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;

-- What sitemaps and feeds say about the last change of a page: evidence, not truth.
CREATE TABLE claims (
    page   INTEGER NOT NULL,
    source TEXT    NOT NULL,
    time   REAL    NOT NULL,
    seen   REAL    NOT NULL,
    PRIMARY KEY (page, source, time)
) STRICT, WITHOUT ROWID;

CREATE TABLE refusals (
    reason TEXT PRIMARY KEY,
    url    TEXT    NOT NULL,
    count  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Small learned state, by whoever learned it.
CREATE TABLE notes (
    kind  TEXT NOT NULL,
    key   TEXT NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

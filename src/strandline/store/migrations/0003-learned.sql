-- What was learned about how pages change. `learn` rebuilds all of it from the captures; watching keeps it up to date.
-- Times are UTC epoch seconds.

-- Which captures each part (patterns, rules, classes) rests on, and results for the archive as a whole.
CREATE TABLE learned_from (
    part      TEXT PRIMARY KEY,
    seq       INTEGER NOT NULL,                -- newest capture that was looked at
    studied   INTEGER NOT NULL,                -- progress of study at that time
    captures  INTEGER NOT NULL,
    pages     INTEGER NOT NULL,
    unstudied INTEGER NOT NULL,                -- captures whose change was told by digests alone
    first     REAL,
    last      REAL,
    data      TEXT    NOT NULL                 -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE learned_sites (
    site    TEXT PRIMARY KEY,
    zone    TEXT NOT NULL,
    country TEXT,
    reason  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE page_series (
    page     INTEGER PRIMARY KEY REFERENCES pages,
    zone     TEXT    NOT NULL,
    country  TEXT,
    cycle    TEXT    NOT NULL,
    periods  INTEGER NOT NULL,
    captures INTEGER NOT NULL,
    last     REAL,
    sums     BLOB    NOT NULL,                 -- zstd: importance, changes, time observed; kinds x periods, 64-bit floats
    shared   INTEGER                           -- number of its pattern group
) STRICT;

CREATE TABLE page_rates (
    page    INTEGER PRIMARY KEY REFERENCES pages,
    visits  INTEGER NOT NULL,
    changes INTEGER NOT NULL,
    found   REAL    NOT NULL,
    watched REAL    NOT NULL,                  -- days
    prior   REAL    NOT NULL,                  -- changes a day expected at first sight
    last    REAL    NOT NULL                   -- time of the last capture
) STRICT;

-- What could be seen of a page at its first capture; read once.
CREATE TABLE first_sights (
    page          INTEGER PRIMARY KEY REFERENCES pages,
    text_bytes    INTEGER NOT NULL,
    links         INTEGER NOT NULL,
    headings      INTEGER NOT NULL,
    images        INTEGER NOT NULL,
    emails        INTEGER NOT NULL,
    last_modified INTEGER,
    language      TEXT    NOT NULL
) STRICT;

-- Heads of captures are read once, for Last-Modified; all up to this number are done. What they claim is in `claims`.
CREATE TABLE heads_read (
    seq INTEGER NOT NULL
) STRICT;
INSERT INTO heads_read VALUES (0);

-- Who may be believed about the time of a change.
CREATE TABLE trust (
    host         TEXT NOT NULL,
    source       TEXT NOT NULL,
    confirmed    REAL NOT NULL,
    false_alarms REAL NOT NULL,
    missed       REAL NOT NULL,
    consistent   REAL NOT NULL,
    worthless    REAL NOT NULL,
    PRIMARY KEY (host, source)
) STRICT, WITHOUT ROWID;

CREATE TABLE site_rules (
    site TEXT PRIMARY KEY,
    data BLOB NOT NULL                         -- zstd of JSON: rules, thresholds and evidence, directories
) STRICT, WITHOUT ROWID;

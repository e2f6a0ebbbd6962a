-- What people are told: alerts on changes and alarms, who has had them, and what is normal for a site. Times are UTC
-- epoch seconds. Nothing of it is in the WARC files; `reindex` takes it over.

-- Changes seen by captures up to this number were decided on; no row until alerts are first looked at.
CREATE TABLE alert_progress (
    seq INTEGER NOT NULL
) STRICT;

CREATE TABLE alerts (
    alert      INTEGER PRIMARY KEY AUTOINCREMENT, -- the order they are delivered in
    key        TEXT    NOT NULL UNIQUE,           -- told to receivers, so that they can drop what they had
    time       REAL    NOT NULL,
    kind       TEXT    NOT NULL,                  -- change, alarm or test
    site       TEXT    NOT NULL,
    url        TEXT    NOT NULL,
    importance REAL    NOT NULL,
    document   TEXT    NOT NULL                   -- JSON, as sent
) STRICT;
CREATE INDEX alerts_time ON alerts (time);

CREATE TABLE deliveries (
    target     TEXT    NOT NULL,                  -- as the settings write it, without what the environment adds
    alert      INTEGER NOT NULL REFERENCES alerts,
    state      INTEGER NOT NULL,                  -- 0 waiting, 1 delivered, 2 given up, 3 pushed out of a full queue
    tries      INTEGER NOT NULL,
    not_before REAL    NOT NULL,
    time       REAL    NOT NULL,                  -- of the last try
    detail     TEXT    NOT NULL,                  -- what came of it
    PRIMARY KEY (target, alert)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_waiting ON deliveries (target, alert) WHERE state = 0;
CREATE INDEX deliveries_alert   ON deliveries (alert);

CREATE TABLE alarms (
    alarm       INTEGER PRIMARY KEY,
    kind        TEXT NOT NULL,                    -- see core/quality/alarms.py
    subject     TEXT NOT NULL,                    -- a site, a file, a folder; empty for the whole archive
    opened      REAL NOT NULL,
    closed      REAL,
    explanation TEXT NOT NULL,
    ending      TEXT NOT NULL                     -- why it closed
) STRICT;
CREATE UNIQUE INDEX alarms_open ON alarms (kind, subject) WHERE closed IS NULL;

-- What normals are learned from: shares of troubled visits, or counts, per site.
CREATE TABLE observations (
    observation INTEGER PRIMARY KEY,
    site        TEXT    NOT NULL,
    signal      TEXT    NOT NULL,
    time        REAL    NOT NULL,
    value       REAL    NOT NULL,
    visits      INTEGER NOT NULL,
    strange     INTEGER NOT NULL                  -- 1: departs from the normal, and does not shape it
) STRICT;
CREATE INDEX observations_site ON observations (site, signal, observation);

-- When directory rules were learned and when they were dropped again, for reports.
CREATE TABLE rule_history (
    site    TEXT NOT NULL,
    rule    TEXT NOT NULL,
    made    REAL NOT NULL,
    retired REAL,
    PRIMARY KEY (site, rule, made)
) STRICT, WITHOUT ROWID;

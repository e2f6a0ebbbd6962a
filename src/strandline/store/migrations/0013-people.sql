-- Who may do what in the interface, and who did what. No WARC file holds it; `reindex` takes it over.

CREATE TABLE people (
    name     TEXT PRIMARY KEY,
    role     TEXT NOT NULL,                    -- reader, rater, operator or keeper
    password TEXT NOT NULL,                    -- argon2; empty: comes by tokens or single sign-on
    stamp    TEXT NOT NULL,                    -- drawn anew with the password: older sessions end
    time     REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE person_tokens (
    key    TEXT PRIMARY KEY,
    name   TEXT NOT NULL,
    label  TEXT NOT NULL,
    digest TEXT NOT NULL,                      -- SHA-256 of 32 random bytes
    time   REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE journal (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time   REAL NOT NULL,
    person TEXT NOT NULL,
    act    TEXT NOT NULL,
    target TEXT NOT NULL
) STRICT;
ALTER TABLE ratings ADD COLUMN author TEXT NOT NULL DEFAULT '';

-- The journal of take-downs: one act a row, chained and sealed as in a folder (core/keeping/journal.py). Row 0 is the key.

CREATE TABLE takedowns (
    number integer PRIMARY KEY,
    line   text    NOT NULL
);

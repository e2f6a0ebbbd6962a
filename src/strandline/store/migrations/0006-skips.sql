-- What crawls leave out because it is expected to be unchanged. Times are UTC epoch seconds.

-- How skipped directories stood their re-tests; written in the transaction of the captures that tested them.
CREATE TABLE skip_tests (
    site      TEXT    NOT NULL,
    directory TEXT    NOT NULL,
    method    TEXT    NOT NULL,                -- near, dormant or policy
    tests     INTEGER NOT NULL,                -- passes in which a sample of its pages was fetched
    failures  INTEGER NOT NULL,                -- of these, how many found a change
    recent    INTEGER NOT NULL,                -- the last of them as bits, the newest lowest; 1: a change was found
    pass      REAL    NOT NULL,                -- start of the pass that tested it last
    failed    INTEGER NOT NULL,                -- 1: that test found a change
    retired   REAL    NOT NULL,                -- when it was given up; 0: still in force
    why       TEXT    NOT NULL,
    PRIMARY KEY (site, directory, method)
) STRICT, WITHOUT ROWID;

-- What the site-level policy knows of a site, as `learn` left it.
CREATE TABLE site_rates (
    site TEXT PRIMARY KEY,
    data BLOB NOT NULL                         -- see core/learn/site_state.py
) STRICT, WITHOUT ROWID;

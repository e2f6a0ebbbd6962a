-- http and https of a host each have their own robots.txt. Until it is asked for again, what was known holds for both.

ALTER TABLE robots RENAME TO old_robots;
CREATE TABLE robots (
    host   INTEGER NOT NULL REFERENCES hosts,
    scheme TEXT    NOT NULL,
    time   REAL    NOT NULL,
    status INTEGER NOT NULL,
    body   BLOB    NOT NULL,
    PRIMARY KEY (host, scheme)
) STRICT;
INSERT INTO robots SELECT host, 'https', time, status, body FROM old_robots WHERE time > 0;
INSERT INTO robots SELECT host, 'http', time, status, body FROM old_robots WHERE time > 0;
DROP TABLE old_robots;

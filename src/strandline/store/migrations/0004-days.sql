-- What is shown at a glance: captures and changes per host and UTC day, kept in step by triggers, so that no view has
-- to count captures; and the few indexes that lists of the interface need. All of it can be rebuilt.

CREATE TABLE host_days (
    host       INTEGER NOT NULL REFERENCES hosts,
    day        INTEGER NOT NULL,               -- days since 1970-01-01, UTC
    captures   INTEGER NOT NULL DEFAULT 0,
    unchanged  INTEGER NOT NULL DEFAULT 0,     -- of these, revisits
    errors     INTEGER NOT NULL DEFAULT 0,     -- of these, answers from 400 on
    changes    INTEGER NOT NULL DEFAULT 0,     -- visible ones
    important  INTEGER NOT NULL DEFAULT 0,     -- of these, with an importance of at least 0.1
    importance REAL    NOT NULL DEFAULT 0,
    PRIMARY KEY (host, day)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER captures_counted AFTER INSERT ON captures BEGIN
    INSERT INTO host_days (host, day, captures, unchanged, errors)
        SELECT host, cast(NEW.time / 86400.0 AS INTEGER), 1, NEW.revisit <> 0, NEW.status >= 400
            FROM pages WHERE page = NEW.page
        ON CONFLICT DO UPDATE SET captures = captures + 1, unchanged = unchanged + excluded.unchanged,
            errors = errors + excluded.errors;
END;

-- REPLACE removes a row without firing the trigger for deletions: what is about to be replaced is taken back first.
CREATE TRIGGER changes_recounted BEFORE INSERT ON changes BEGIN
    UPDATE host_days SET changes = changes - 1, important = important - (old.importance >= 0.1),
        importance = host_days.importance - old.importance
        FROM (SELECT host, cast(by / 86400.0 AS INTEGER) AS day, importance
              FROM changes JOIN pages USING (page) WHERE by_seq = NEW.by_seq AND visible) AS old
        WHERE host_days.host = old.host AND host_days.day = old.day;
END;

CREATE TRIGGER changes_counted AFTER INSERT ON changes WHEN NEW.visible BEGIN
    INSERT INTO host_days (host, day, changes, important, importance)
        SELECT host, cast(NEW.by / 86400.0 AS INTEGER), 1, NEW.importance >= 0.1, NEW.importance
            FROM pages WHERE page = NEW.page
        ON CONFLICT DO UPDATE SET changes = changes + 1, important = important + excluded.important,
            importance = importance + excluded.importance;
END;

CREATE TRIGGER changes_uncounted AFTER DELETE ON changes WHEN OLD.visible BEGIN
    UPDATE host_days SET changes = changes - 1, important = important - (OLD.importance >= 0.1),
        importance = importance - OLD.importance
        WHERE host = (SELECT host FROM pages WHERE page = OLD.page)
            AND day = cast(OLD.by / 86400.0 AS INTEGER);
END;

INSERT INTO host_days (host, day, captures, unchanged, errors)
    SELECT host, cast(time / 86400.0 AS INTEGER), count(*), sum(revisit <> 0), sum(status >= 400)
    FROM captures JOIN pages USING (page) GROUP BY 1, 2;
INSERT INTO host_days (host, day, changes, important, importance)
    SELECT host, cast(by / 86400.0 AS INTEGER), count(*), sum(importance >= 0.1), sum(importance)
    FROM changes JOIN pages USING (page) WHERE visible GROUP BY 1, 2
    ON CONFLICT DO UPDATE SET changes = excluded.changes, important = excluded.important,
        importance = excluded.importance;

CREATE INDEX pages_gone         ON pages (since)        WHERE evidence = 'absent';
CREATE INDEX page_series_shared ON page_series (shared) WHERE shared IS NOT NULL;

-- What alarms ask each hour, without looking at every page: how many pages of each host are there, and which visits
-- failed lately.

CREATE TABLE present_pages (
    host  INTEGER PRIMARY KEY REFERENCES hosts,
    pages INTEGER NOT NULL                       -- that are there as far as is known; no parts, feeds or sitemaps
) STRICT;

INSERT INTO present_pages
    SELECT host, count(*) FROM pages WHERE kind = 'page' AND evidence = 'present' GROUP BY host;

CREATE TRIGGER present_added AFTER INSERT ON pages WHEN NEW.kind = 'page' AND NEW.evidence = 'present' BEGIN
    INSERT INTO present_pages VALUES (NEW.host, 1) ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

CREATE TRIGGER present_removed AFTER DELETE ON pages WHEN OLD.kind = 'page' AND OLD.evidence = 'present' BEGIN
    UPDATE present_pages SET pages = pages - 1 WHERE host = OLD.host;
END;

CREATE TRIGGER present_changed AFTER UPDATE OF evidence, kind, host ON pages
    WHEN (OLD.kind = 'page' AND OLD.evidence = 'present') <> (NEW.kind = 'page' AND NEW.evidence = 'present')
        OR OLD.host <> NEW.host BEGIN
    UPDATE present_pages SET pages = pages - (OLD.kind = 'page' AND OLD.evidence = 'present') WHERE host = OLD.host;
    INSERT INTO present_pages SELECT NEW.host, 1 WHERE NEW.kind = 'page' AND NEW.evidence = 'present'
        ON CONFLICT DO UPDATE SET pages = pages + 1;
END;

-- In the words of store/alarming.py.
CREATE INDEX pages_failed ON pages (visited)
    WHERE kind = 'page' AND outcome NOT IN ('', 'answered', 'truncated', 'skipped', 'offline');
CREATE INDEX pages_in_vain ON pages (visited) WHERE attempts > 0;

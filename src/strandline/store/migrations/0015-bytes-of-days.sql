-- What a site cost in a week, and which addresses it was begun with, without looking at every page and capture.

ALTER TABLE host_days ADD COLUMN octets INTEGER NOT NULL DEFAULT 0;  -- of its captures, as stored

UPDATE host_days SET octets = found.octets FROM
    (SELECT host, cast(time / 86400.0 AS INTEGER) AS day, sum(length) AS octets
     FROM captures JOIN pages USING (page) GROUP BY 1, 2) AS found
    WHERE host_days.host = found.host AND host_days.day = found.day;

DROP TRIGGER captures_counted;
CREATE TRIGGER captures_counted AFTER INSERT ON captures BEGIN
    INSERT INTO host_days (host, day, captures, unchanged, errors, octets)
        SELECT host, cast(NEW.time / 86400.0 AS INTEGER), 1, NEW.revisit <> 0, NEW.status >= 400, NEW.length
            FROM pages WHERE page = NEW.page
        ON CONFLICT DO UPDATE SET captures = captures + 1, unchanged = unchanged + excluded.unchanged,
            errors = errors + excluded.errors, octets = octets + excluded.octets;
END;

-- A revisit that is made whole, because what it referred to is taken away, is another record.
CREATE TRIGGER captures_replaced AFTER UPDATE OF length, revisit ON captures BEGIN
    UPDATE host_days SET octets = octets + NEW.length - OLD.length,
        unchanged = unchanged + (NEW.revisit <> 0) - (OLD.revisit <> 0)
        WHERE host = (SELECT host FROM pages WHERE page = NEW.page) AND day = cast(NEW.time / 86400.0 AS INTEGER);
END;

CREATE INDEX pages_begun ON pages (page) WHERE hops = 0;

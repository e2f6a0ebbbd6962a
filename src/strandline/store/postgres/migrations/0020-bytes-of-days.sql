-- What a site cost in a week, and which addresses it was begun with, without looking at every page and capture.
-- Workers wait with what they write until it is counted: none of it would be missing.

LOCK TABLE captures IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE capture_days ADD COLUMN octets bigint NOT NULL DEFAULT 0;  -- of its captures, as stored

UPDATE capture_days SET octets = found.octets FROM
    (SELECT host, trunc(time / 86400.0)::bigint AS day, sum(length) AS octets
     FROM captures JOIN pages USING (page) GROUP BY 1, 2) AS found
    WHERE capture_days.host = found.host AND capture_days.day = found.day;

CREATE OR REPLACE VIEW host_days AS
    SELECT host, day, captures, unchanged, errors, 0::bigint AS changes, 0::bigint AS important,
        0::double precision AS importance, octets FROM capture_days
    UNION ALL SELECT host, day, 0, 0, 0, changes, important, importance, 0 FROM change_days;

CREATE OR REPLACE FUNCTION count_captures() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO capture_days (host, day, captures, unchanged, errors, octets)
        SELECT host, trunc(time / 86400.0)::bigint, count(*), count(*) FILTER (WHERE revisit <> 0),
            count(*) FILTER (WHERE status >= 400), sum(length)
        FROM added JOIN pages USING (page) GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (host, day) DO UPDATE SET captures = capture_days.captures + excluded.captures,
            unchanged = capture_days.unchanged + excluded.unchanged, errors = capture_days.errors + excluded.errors,
            octets = capture_days.octets + excluded.octets;
    RETURN NULL;
END $$;

-- A revisit that is made whole, because what it referred to is taken away, is another record.
CREATE FUNCTION count_replaced() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE capture_days SET octets = octets + NEW.length - OLD.length,
        unchanged = unchanged + (NEW.revisit <> 0)::integer - (OLD.revisit <> 0)::integer
        WHERE host = (SELECT host FROM pages WHERE page = NEW.page) AND day = trunc(NEW.time / 86400.0)::bigint;
    RETURN NULL;
END $$;
CREATE TRIGGER captures_replaced AFTER UPDATE OF length, revisit ON captures
    FOR EACH ROW EXECUTE FUNCTION count_replaced();

CREATE INDEX pages_begun ON pages (page) WHERE hops = 0;

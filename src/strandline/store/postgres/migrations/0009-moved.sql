-- What a catalog brings along when it is moved here from a folder, and what desks tell one another of their sites.

-- Changes shown by captures up to this number were decided on before the move (../migrations/0005): nobody is told of
-- them again when study finds them anew. No row in a catalog that began here.
CREATE TABLE alert_progress (
    seq bigint NOT NULL
);

CREATE OR REPLACE FUNCTION count_changes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF TG_OP <> 'INSERT' THEN
        UPDATE change_days SET changes = change_days.changes - less.changes,
                important = change_days.important - less.important,
                importance = change_days.importance - less.importance
            FROM (SELECT host, trunc(by / 86400.0)::bigint AS day, count(*) AS changes,
                    count(*) FILTER (WHERE importance >= 0.1) AS important, sum(importance) AS importance
                FROM gone JOIN pages USING (page) WHERE visible <> 0 GROUP BY 1, 2) AS less
            WHERE change_days.host = less.host AND change_days.day = less.day;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO change_days
            SELECT host, trunc(by / 86400.0)::bigint, count(*), count(*) FILTER (WHERE importance >= 0.1),
                sum(importance)
            FROM added JOIN pages USING (page) WHERE visible <> 0 GROUP BY 1, 2 ORDER BY 1, 2
            ON CONFLICT (host, day) DO UPDATE SET changes = change_days.changes + excluded.changes,
                important = change_days.important + excluded.important,
                importance = change_days.importance + excluded.importance;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO undecided SELECT change FROM added
            WHERE visible <> 0 AND held = 0 AND by_seq IN (SELECT seq FROM unstudied)
                AND by_seq > coalesce((SELECT max(seq) FROM alert_progress), 0);
    END IF;
    RETURN NULL;
END $$;

-- Changes a day of an average page of a site, as of its last plan: what is expected of sites nobody knows yet.
ALTER TABLE site_desks ADD COLUMN level double precision;

-- Each hour is asked which visits failed: only pages whose last one did are listed for that.
CREATE INDEX pages_failed ON pages (visited)
    WHERE kind = 'page' AND outcome NOT IN ('', 'answered', 'truncated', 'skipped', 'offline');

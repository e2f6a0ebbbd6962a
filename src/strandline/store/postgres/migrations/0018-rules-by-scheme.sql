-- http and https of a host each have their own robots.txt. Until it is asked for again, what was known holds for both.

ALTER TABLE robots DROP CONSTRAINT robots_pkey;
ALTER TABLE robots ADD COLUMN scheme text COLLATE "C" NOT NULL DEFAULT 'https';
ALTER TABLE robots ADD PRIMARY KEY (host, scheme);
INSERT INTO robots (host, scheme, time, status, body) SELECT host, 'http', time, status, body FROM robots;
ALTER TABLE robots ALTER COLUMN scheme DROP DEFAULT;

-- What a browser made of an answer (a WARC record of its own in the file of the answer), where that document stands for
-- the page in study, search and comparison.

ALTER TABLE captures ADD COLUMN rendered_digest TEXT;
ALTER TABLE captures ADD COLUMN rendered_at bigint;
ALTER TABLE captures ADD COLUMN rendered_length bigint;

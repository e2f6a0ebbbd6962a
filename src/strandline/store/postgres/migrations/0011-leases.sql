-- How many seconds a worker's leases last: it is heard of less often the longer they do, and missed later.
ALTER TABLE workers ADD COLUMN lease double precision NOT NULL DEFAULT 60;

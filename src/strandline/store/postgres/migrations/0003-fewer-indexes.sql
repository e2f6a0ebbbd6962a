-- Every lease writes the line of its host, and a line into each index on it: one index less. Hosts with something to do
-- are found by the indexes on those that are ready, wait or are leased, and by this one, which leases do not touch.
DROP INDEX hosts_active;
CREATE INDEX hosts_backed_off ON hosts (host) WHERE backed_off > 0;

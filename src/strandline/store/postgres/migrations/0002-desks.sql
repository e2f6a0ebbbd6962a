-- Planning is shared by sites: whoever holds a site's desk plans its next hour. A desk has no state of its own but
-- what is here, so any worker can take it over.
CREATE TABLE site_desks (
    site    text COLLATE "C" PRIMARY KEY,
    owner   bigint,
    token   bigint           NOT NULL DEFAULT 0,
    until   timestamptz      NOT NULL DEFAULT '-infinity',
    planned double precision NOT NULL DEFAULT 0,     -- planned up to this UTC second
    visits  bigint           NOT NULL DEFAULT 0      -- of the last plan
);
CREATE INDEX site_desks_planned ON site_desks (planned);

-- Requests of all workers, by hour: nobody sends one that is not set aside here first.
CREATE TABLE spending (
    hour  double precision PRIMARY KEY,              -- its first UTC second
    spent bigint NOT NULL
);

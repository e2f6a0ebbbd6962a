-- One budget for all sites, by one price and one cut: core/plan/market.py. Each hour of a watch has a line; desks leave
-- what their sites want of a visit at each price, and what they could offer this hour.
CREATE TABLE plan_hours (
    start   double precision PRIMARY KEY,             -- its first UTC second
    round   integer          NOT NULL,                -- how often it was divided again
    divided double precision NOT NULL,                -- when that was looked at last
    visits  double precision NOT NULL,                -- that plans may make, of all sites
    taken   bigint           NOT NULL DEFAULT 0,      -- that they made
    price   double precision NOT NULL,                -- of a visit; 0 while it is not known
    cut     double precision                          -- urgency above which visits are made; NULL before there are offers
);
ALTER TABLE site_desks ADD COLUMN demand real[], ADD COLUMN offers real[], ADD COLUMN trust real NOT NULL DEFAULT 0.5;

-- What all workers spend, in requests or bytes, by short spans of time: of the whole budget under the empty name, and of
-- hosts with a budget of their own. Nobody sends a request that is not set aside here first.
ALTER TABLE spending RENAME COLUMN hour TO start;
ALTER TABLE spending ADD COLUMN place text COLLATE "C" NOT NULL DEFAULT '', ADD COLUMN requests bigint NOT NULL DEFAULT 0;
ALTER TABLE spending ALTER COLUMN spent TYPE double precision;
UPDATE spending SET requests = spent;
ALTER TABLE spending DROP CONSTRAINT spending_pkey;
ALTER TABLE spending ADD PRIMARY KEY (place, start);

-- Programs that know migration 0043 go on working.
-- Takes time on clients: the new index reads all of them. There is one row for each client.

-- Anybody can ask whether pages of an origin may call (CORS). Without an index every client is read.
create index clients_allowed_origins on clients using gin (allowed_origins);

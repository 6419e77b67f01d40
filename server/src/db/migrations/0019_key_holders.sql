-- Programs that know migration 0018 go on working.

-- Which process holds the claim on a key, by the number of its lock: a claim of one that has ended is given up early.
alter table idempotency_keys add column holder integer;

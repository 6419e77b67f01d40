-- Programs that know migration 0019 go on working.

-- The processes that serve. One that stops in order deletes its row. One that was killed leaves it here, and holds the
-- lock of its number no longer.
create table processes (
  number integer primary key,
  -- The name under which it takes jobs.
  worker text,
  -- Since when it is known to be without its lock.
  gone_at timestamptz
);

-- The process that gave the token out in exchange for another one.
alter table refresh_tokens add column process integer;

-- Programs that know migration 0048 go on working.
-- Takes time on support_sessions: the new indexes read all of them. There is one row for each session of the last hour.

-- The secrets of support access are here and not in sessions, where programs before 0047 take them for those of the user.
-- An operator whose session has its secret in sessions starts again.
alter table support_sessions
  -- The code of the link, until it is opened.
  add column link_hash bytea,
  -- The secret of the cookie, once the link was opened.
  add column secret_hash bytea;
create unique index support_sessions_link_hash on support_sessions (link_hash);
create unique index support_sessions_secret_hash on support_sessions (secret_hash);

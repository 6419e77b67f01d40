-- Programs that know migration 0040 go on working.
-- They refuse signed requests, and accept unsigned ones of every client.

-- Whether a client must sign its authorization requests (RFC 9101).
alter table clients add column require_signed_requests boolean not null default false;

-- The provider metadata lists request objects while a client has keys to sign them.
create trigger announce_changed_keys after update on clients
  for each row when (
    (new.jwks is null and new.jwks_uri is null) <> (old.jwks is null and old.jwks_uri is null)
  )
  execute function announce_change('client-features');

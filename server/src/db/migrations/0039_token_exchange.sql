-- Programs that know migration 0038 go on working.
-- They refuse exchanged tokens, so clients should get the permission once all nodes are updated.

-- Whether a client may exchange access tokens (RFC 8693).
alter table clients add column token_exchange boolean not null default false;

-- The provider metadata lists the grant type while a client may use it.
create trigger announce_changed_token_exchange after update on clients
  for each row when (new.token_exchange <> old.token_exchange)
  execute function announce_change('client-features');

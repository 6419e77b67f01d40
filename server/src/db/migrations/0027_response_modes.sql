-- Programs that know migration 0026 go on working.

-- How a client may receive the response to an authorization request: query or form_post.
alter table clients add column response_modes text[] not null default '{query}';

-- The provider metadata lists what at least one client may use.
create trigger announce_features after insert or delete on clients
  for each row execute function announce_change('client-features');
create trigger announce_changed_features after update on clients
  for each row when (new.response_modes <> old.response_modes or new.disabled <> old.disabled)
  execute function announce_change('client-features');

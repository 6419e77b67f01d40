-- Programs that know migration 0029 go on working.

-- Whether a client must push its authorization requests (RFC 9126).
alter table clients add column require_pushed_requests boolean not null default false;

-- The provider metadata lists the endpoint while a client requires it.
create trigger announce_changed_pushed_requests after update on clients
  for each row when (new.require_pushed_requests <> old.require_pushed_requests)
  execute function announce_change('client-features');

-- Pushed requests, by the hash of their request_uri. A row without parameters was used; it is kept until no sign-in can
-- refer to it any more.
create table pushed_requests (
  hash bytea primary key,
  client_id uuid not null references clients on delete cascade,
  sealed_parameters bytea,
  expires_at timestamptz not null
);
create index pushed_requests_client_id on pushed_requests (client_id);
create index pushed_requests_expires_at on pushed_requests (expires_at);

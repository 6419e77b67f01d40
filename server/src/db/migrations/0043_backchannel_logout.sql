-- Programs that know migration 0042 go on working.
-- They do not remember which clients people signed in to, so addresses should be registered once all nodes are updated.

-- Where a client is told that a session has ended (OpenID Connect Back-Channel Logout); null: it is not told.
alter table clients add column backchannel_logout_uri text;

-- The provider metadata lists the feature while a client uses it.
create trigger announce_changed_backchannel_logout after update on clients
  for each row when ((new.backchannel_logout_uri is null) <> (old.backchannel_logout_uri is null))
  execute function announce_change('client-features');

-- The clients with such an address that somebody signed in to from a session. Grants do not tell: they may end earlier.
create table session_clients (
  session_id uuid not null references sessions on delete cascade,
  client_id uuid not null references clients on delete cascade,
  primary key (session_id, client_id)
);
create index session_clients_client_id on session_clients (client_id);

-- Logout tokens to send: one for each client of a session that has ended. Session and user may be gone.
create table logout_deliveries (
  id uuid primary key default gen_random_uuid(),
  -- The order of the list.
  position bigint generated always as identity,
  client_id uuid not null references clients on delete cascade,
  session_id uuid not null,
  user_id uuid not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  -- The next attempt. While a node makes one, the time at which another node may take over.
  due_at timestamptz,
  -- Identifies the attempt that is being made.
  holder uuid,
  last_status integer,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint finished_or_due check ((status = 'PENDING') = (finished_at is null) and (status = 'PENDING') = (due_at is not null))
);
create index logout_deliveries_due on logout_deliveries (due_at) where status = 'PENDING';
create index logout_deliveries_list on logout_deliveries (client_id, position);
create index logout_deliveries_finished on logout_deliveries (finished_at) where finished_at is not null;

-- Queues the logout tokens of a session in the transaction that ends it, however it ends. The lock skips a client that is
-- deleted meanwhile.
create function queue_logouts() returns trigger language plpgsql as $$
begin
  insert into logout_deliveries (client_id, session_id, user_id, due_at, created_at)
    select clients.id, old.id, old.user_id, now(), now()
    from session_clients join clients on clients.id = session_clients.client_id
    where session_clients.session_id = old.id and clients.backchannel_logout_uri is not null and not clients.disabled
    for key share of clients;
  if found then
    perform pg_notify('latchkey_changes', 'logout_deliveries');
  end if;
  return old;
end
$$;
create trigger queue_logouts before delete on sessions
  for each row execute function queue_logouts();

-- Nodes that are at work take hold of these in this order. Whoever migrates waits for them here, before anything is done.
lock table tenants, users, audit_entries in access exclusive mode;

-- Through which client it was done.
alter table audit_entries add column client_id text;
-- To find what a client did, and one kind of thing; and to let go of what is too old.
create index audit_entries_client_id on audit_entries (client_id, id) where client_id is not null;
create index audit_entries_action on audit_entries (action text_pattern_ops, id);

-- What is written down and not yet in the chain. The sequence is drawn when an entry is written: of two changes of which
-- one waited for the other it tells which came first, whoever commits when.
create table audit_pending (
  sequence bigint generated always as identity primary key,
  entry_id uuid not null
);

-- Every entry hangs on all before it: each hash covers the entry and the hash before, and takes a key that the database
-- does not hold open. The position is also the place of an event in the feed.
create table audit_chain (
  position bigint primary key,
  entry_id uuid not null unique,
  tenant_id uuid,
  -- Of what tells who somebody is, and may be taken out of the entry one day.
  personal_digest bytea not null,
  hash bytea not null
);
create index audit_chain_tenant_id on audit_chain (tenant_id, position) where tenant_id is not null;

-- Where the chain ends; whoever makes it longer holds this row meanwhile. Where its oldest links are gone because they
-- were too old, the anchor is the last of them.
create table audit_head (
  id boolean primary key default true check (id),
  sealed_key bytea,
  position bigint not null default 0,
  hash bytea not null default '',
  anchor_position bigint not null default 0,
  anchor_hash bytea not null default ''
);
insert into audit_head default values;

create function await_chain() returns trigger language plpgsql as $$
begin
  insert into audit_pending (entry_id) values (new.id);
  return null;
end
$$;
create trigger await_chain after insert on audit_entries for each row execute function await_chain();
insert into audit_pending (entry_id) select id from audit_entries order by id;

-- The log only grows. What tells who somebody was may be taken out, once and entirely; and what is older than the log
-- keeps may go, by whoever says that this is why.
create function keep_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('latchkey.retention', true) = 'on' then return old; end if;
  if tg_op = 'UPDATE' and tg_table_name = 'audit_entries' then
    if new.personal = '{}' and to_jsonb(new) - 'personal' = to_jsonb(old) - 'personal' then return new; end if;
  end if;
  raise exception 'the audit log only grows' using errcode = 'check_violation', constraint = 'audit_only_grows';
end
$$;
create trigger keep_entries before update or delete on audit_entries
  for each row execute function keep_entries();
create trigger keep_all_entries before truncate on audit_entries
  for each statement execute function keep_entries();
create trigger keep_entries before update or delete on audit_chain
  for each row execute function keep_entries();
create trigger keep_all_entries before truncate on audit_chain
  for each statement execute function keep_entries();

alter table audit_chain enable row level security;
alter table audit_chain force row level security;
create policy wall on audit_chain using (
  (select coalesce(current_setting('latchkey.tenant', true), '')) = ''
  or tenant_id = (select nullif(current_setting('latchkey.tenant', true), '')::uuid)
);

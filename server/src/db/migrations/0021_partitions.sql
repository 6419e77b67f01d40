-- Programs that know migration 0019 go on working.
-- Takes time on audit_entries: every row is read once.
-- Takes time on audit_chain: every row is read once.
-- Takes time on license_ledger: every row is copied.

-- Tables that only grow are divided into partitions. The log is divided by time and position, and what it holds so far is
-- its first partition. The ledger is divided by tenant.
alter table audit_entries rename to audit_entries_first;
alter table audit_chain rename to audit_chain_first;
alter table license_ledger rename to license_ledger_before;

-- A policy and a trigger for TRUNCATE hold for the table that a statement names: so each partition has its own. The policy
-- is a CASE because PostgreSQL takes OR to let one row in seventy through, and reads everything where it thinks a page is all.
create function protect_table(name text, guard text) returns void language plpgsql as $$
begin
  execute format('alter table %I enable row level security, force row level security', name);
  execute format(
    'create policy wall on %I using (
       case when (select coalesce(current_setting(''latchkey.tenant'', true), '''')) = '''' then true
       else tenant_id = (select nullif(current_setting(''latchkey.tenant'', true), '''')::uuid) end
     )',
    name
  );
  execute format('create trigger keep_all_entries before truncate on %I for each statement execute function %I()', name, guard);
end
$$;

-- Partitions by range, with their bounds; null: there is none.
create view range_partitions as
  select inhparent::regclass::text as parent, relname::text as name, bounds[1] as lower, bounds[2] as upper
  from pg_inherits join pg_class on pg_class.oid = inhrelid
  cross join regexp_match(
    pg_get_expr(relpartbound, pg_class.oid),
    'FROM \((?:MINVALUE|''(.*)'')\) TO \((?:MAXVALUE|''(.*)'')\)'
  ) as bounds
  where relnamespace = current_schema()::regnamespace and bounds is not null;

-- Adds a partition to the log. Where an entry is unique cannot be said of all partitions together: each says it of itself.
create function add_partition(parent text, name text, lower text, upper text) returns void language plpgsql as $$
begin
  execute format('create table %I (like %I including all)', name, parent);
  if parent = 'audit_chain' then execute format('alter table %I add unique (entry_id)', name); end if;
  perform protect_table(name, 'keep_entries');
  perform attach_partition(parent, name, lower, upper);
end
$$;
create function attach_partition(parent text, name text, lower text, upper text) returns void language plpgsql as $$
begin
  execute format(
    'alter table %I attach partition %I for values from (%s) to (%s)',
    parent, name, coalesce(quote_literal(lower), 'minvalue'), coalesce(quote_literal(upper), 'maxvalue')
  );
end
$$;

-- The last partition has no end, so there is a place for whatever is written. This gives it an end, and adds the next one.
-- Everybody waits for that, so it gives up soon where somebody else is at work for long.
create function end_last_partition(parent text, at text, next text) returns void language plpgsql
  set lock_timeout = '500ms' as $$
declare
  last range_partitions;
begin
  execute format('lock table %I in access exclusive mode', parent);
  select * into strict last from range_partitions as known where known.parent = end_last_partition.parent and upper is null;
  execute format('alter table %I detach partition %I', parent, last.name);
  perform attach_partition(parent, last.name, last.lower, at);
  perform add_partition(parent, next, at, null);
end
$$;

-- Where the first two partitions hold nothing any more, an empty one takes their place. Says whether they did.
create function join_first_partitions(parent text) returns boolean language plpgsql
  set lock_timeout = '500ms' as $$
declare
  key constant text := case parent when 'audit_chain' then 'position' else 'id' end;
  first range_partitions;
  second range_partitions;
  has_row boolean;
begin
  execute format('lock table %I in access exclusive mode', parent);
  select * into strict first from range_partitions as known
    where known.parent = join_first_partitions.parent and lower is null;
  select * into strict second from range_partitions as known
    where known.parent = join_first_partitions.parent and lower = first.upper;
  execute format('select true from %I where %I < %L order by %I limit 1', parent, key, second.upper, key) into has_row;
  if has_row then return false; end if;
  execute format('drop table %I, %I', first.name, second.name);
  perform add_partition(parent, first.name, null, second.upper);
  return true;
end
$$;

-- Entries by month: an id begins with its time.
create table audit_entries (like audit_entries_first including all) partition by range (id);
drop policy wall on audit_entries_first;
drop trigger keep_all_entries on audit_entries_first;
select protect_table(name, 'keep_entries') from (values ('audit_entries'), ('audit_entries_first')) as tables (name);
drop trigger await_chain on audit_entries_first;
drop trigger keep_entries on audit_entries_first;
create trigger await_chain after insert on audit_entries for each row execute function await_chain();
create trigger keep_entries before update or delete on audit_entries for each row execute function keep_entries();

-- The month after the last entry, or after the present.
create function next_month() returns timestamptz language sql as $$
  select (date_trunc('month', greatest(now(), (
    select to_timestamp(('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint / 1000.0)
    from audit_entries_first order by id desc limit 1
  )) at time zone 'UTC') + interval '1 month') at time zone 'UTC'
$$;
create function first_id_at(moment timestamptz) returns uuid language sql as $$
  select (left(ms, 8) || '-' || right(ms, 4) || '-7000-8000-000000000000')::uuid
  from (select lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') as ms) as made
$$;
alter table audit_entries attach partition audit_entries_first
  for values from (minvalue) to (first_id_at(next_month()));
select add_partition(
  'audit_entries', 'audit_entries_' || to_char(month at time zone 'UTC', 'YYYY_MM'), first_id_at(month)::text, null
) from next_month() as month;

-- Links by position, a hundred million together.
create table audit_chain (
  like audit_chain_first including all excluding indexes,
  primary key (position)
) partition by range (position);
create index audit_chain_tenant on audit_chain (tenant_id, position) where tenant_id is not null;
drop policy wall on audit_chain_first;
drop trigger keep_all_entries on audit_chain_first;
select protect_table(name, 'keep_entries') from (values ('audit_chain'), ('audit_chain_first')) as tables (name);
drop trigger keep_entries on audit_chain_first;
create trigger keep_entries before update or delete on audit_chain for each row execute function keep_entries();

create function next_position() returns bigint language sql as $$
  select (coalesce(max(position), 0) / 100000000 + 1) * 100000000 from audit_chain_first
$$;
alter table audit_chain attach partition audit_chain_first for values from (minvalue) to (next_position());
select add_partition('audit_chain', 'audit_chain_' || bound, bound::text, null) from next_position() as bound;

-- As before; an entry is known by what it holds, because a trigger is told the name of the partition.
create or replace function keep_entries() returns trigger language plpgsql as $$
declare
  derived constant text[] := array['personal', 'about_email', 'ip_address'];
begin
  if tg_op = 'DELETE' and current_setting('latchkey.retention', true) = 'on' then return old; end if;
  if tg_op = 'UPDATE' and to_jsonb(new) ? 'personal' then
    if new.personal = '{}' and to_jsonb(new) - derived = to_jsonb(old) - derived then return new; end if;
  end if;
  raise exception 'the audit log only grows' using errcode = 'check_violation', constraint = 'audit_only_grows';
end
$$;

-- The ledger by tenant: whoever asks for one tenant is led to one partition.
create table license_ledger (like license_ledger_before including all excluding indexes) partition by hash (tenant_id);
create function add_ledger_partition(number integer) returns void language plpgsql as $$
declare
  name constant text := 'license_ledger_' || lpad(number::text, 2, '0');
begin
  execute format(
    'create table %I partition of license_ledger for values with (modulus 16, remainder %s)', name, number
  );
  perform protect_table(name, 'stay_the_same');
end
$$;
select add_ledger_partition(number) from generate_series(0, 15) as number;
insert into license_ledger select * from license_ledger_before;
drop table license_ledger_before;
alter table license_ledger add primary key (tenant_id, sequence);
create index license_ledger_moments on license_ledger (tenant_id, application_id, occurred_at);
select protect_table('license_ledger', 'stay_the_same');
create trigger stay_the_same before update or delete on license_ledger
  for each row execute function stay_the_same();
drop function next_month(), first_id_at(timestamptz), next_position(), add_ledger_partition(integer);

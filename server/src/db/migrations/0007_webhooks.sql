-- Where events are sent to. A webhook of a tenant gets the events of that tenant, one of no tenant those of the whole
-- instance.
create table webhooks (
  id uuid primary key,
  tenant_id uuid references tenants on delete cascade,
  url text not null,
  -- Types, families such as user.*, or *.
  events text[] not null check (cardinality(events) > 0),
  description text,
  -- What happened up to here is not sent of itself: it was not there yet, or it was disabled.
  after_position bigint not null,
  sealed_secret bytea not null,
  -- Signs as well, for a while after it was replaced.
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  disabled_at timestamptz,
  disabled_reason text check (disabled_reason in ('REQUESTED', 'GONE', 'UNREACHABLE')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint disabled_for_a_reason check ((disabled_at is null) = (disabled_reason is null)),
  constraint previous_secret_ends check ((sealed_previous_secret is null) = (previous_secret_until is null))
);
create index webhooks_tenant_id on webhooks (tenant_id, id);
create index webhooks_enabled on webhooks (after_position) where disabled_at is null;

-- How far events were handed to webhooks. Whoever does it holds this row meanwhile.
create table webhook_cursor (
  id boolean primary key default true check (id),
  position bigint not null default 0
);
insert into webhook_cursor default values;

-- What goes to one webhook about one tenant goes in order, one after the other; events of no tenant have a lane of their
-- own. Whoever works on a lane says until when: a node that is killed has its lanes taken over by another then.
create table webhook_lanes (
  webhook_id uuid not null references webhooks on delete cascade,
  lane uuid not null,
  tenant_id uuid,
  -- When there is something to do; null: nothing waits.
  due_at timestamptz,
  holder uuid,
  locked_until timestamptz,
  primary key (webhook_id, lane)
);
create index webhook_lanes_due on webhook_lanes (due_at) where due_at is not null;

-- One event for one webhook. Whoever needs both takes hold of the lane first. The event itself stays in the log, so that what is forgotten there is not sent any more.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks on delete cascade,
  -- Whose webhook it is; the event may be of a tenant that is gone.
  tenant_id uuid,
  lane uuid not null,
  position bigint not null,
  event_id uuid not null,
  event_type text not null,
  status text not null default 'PENDING' check (status in ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer not null default 0,
  first_attempt_at timestamptz,
  next_attempt_at timestamptz,
  last_status integer,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (webhook_id, position),
  constraint finished_or_pending check ((status = 'PENDING') = (finished_at is null))
);
create index webhook_deliveries_waiting on webhook_deliveries (webhook_id, lane, position) where status = 'PENDING';
create index webhook_deliveries_list on webhook_deliveries (webhook_id, status, position);
create index webhook_deliveries_arrived on webhook_deliveries (webhook_id, finished_at) where status = 'DELIVERED';
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;

do $$
declare
  walled text;
begin
  foreach walled in array array['webhooks', 'webhook_deliveries', 'webhook_lanes']
  loop
    execute format('alter table %I enable row level security', walled);
    execute format('alter table %I force row level security', walled);
    execute format(
      'create policy wall on %I using (
         (select coalesce(current_setting(''latchkey.tenant'', true), '''')) = ''''
         or tenant_id = (select nullif(current_setting(''latchkey.tenant'', true), '''')::uuid)
       )',
      walled
    );
  end loop;
end
$$;

-- To find from where to replay what happened since a moment. The log grows at its end, so a coarse index does.
create index audit_entries_moments on audit_entries using brin (occurred_at);

-- What a licence of an application lets people do. Types are shown, and picked where several would do, by their order.
create table license_types (
  id uuid primary key,
  application_id uuid not null references applications on delete cascade,
  slug text not null check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  description text,
  features jsonb not null default '{}',
  display_order integer not null default 0,
  status text not null default 'ACTIVE' check (status in ('ACTIVE', 'ARCHIVED')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint license_types_slug_key unique (application_id, slug),
  unique (id, application_id)
);

-- What a tenant has bought: seats of one type. Whether it is good at a moment is decided by the clock, in one place.
create table subscriptions (
  id uuid primary key,
  tenant_id uuid not null references tenants on delete cascade,
  application_id uuid not null,
  license_type_id uuid not null,
  quantity_purchased integer not null check (quantity_purchased >= 0),
  -- Kept by the seats themselves: those that are held, and those that wait for somebody who is invited.
  quantity_assigned integer not null default 0 check (quantity_assigned >= 0),
  quantity_reserved integer not null default 0 check (quantity_reserved >= 0),
  -- Renewed with fewer seats than it has holders, nobody loses theirs: so many are borne with, and ever fewer.
  tolerated integer not null default 0,
  status text not null check (status in ('ACTIVE', 'TRIALING', 'CANCELED', 'PAST_DUE', 'EXPIRED')),
  current_period_start timestamptz not null,
  current_period_end timestamptz,
  -- That its end has come is known and told.
  lapse_noted_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint subscriptions_type_key unique (tenant_id, license_type_id),
  unique (id, tenant_id, application_id, license_type_id),
  foreign key (license_type_id, application_id) references license_types (id, application_id) on delete cascade,
  -- No seat is sold twice, whoever writes here.
  constraint seats_suffice check (quantity_assigned + quantity_reserved <= greatest(quantity_purchased, tolerated))
);
create index subscriptions_application_id on subscriptions (application_id, tenant_id);
create index subscriptions_license_type_id on subscriptions (license_type_id);
create index subscriptions_lapsing on subscriptions (current_period_end) where lapse_noted_at is null;

-- Who has a seat. ASSIGNED: it is theirs. RESERVED: it will be when they accept their invitation. PARKED: it was theirs
-- when they were suspended, and is again afterwards if one is free. A member who goes leaves the seat behind.
create table seats (
  id uuid primary key,
  tenant_id uuid not null,
  user_id uuid not null,
  application_id uuid not null,
  license_type_id uuid not null,
  subscription_id uuid not null,
  status text not null check (status in ('ASSIGNED', 'RESERVED', 'PARKED')),
  assigned_at timestamptz not null,
  constraint seats_holder_key unique (tenant_id, user_id, application_id),
  -- Of the tenant's own subscription, and of what that is for.
  constraint seats_of_subscriptions foreign key (subscription_id, tenant_id, application_id, license_type_id)
    references subscriptions (id, tenant_id, application_id, license_type_id) on delete cascade,
  constraint seats_of_members foreign key (tenant_id, user_id) references memberships (tenant_id, user_id) on delete cascade
);
create index seats_subscription_id on seats (subscription_id, status);
create index seats_user_id on seats (user_id);
create index seats_list on seats (tenant_id, application_id, assigned_at, id);
-- Where everybody has a licence, all members are counted but for these.
create index users_disabled on users (id) where disabled;

-- What was promised with an invitation. The seat that is kept for it hangs on the INVITED member, who may go when the
-- address becomes somebody else's; the promise does not.
alter table invitations add column license_type_id uuid references license_types on delete set null;
create index invitations_license_type_id on invitations (license_type_id) where license_type_id is not null;

-- Everything that ever happened to seats and subscriptions, in the order in which it did: from it the present can be
-- told, and is. It outlives the tenant.
create table license_ledger (
  tenant_id uuid not null,
  sequence bigint not null,
  occurred_at timestamptz not null default now(),
  -- As `user:<id>` or `client:<id>`; null: the service itself, or somebody at the database.
  actor text,
  reason text not null,
  subject text not null check (subject in ('seat', 'subscription')),
  subject_id uuid not null,
  user_id uuid,
  application_id uuid not null,
  before jsonb,
  after jsonb,
  primary key (tenant_id, sequence)
);
-- How far each tenant's has come.
create table license_revisions (
  tenant_id uuid primary key,
  revision bigint not null
);

do $$
declare
  walled text;
begin
  foreach walled in array array['subscriptions', 'seats', 'license_ledger', 'license_revisions'] loop
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

-- A moment within JSON, as it is written everywhere, whatever the time zone of the database.
create function moment(at timestamptz) returns text language sql immutable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- Seats are counted where they are bought. Whoever changes a seat has taken hold of the subscription before, so that
-- two who do do not wait for each other in a circle.
create function count_seats() returns trigger language plpgsql as $$
declare
  inside text := step_out();
  was_assigned integer := case when tg_op <> 'INSERT' and old.status = 'ASSIGNED' then 1 else 0 end;
  was_reserved integer := case when tg_op <> 'INSERT' and old.status = 'RESERVED' then 1 else 0 end;
  is_assigned integer := case when tg_op <> 'DELETE' and new.status = 'ASSIGNED' then 1 else 0 end;
  is_reserved integer := case when tg_op <> 'DELETE' and new.status = 'RESERVED' then 1 else 0 end;
begin
  if tg_op = 'UPDATE' and old.subscription_id = new.subscription_id then
    update subscriptions set
      quantity_assigned = quantity_assigned - was_assigned + is_assigned,
      quantity_reserved = quantity_reserved - was_reserved + is_reserved
      where id = new.subscription_id and (was_assigned, was_reserved) <> (is_assigned, is_reserved);
  else
    if tg_op <> 'INSERT' then
      update subscriptions set
        quantity_assigned = quantity_assigned - was_assigned, quantity_reserved = quantity_reserved - was_reserved
        where id = old.subscription_id and was_assigned + was_reserved > 0;
    end if;
    if tg_op <> 'DELETE' then
      update subscriptions set
        quantity_assigned = quantity_assigned + is_assigned, quantity_reserved = quantity_reserved + is_reserved
        where id = new.subscription_id and is_assigned + is_reserved > 0;
    end if;
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger count_seats after insert or update or delete on seats
  for each row execute function count_seats();

-- Nobody but the seats counts the seats, and whoever gives back one that was only borne with gives it back for good.
create function keep_counts() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.quantity_assigned := 0;
    new.quantity_reserved := 0;
  elsif pg_trigger_depth() = 1
    and (new.quantity_assigned, new.quantity_reserved) <> (old.quantity_assigned, old.quantity_reserved) then
    raise exception 'seats are counted by themselves'
      using errcode = 'check_violation', constraint = 'seats_suffice';
  end if;
  new.tolerated := least(new.tolerated, new.quantity_assigned + new.quantity_reserved);
  return new;
end
$$;
create trigger keep_counts before insert or update on subscriptions
  for each row execute function keep_counts();

-- Who is suspended, disabled or not here yet holds no seat, and only who is to come has one kept.
create function fit_members() returns trigger language plpgsql as $$
declare
  standing text;
  is_disabled boolean;
begin
  select memberships.status, users.disabled into standing, is_disabled
    from memberships join users on users.id = memberships.user_id
    where memberships.tenant_id = new.tenant_id and memberships.user_id = new.user_id;
  if new.status = 'ASSIGNED' and (standing <> 'ACTIVE' or is_disabled)
    or new.status = 'RESERVED' and standing <> 'INVITED' then
    raise exception 'nobody can hold this seat like that'
      using errcode = 'check_violation', constraint = 'seats_fit_members';
  end if;
  return new;
end
$$;
create trigger fit_members before insert or update of status on seats
  for each row execute function fit_members();

-- Whose seat it is, and of which tenant's subscription, never changes: it would be another one.
create function stay_the_same() returns trigger language plpgsql as $$
begin
  raise exception 'this is another one' using errcode = 'check_violation', constraint = 'stays_the_same';
end
$$;
create trigger stay_the_same before update on seats
  for each row when ((new.id, new.tenant_id, new.user_id, new.application_id)
    <> (old.id, old.tenant_id, old.user_id, old.application_id))
  execute function stay_the_same();
create trigger stay_the_same before update on subscriptions
  for each row when ((new.id, new.tenant_id, new.license_type_id) <> (old.id, old.tenant_id, old.license_type_id))
  execute function stay_the_same();
-- What was told is told, and seats go one by one, so that each is told of.
create trigger stay_the_same before update or delete or truncate on license_ledger
  for each statement execute function stay_the_same();
create trigger stay_counted before truncate on seats
  for each statement execute function stay_the_same();

-- Everything that happens is numbered, one after the other in each tenant.
create function write_ledger(
  tenant uuid, why text, what text, what_id uuid, person uuid, application uuid, was jsonb, is_now jsonb
) returns void language plpgsql as $$
declare
  place bigint;
begin
  insert into license_revisions as known values (tenant, 1)
    on conflict (tenant_id) do update set revision = known.revision + 1
    returning revision into place;
  insert into license_ledger
    (tenant_id, sequence, actor, reason, subject, subject_id, user_id, application_id, before, after)
    values (
      tenant, place, nullif(current_setting('latchkey.actor', true), ''), why, what, what_id, person, application,
      was, is_now
    );
end
$$;

create function ledger_seat() returns trigger language plpgsql as $$
declare
  inside text := step_out();
  was jsonb := case when tg_op <> 'INSERT' then jsonb_build_object(
    'status', old.status, 'licenseTypeId', old.license_type_id, 'subscriptionId', old.subscription_id,
    'assignedAt', moment(old.assigned_at)) end;
  is_now jsonb := case when tg_op <> 'DELETE' then jsonb_build_object(
    'status', new.status, 'licenseTypeId', new.license_type_id, 'subscriptionId', new.subscription_id,
    'assignedAt', moment(new.assigned_at)) end;
  seat seats := case when tg_op = 'DELETE' then old else new end;
begin
  perform write_ledger(
    seat.tenant_id,
    case
      when tg_op = 'INSERT' then case when new.status = 'RESERVED' then 'RESERVED' else 'GRANTED' end
      -- Nobody took it away: what it hung on is gone.
      when tg_op = 'DELETE' then case
        when old.status = 'ASSIGNED'
          and exists (select from memberships where tenant_id = old.tenant_id and user_id = old.user_id)
          and exists (select from subscriptions where id = old.subscription_id) then 'REVOKED' else 'ENDED' end
      when new.status = 'PARKED' then 'SUSPENDED'
      when old.status = 'PARKED' then 'REACTIVATED'
      when old.status = 'RESERVED' then 'ACCEPTED'
      else 'CHANGED'
    end,
    'seat', seat.id, seat.user_id, seat.application_id, was, is_now
  );
  perform step_in(inside);
  return null;
end
$$;
create trigger ledger_seat after insert or update or delete on seats
  for each row execute function ledger_seat();

-- How many of its seats are held follows from the seats, and is not told twice.
create function ledger_subscription() returns trigger language plpgsql as $$
declare
  inside text := step_out();
  was jsonb := case when tg_op <> 'INSERT' then jsonb_build_object(
    'licenseTypeId', old.license_type_id, 'quantityPurchased', old.quantity_purchased, 'status', old.status,
    'currentPeriodStart', moment(old.current_period_start), 'currentPeriodEnd', moment(old.current_period_end)) end;
  is_now jsonb := case when tg_op <> 'DELETE' then jsonb_build_object(
    'licenseTypeId', new.license_type_id, 'quantityPurchased', new.quantity_purchased, 'status', new.status,
    'currentPeriodStart', moment(new.current_period_start), 'currentPeriodEnd', moment(new.current_period_end)) end;
  subscription subscriptions := case when tg_op = 'DELETE' then old else new end;
begin
  if was is distinct from is_now then
    perform write_ledger(
      subscription.tenant_id,
      case tg_op when 'INSERT' then 'SUBSCRIBED' when 'UPDATE' then 'SUBSCRIPTION_CHANGED' else 'SUBSCRIPTION_ENDED' end,
      'subscription', subscription.id, null, subscription.application_id, was, is_now
    );
    perform pg_notify('latchkey_changes', 'subscriptions:' || subscription.tenant_id);
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger ledger_subscription after insert or update or delete on subscriptions
  for each row execute function ledger_subscription();

-- What is kept for somebody who did not come in time is free.
create function release_overdue(subscription uuid, at timestamptz) returns integer language plpgsql as $$
declare
  released integer;
begin
  perform from subscriptions where id = subscription for no key update;
  delete from seats using memberships
    where seats.subscription_id = subscription and seats.status = 'RESERVED'
    and memberships.tenant_id = seats.tenant_id and memberships.user_id = seats.user_id
    and memberships.invited_until <= at;
  get diagnostics released = row_count;
  return released;
end
$$;

-- A member's seats go their member's way.
create function hold_subscriptions(tenant uuid, person uuid) returns void language plpgsql as $$
begin
  perform from subscriptions
    where id in (select subscription_id from seats where tenant_id = tenant and user_id = person)
    order by id for no key update;
end
$$;

create function seats_of_leaving() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform hold_subscriptions(old.tenant_id, old.user_id);
  perform step_in(inside);
  return old;
end
$$;
create trigger seats_of_leaving before delete on memberships
  for each row execute function seats_of_leaving();

create function seats_of_changed() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform hold_subscriptions(new.tenant_id, new.user_id);
  if new.status = 'SUSPENDED' then
    update seats set status = 'PARKED'
      where tenant_id = new.tenant_id and user_id = new.user_id and status = 'ASSIGNED';
  elsif old.status = 'INVITED' then
    update seats set assigned_at = new.joined_at,
      status = case when (select disabled from users where id = new.user_id) then 'PARKED' else 'ASSIGNED' end
      where tenant_id = new.tenant_id and user_id = new.user_id and status = 'RESERVED';
  else
    perform release_overdue(subscription_id, new.updated_at) from seats
      where tenant_id = new.tenant_id and user_id = new.user_id and status = 'PARKED';
    update seats set status = 'ASSIGNED', assigned_at = new.updated_at
      from subscriptions
      where subscriptions.id = seats.subscription_id and seats.tenant_id = new.tenant_id
      and seats.user_id = new.user_id and seats.status = 'PARKED'
      and subscriptions.quantity_assigned + subscriptions.quantity_reserved < subscriptions.quantity_purchased
      and not exists (select from users where id = new.user_id and disabled);
    -- Somebody else has it now.
    delete from seats where tenant_id = new.tenant_id and user_id = new.user_id and status = 'PARKED'
      and not exists (select from users where id = new.user_id and disabled);
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger seats_of_changed after update on memberships
  for each row when (new.status <> old.status) execute function seats_of_changed();

-- Who is disabled holds nothing, like who is suspended, and has it again afterwards if it is free.
create function seats_of_disabled() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform from subscriptions where id in (select subscription_id from seats where user_id = new.id)
    order by id for no key update;
  perform from license_revisions where tenant_id in (select tenant_id from seats where user_id = new.id)
    order by tenant_id for no key update;
  if new.disabled then
    update seats set status = 'PARKED' where user_id = new.id and status = 'ASSIGNED';
  else
    perform release_overdue(subscription_id, new.updated_at) from seats where user_id = new.id and status = 'PARKED';
    update seats set status = 'ASSIGNED', assigned_at = new.updated_at
      from subscriptions, memberships
      where subscriptions.id = seats.subscription_id and seats.user_id = new.id and seats.status = 'PARKED'
      and memberships.tenant_id = seats.tenant_id and memberships.user_id = seats.user_id
      and memberships.status = 'ACTIVE'
      and subscriptions.quantity_assigned + subscriptions.quantity_reserved < subscriptions.quantity_purchased;
    delete from seats using memberships
      where seats.user_id = new.id and seats.status = 'PARKED' and memberships.tenant_id = seats.tenant_id
      and memberships.user_id = seats.user_id and memberships.status = 'ACTIVE';
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger seats_of_disabled after update on users
  for each row when (new.disabled <> old.disabled) execute function seats_of_disabled();

-- Whoever takes an application away takes it from the tenants it was sold to, one after the other.
create function hold_buyers() returns trigger language plpgsql as $$
begin
  perform from tenants where id in (select tenant_id from subscriptions where application_id = old.id)
    order by id for no key update;
  return old;
end
$$;
create trigger hold_buyers before delete on applications
  for each row execute function hold_buyers();

-- Who asks to be forgotten leaves every tenant as whoever changes one does: one after the other.
create or replace function let_go() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform from tenants where id in (select tenant_id from memberships where user_id = new.id)
    order by id for no key update;
  with resting as (delete from memberships where user_id = new.id and status <> 'INVITED' returning *)
  insert into dormant_memberships select id, tenant_id, user_id, to_jsonb(resting) from resting;
  delete from sessions where user_id = new.id;
  delete from mailed_links where user_id = new.id;
  delete from pending_sign_ins where user_id = new.id;
  perform step_in(inside);
  return null;
end
$$;

create trigger announce after insert or update or delete on seats
  for each row execute function announce_change('seat', 'tenant_id', 'user_id');
create trigger announce after insert or update or delete on license_types
  for each row execute function announce_change('license_types', 'application_id');
-- Also that somebody is no member is remembered, where licences are asked for.
create trigger announce_come after insert on memberships
  for each row execute function announce_change('member', 'tenant_id', 'user_id');

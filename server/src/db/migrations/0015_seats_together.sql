-- Seats are given and taken many at a time: what follows from it is done once for a statement, and no more once for a
-- seat. What is counted, told and written down stays what it was.
-- In the order in which most statements come to them.
lock table seats, subscriptions, license_ledger in access exclusive mode;

-- As before, and now within the statement that asks for it.
create or replace function moment(at timestamptz) returns text language sql stable as $$
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- What the ledger says of a seat.
create function seat_state(seat seats) returns jsonb language sql stable as $$
  select jsonb_build_object(
    'status', seat.status, 'licenseTypeId', seat.license_type_id, 'subscriptionId', seat.subscription_id,
    'assignedAt', moment(seat.assigned_at))
$$;

-- Who changes something of this person in this tenant: as told for each of many, or for all that a transaction does.
create function actor_on(tenant uuid, person uuid) returns text language sql stable as $$
  select coalesce(
    nullif(current_setting('latchkey.actors', true), '')::jsonb ->> (tenant || ':' || person),
    nullif(current_setting('latchkey.actor', true), ''))
$$;

drop trigger count_seats on seats;
drop trigger ledger_seat on seats;
drop trigger announce on seats;
drop trigger fit_members on seats;
drop function count_seats(), ledger_seat(), fit_members();

-- Who is suspended, disabled or not here yet holds no seat, and only who is to come has one kept.
create function require_fit(is_misfit boolean) returns void language plpgsql as $$
begin
  if is_misfit then
    raise exception 'nobody can hold this seat like that'
      using errcode = 'check_violation', constraint = 'seats_fit_members';
  end if;
end
$$;
create function fits(status text, standing text, is_disabled boolean) returns boolean language sql immutable as $$
  select case status
    when 'ASSIGNED' then standing = 'ACTIVE' and not is_disabled
    when 'RESERVED' then standing = 'INVITED'
    else true
  end
$$;

-- Seats are counted where they are bought, and told of. Whoever changes a seat has taken hold of the subscription before,
-- so that two who do do not wait for each other in a circle.
create function seats_come() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform require_fit(exists (
    select from come
    join memberships on memberships.tenant_id = come.tenant_id and memberships.user_id = come.user_id
    join users on users.id = come.user_id
    where not fits(come.status, memberships.status, users.disabled)
  ));
  update subscriptions set
    quantity_assigned = quantity_assigned + steps.assigned, quantity_reserved = quantity_reserved + steps.reserved
    from (
      select subscription_id, count(*) filter (where status = 'ASSIGNED') as assigned,
        count(*) filter (where status = 'RESERVED') as reserved
      from come group by subscription_id
    ) as steps
    where subscriptions.id = steps.subscription_id and steps.assigned + steps.reserved > 0;
  with numbered as (
    insert into license_revisions as known (tenant_id, revision)
      select tenant_id, count(*) from come group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set revision = known.revision + excluded.revision
      returning known.tenant_id, known.revision
  )
  insert into license_ledger
    (tenant_id, sequence, actor, reason, subject, subject_id, user_id, application_id, before, after)
    select come.tenant_id, numbered.revision + 1 - row_number() over (partition by come.tenant_id order by come.id desc),
      actor_on(come.tenant_id, come.user_id), case when come.status = 'RESERVED' then 'RESERVED' else 'GRANTED' end,
      'seat', come.id, come.user_id, come.application_id, null, seat_state(come)
    from come join numbered on numbered.tenant_id = come.tenant_id;
  perform pg_notify('latchkey_changes', 'seat:' || tenant_id || ':' || user_id) from come;
  perform step_in(inside);
  return null;
end
$$;
create trigger seats_come after insert on seats
  referencing new table as come for each statement execute function seats_come();

create function seats_changed() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform require_fit(exists (
    select from come join gone on gone.id = come.id and gone.status <> come.status
    join memberships on memberships.tenant_id = come.tenant_id and memberships.user_id = come.user_id
    join users on users.id = come.user_id
    where not fits(come.status, memberships.status, users.disabled)
  ));
  update subscriptions set
    quantity_assigned = quantity_assigned + steps.assigned, quantity_reserved = quantity_reserved + steps.reserved
    from (
      select subscription_id, sum(step) filter (where status = 'ASSIGNED') as assigned,
        sum(step) filter (where status = 'RESERVED') as reserved
      from (
        select subscription_id, status, 1 as step from come
        union all select subscription_id, status, -1 from gone
      ) as moves group by subscription_id
    ) as counted, lateral (select coalesce(assigned, 0) as assigned, coalesce(reserved, 0) as reserved) as steps
    where subscriptions.id = counted.subscription_id and (steps.assigned, steps.reserved) <> (0, 0);
  with numbered as (
    insert into license_revisions as known (tenant_id, revision)
      select tenant_id, count(*) from come group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set revision = known.revision + excluded.revision
      returning known.tenant_id, known.revision
  )
  insert into license_ledger
    (tenant_id, sequence, actor, reason, subject, subject_id, user_id, application_id, before, after)
    select come.tenant_id, numbered.revision + 1 - row_number() over (partition by come.tenant_id order by come.id desc),
      actor_on(come.tenant_id, come.user_id),
      case
        when come.status = 'PARKED' then 'SUSPENDED'
        when gone.status = 'PARKED' then 'REACTIVATED'
        when gone.status = 'RESERVED' then 'ACCEPTED'
        else 'CHANGED'
      end,
      'seat', come.id, come.user_id, come.application_id, seat_state(gone), seat_state(come)
    from come join gone on gone.id = come.id join numbered on numbered.tenant_id = come.tenant_id;
  perform pg_notify('latchkey_changes', 'seat:' || tenant_id || ':' || user_id) from come;
  perform step_in(inside);
  return null;
end
$$;
create trigger seats_changed after update on seats
  referencing old table as gone new table as come for each statement execute function seats_changed();

create function seats_gone() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  update subscriptions set
    quantity_assigned = quantity_assigned - steps.assigned, quantity_reserved = quantity_reserved - steps.reserved
    from (
      select subscription_id, count(*) filter (where status = 'ASSIGNED') as assigned,
        count(*) filter (where status = 'RESERVED') as reserved
      from gone group by subscription_id
    ) as steps
    where subscriptions.id = steps.subscription_id and steps.assigned + steps.reserved > 0;
  with numbered as (
    insert into license_revisions as known (tenant_id, revision)
      select tenant_id, count(*) from gone group by tenant_id order by tenant_id
      on conflict (tenant_id) do update set revision = known.revision + excluded.revision
      returning known.tenant_id, known.revision
  )
  insert into license_ledger
    (tenant_id, sequence, actor, reason, subject, subject_id, user_id, application_id, before, after)
    select gone.tenant_id, numbered.revision + 1 - row_number() over (partition by gone.tenant_id order by gone.id desc),
      actor_on(gone.tenant_id, gone.user_id),
      -- Nobody took it away: what it hung on is gone.
      case when gone.status = 'ASSIGNED'
        and exists (select from memberships as held_by
          where held_by.tenant_id = gone.tenant_id and held_by.user_id = gone.user_id)
        and exists (select from subscriptions where subscriptions.id = gone.subscription_id)
        then 'REVOKED' else 'ENDED' end,
      'seat', gone.id, gone.user_id, gone.application_id, seat_state(gone), null
    from gone join numbered on numbered.tenant_id = gone.tenant_id;
  perform pg_notify('latchkey_changes', 'seat:' || tenant_id || ':' || user_id) from gone;
  perform step_in(inside);
  return null;
end
$$;
create trigger seats_gone after delete on seats
  referencing old table as gone for each statement execute function seats_gone();

-- How many of its seats are held follows from the seats, and is not told twice: then nothing is to be looked at.
drop trigger ledger_subscription on subscriptions;
create trigger ledger_subscription after insert or delete on subscriptions
  for each row execute function ledger_subscription();
create trigger ledger_subscription_changed after update on subscriptions
  for each row when (
    (old.quantity_purchased, old.status, old.current_period_start, old.current_period_end)
      is distinct from (new.quantity_purchased, new.status, new.current_period_start, new.current_period_end)
  ) execute function ledger_subscription();

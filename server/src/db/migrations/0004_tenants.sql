-- Nodes that are still at work wait here, and not half way.
lock table tenants, users, memberships, dormant_memberships, audit_entries in access exclusive mode;

-- People who are asked to join a tenant. Whether the time to do so is over is decided by the clock, not by the status.
create table invitations (
  id uuid primary key,
  tenant_id uuid not null references tenants on delete cascade,
  email text not null,
  role text not null check (role in ('owner', 'admin', 'member')),
  status text not null check (status in ('PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED')),
  token_hash bytea not null unique,
  -- For how many seconds it is good, also when it is sent again.
  lifetime integer not null check (lifetime > 0),
  -- Whose INVITED membership came with it.
  user_id uuid references users on delete set null,
  invited_by uuid references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create unique index invitations_pending on invitations (tenant_id, email) where status = 'PENDING';
create index invitations_list on invitations (tenant_id, status, id);
create index invitations_email on invitations (email);
create index invitations_user_id on invitations (user_id);
create index invitations_invited_by on invitations (invited_by);
create index invitations_expires_at on invitations (expires_at) where status = 'PENDING';

-- An INVITED membership is over with its invitation, at this moment. Before there were invitations there was none.
delete from memberships where status = 'INVITED';
delete from dormant_memberships where membership ->> 'status' = 'INVITED';
update memberships set joined_at = created_at where joined_at is null;
alter table memberships
  add column invited_until timestamptz,
  add constraint invited_for_a_time check (status <> 'INVITED' or invited_until is not null),
  add constraint joined_or_invited check ((status = 'INVITED') = (joined_at is null));
-- Lists of members, by the ways they are asked for: who joined first comes first, who is yet to join last.
create index memberships_list on memberships (tenant_id, joined_at, id) include (status, role, invited_until);
create index memberships_by_role on memberships (tenant_id, role, joined_at, id) include (status, invited_until);
create index memberships_by_status on memberships (tenant_id, status, joined_at, id) include (role, invited_until);

-- How many members a tenant has, so that no list need count them. INVITED ones go by the clock, and are counted when
-- asked for.
create table member_counts (
  tenant_id uuid not null references tenants on delete cascade,
  status text not null,
  role text not null,
  count bigint not null,
  -- How often others than newcomers have changed places: until it grows, who stands where in the list stays there.
  shuffles bigint not null default 0,
  primary key (tenant_id, status, role)
);
insert into member_counts (tenant_id, status, role, count)
  select tenant_id, status, role, count(*) from memberships where status <> 'INVITED' group by tenant_id, status, role;

create index audit_entries_tenant_id on audit_entries (tenant_id, id);
-- To find what must be forgotten of an address.
create index audit_entries_email on audit_entries ((personal ->> 'email')) where personal ? 'email';

-- The wall between tenants. Whoever works for one tenant says so, and from then on sees and changes its rows alone,
-- whatever a query forgets. Work for the whole instance does not say so, and is not held back.
do $$
declare
  walled record;
begin
  for walled in values ('tenants', 'id'), ('memberships', 'tenant_id'), ('member_counts', 'tenant_id'),
    ('invitations', 'tenant_id'), ('dormant_memberships', 'tenant_id'), ('audit_entries', 'tenant_id')
  loop
    execute format('alter table %I enable row level security', walled.column1);
    -- The owner of a table would pass otherwise, and that is who we are.
    execute format('alter table %I force row level security', walled.column1);
    -- In brackets of their own the settings are read once a query, not once a row.
    execute format(
      'create policy wall on %I using (
         (select coalesce(current_setting(''latchkey.tenant'', true), '''')) = ''''
         or %I = (select nullif(current_setting(''latchkey.tenant'', true), '''')::uuid)
       )',
      walled.column1, walled.column2
    );
  end loop;
end
$$;

-- Until the transaction ends, only rows of this tenant are there, and what is written down of itself names the actor. No
-- policy holds back a superuser: where the service is one, it works for a tenant in the role of somebody who is none.
create function enter_tenant(tenant uuid, actor text default null) returns void language plpgsql as $$
begin
  perform set_config('latchkey.tenant', tenant::text, true), set_config('latchkey.actor', coalesce(actor, ''), true);
  if not row_security_active('memberships') then
    perform set_config('role', 'latchkey_tenant', true);
  end if;
end
$$;

-- What follows from a change may lie beyond the wall: functions of triggers step out of it, and in again.
create function step_out() returns text language plpgsql as $$
declare
  inside text := coalesce(current_setting('latchkey.tenant', true), '');
begin
  perform set_config('latchkey.tenant', '', true);
  return inside;
end
$$;
create function step_in(inside text) returns void language plpgsql as $$
begin
  perform set_config('latchkey.tenant', inside, true);
end
$$;

-- Counters are taken in one order, so that two who count at once do not wait for each other in a circle.
create function count_members() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  if tg_op = 'INSERT' then
    insert into member_counts as known (tenant_id, status, role, count)
      select tenant_id, status, role, count(*) from come where status <> 'INVITED'
      group by tenant_id, status, role order by tenant_id, status, role
      on conflict (tenant_id, status, role) do update set count = known.count + excluded.count;
  elsif tg_op = 'UPDATE' then
    insert into member_counts as known (tenant_id, status, role, count)
      select tenant_id, status, role, sum(step)
      from (select *, 1 as step from come union all select *, -1 as step from gone) as moves
      where status <> 'INVITED'
      group by tenant_id, status, role having sum(step) <> 0 order by tenant_id, status, role
      on conflict (tenant_id, status, role) do update
        set count = known.count + excluded.count, shuffles = known.shuffles + 1;
  else
    -- Where the tenant itself goes, its counters may have gone before, and must not come back.
    perform from member_counts
      where (tenant_id, status, role) in (select tenant_id, status, role from gone)
      order by tenant_id, status, role for no key update;
    update member_counts as known set count = known.count - leaving.count, shuffles = known.shuffles + 1
      from (select tenant_id, status, role, count(*) from gone group by tenant_id, status, role) as leaving
      where (known.tenant_id, known.status, known.role) = (leaving.tenant_id, leaving.status, leaving.role);
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger count_come after insert on memberships
  referencing new table as come for each statement execute function count_members();
create trigger count_changed after update on memberships
  referencing old table as gone new table as come for each statement execute function count_members();
create trigger count_gone after delete on memberships
  referencing old table as gone for each statement execute function count_members();

-- Who leaves a tenant, by whatever door, leaves with every token for it, and does not find them again on returning.
-- Who was only invited leaves with the invitation; and who is known for nothing else is forgotten.
create function part_ways() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  delete from grants using gone where grants.user_id = gone.user_id and grants.tenant_id = gone.tenant_id;
  delete from consents using gone where consents.user_id = gone.user_id and consents.tenant_id = gone.tenant_id;
  update invitations set status = 'REVOKED' from gone
    where invitations.user_id = gone.user_id and invitations.tenant_id = gone.tenant_id
    and invitations.status = 'PENDING';
  -- Somebody may be inviting them elsewhere at this moment: what is decided below is decided after that.
  perform from users
    where id in (select user_id from gone where status = 'INVITED') and password_hash is null and not email_verified
    order by id for update;
  delete from users using gone
    where users.id = gone.user_id and gone.status = 'INVITED'
    and users.password_hash is null and not users.email_verified
    and not exists (select from memberships where memberships.user_id = users.id);
  perform step_in(inside);
  return null;
end
$$;
create trigger part_ways after delete on memberships
  referencing old table as gone for each statement execute function part_ways();
-- Placeholders for people who were invited and have not come.
create index users_placeholders on users (id) where password_hash is null and not email_verified;

-- Who has become a member needs no invitation any more.
create function end_invitation() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  update invitations set status = 'REVOKED' from users
    where users.id = new.user_id and invitations.email = users.email
    and invitations.tenant_id = new.tenant_id and invitations.status = 'PENDING';
  perform step_in(inside);
  return null;
end
$$;
create trigger end_invitation_come after insert on memberships
  for each row when (new.status <> 'INVITED') execute function end_invitation();
create trigger end_invitation_changed after update on memberships
  for each row when (old.status = 'INVITED' and new.status <> 'INVITED') execute function end_invitation();

-- Who is to have another role than they were invited with is invited with that.
create function change_invitation() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  update invitations set role = new.role
    where user_id = new.user_id and tenant_id = new.tenant_id and status = 'PENDING';
  perform step_in(inside);
  return null;
end
$$;
create trigger change_invitation after update on memberships
  for each row when (new.status = 'INVITED' and new.role <> old.role) execute function change_invitation();

-- An invitation is for an address. Whoever has another one by now is not who was invited.
create function leave_invitation() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  update invitations set user_id = null where user_id = new.id and status = 'PENDING';
  delete from memberships where user_id = new.id and status = 'INVITED';
  perform step_in(inside);
  return null;
end
$$;
create trigger leave_invitation after update on users
  for each row when (new.email <> old.email) execute function leave_invitation();

-- Nothing keeps an address of a person who is erased. Who had not proven it makes way for whoever has it, to whom the
-- invitations stay open.
create function forget_invitations() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  if old.email_verified then
    delete from invitations where email = old.email or user_id = old.id;
  else
    update invitations set user_id = null where user_id = old.id and status = 'PENDING';
  end if;
  perform step_in(inside);
  return old;
end
$$;
create trigger forget_invitations before delete on users
  for each row execute function forget_invitations();

-- Who asks to be forgotten leaves at once: their memberships rest, and their sessions end, with them every token. Who is
-- only invited has nothing to leave. Tenants come first, then members, then tokens, as for whoever removes a member or
-- deletes a tenant, so that they do not wait for each other in a circle.
create or replace function let_go() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform from tenants where id in (select tenant_id from memberships where user_id = new.id)
    order by id for key share;
  with resting as (delete from memberships where user_id = new.id and status <> 'INVITED' returning *)
  insert into dormant_memberships select id, tenant_id, user_id, to_jsonb(resting) from resting;
  delete from sessions where user_id = new.id;
  delete from mailed_links where user_id = new.id;
  delete from pending_sign_ins where user_id = new.id;
  perform step_in(inside);
  return null;
end
$$;

create or replace function take_back() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  perform from tenants where id in (select tenant_id from dormant_memberships where user_id = new.id)
    order by id for key share;
  with waking as (delete from dormant_memberships where user_id = new.id returning membership)
  insert into memberships select (jsonb_populate_record(null::memberships, membership)).* from waking
    on conflict (tenant_id, user_id) do nothing;
  perform step_in(inside);
  return null;
end
$$;

-- Who is invited anew does not come back as what they were before.
create function forget_dormant() returns trigger language plpgsql as $$
begin
  delete from dormant_memberships where tenant_id = new.tenant_id and user_id = new.user_id;
  return null;
end
$$;
create trigger forget_dormant after insert on memberships
  for each row when (new.status = 'INVITED') execute function forget_dormant();

-- Nobody becomes a member who is about to be forgotten, be it at this very moment; being invited they may be.
drop trigger refuse_leaving on memberships;
create trigger refuse_leaving before insert on memberships
  for each row when (new.status <> 'INVITED') execute function refuse_leaving();
create trigger refuse_leaving_invited before update on memberships
  for each row when (old.status = 'INVITED' and new.status <> 'INVITED') execute function refuse_leaving();

-- A tenant that has an owner has one at every moment, whatever the code above forgets.
create function keep_an_owner() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  -- Of two who leave at once, the second sees that the first has left.
  perform from tenants where id = old.tenant_id for no key update;
  if found and not exists (
    select from memberships where tenant_id = old.tenant_id and role = 'owner' and status = 'ACTIVE'
  ) then
    raise exception 'a tenant must keep an owner'
      using errcode = 'check_violation', constraint = 'tenants_keep_an_owner';
  end if;
  perform step_in(inside);
  return null;
end
$$;
create constraint trigger keep_an_owner after update or delete on memberships
  deferrable initially deferred for each row when (old.role = 'owner' and old.status = 'ACTIVE')
  execute function keep_an_owner();

-- Programs that know migration 0046 go on working.
-- They do not know that a session may be of an operator, so SUPPORT_ACCESS should be turned on once all nodes are updated.

-- The tenant allows operators to act as its members.
alter table tenants add column support_access boolean not null default false;

-- Set for a session in which an operator acts as its user, until ends_at.
alter table sessions
  add column operator_id uuid,
  add column ends_at timestamptz,
  add constraint operator_until check ((operator_id is null) = (ends_at is null)) not valid;

-- A row for each such session, with the same id. It stays when the session ends, until the end is in the audit log.
create table support_sessions (
  id uuid primary key,
  operator_id uuid not null,
  -- The session of the operator. The session of the member ends with it.
  operator_session_id uuid not null,
  user_id uuid not null,
  tenant_id uuid not null,
  created_at timestamptz not null,
  ends_at timestamptz not null
);
create index support_sessions_operator_id on support_sessions (operator_id);
create index support_sessions_operator_session_id on support_sessions (operator_session_id);
create index support_sessions_user_id on support_sessions (user_id);
create index support_sessions_tenant_id on support_sessions (tenant_id, user_id);

-- Ends the sessions in the transaction of the change that forbids them, whoever makes it.
create function end_support_sessions() returns trigger language plpgsql as $$
declare
  inside text := step_out();
begin
  if tg_table_name = 'users' then
    delete from sessions
      where id in (select id from support_sessions where operator_id = old.id or user_id = old.id);
  elsif tg_table_name = 'memberships' then
    delete from sessions
      where id in (select id from support_sessions where tenant_id = old.tenant_id and user_id = old.user_id);
  elsif tg_table_name = 'tenants' then
    delete from sessions where id in (select id from support_sessions where tenant_id = old.id);
  else
    delete from sessions where id in (select id from support_sessions where operator_session_id = old.id);
  end if;
  perform step_in(inside);
  return null;
end
$$;
create trigger end_support_sessions after update on users
  for each row when (
    new.is_super_admin <> old.is_super_admin
    or (new.disabled and not old.disabled)
    or (new.deletion_requested_at is not null and old.deletion_requested_at is null)
  )
  execute function end_support_sessions();
create trigger end_support_sessions after update on memberships
  for each row when (new.status <> 'ACTIVE' and old.status = 'ACTIVE') execute function end_support_sessions();
create trigger end_support_sessions_of_former after delete on memberships
  for each row execute function end_support_sessions();
create trigger end_support_sessions after update on tenants
  for each row when (
    (old.support_access and not new.support_access) or (new.suspended_at is not null and old.suspended_at is null)
  )
  execute function end_support_sessions();
-- A session of an operator ends with the session in which the operator signed in.
create trigger end_support_sessions after delete on sessions
  for each row when (old.operator_id is null) execute function end_support_sessions();

-- What one searches by must be a column of its own: behind row-level security the index of an expression is of no use,
-- as PostgreSQL asks nothing of a row that might give it away before it knows that the row may be seen.
alter table audit_entries
  add column about_email text generated always as (personal ->> 'email') stored,
  add column ip_address text generated always as (personal ->> 'ipAddress') stored;
drop index audit_entries_email;
-- To find what must be forgotten of an address, …
create index audit_entries_about_email on audit_entries (about_email) where about_email is not null;
-- … what came from one, and what one request did.
create index audit_entries_ip_address on audit_entries (ip_address, id) where ip_address is not null;
create index audit_entries_request_id on audit_entries (request_id) where request_id is not null;

-- Both ends of the chain bear proof, under its key, that the service put them where they are: who may only write to the
-- database can neither cut off the end nor pretend that the beginning was too old.
alter table audit_head add column head_proof bytea, add column anchor_proof bytea;

-- As before; what is made from `personal` follows it, and is not there yet when this is asked.
create or replace function keep_entries() returns trigger language plpgsql as $$
declare
  derived constant text[] := array['personal', 'about_email', 'ip_address'];
begin
  if tg_op = 'DELETE' and current_setting('latchkey.retention', true) = 'on' then return old; end if;
  if tg_op = 'UPDATE' and tg_table_name = 'audit_entries' then
    if new.personal = '{}' and to_jsonb(new) - derived = to_jsonb(old) - derived then return new; end if;
  end if;
  raise exception 'the audit log only grows' using errcode = 'check_violation', constraint = 'audit_only_grows';
end
$$;

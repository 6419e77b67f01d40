-- Every access token of a grant rests on how its person has proven who they are, also a token for a tenant that the
-- grant was for before. Nodes that remember the token learn of a change.
create trigger announce_amr after update of amr on grants
  for each row when (old.amr is distinct from new.amr) execute function announce_change('grant', 'id');

-- Whoever makes a tenant require a second factor keeps the session they did it with for a time, to set one up.
alter table tenants
  add column mfa_grace_session_id uuid,
  add column mfa_grace_until timestamptz;

-- A tenant that demands a second factor from now on ends what was given without one, in every other session.
create or replace function demand_second_factor() returns trigger language plpgsql as $$
begin
  delete from grants
    where tenant_id = new.id and not 'mfa' = any (amr) and session_id is distinct from new.mfa_grace_session_id;
  return null;
end
$$;

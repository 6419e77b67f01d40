-- An operator may suspend a tenant: nobody can act for it until the suspension is ended. What is its own stays as it is.
alter table tenants
  add column suspended_at timestamptz,
  -- When the last suspension was ended. Access tokens from before that stay dead.
  add column reactivated_at timestamptz,
  -- The name in small letters, by which operators find it. A column of its own, because behind row-level security the
  -- database would never use an index on lower(name).
  add column name_key text collate "C";

create function keep_name_key() returns trigger language plpgsql as $$
begin
  new.name_key := lower(new.name);
  return new;
end
$$;
create trigger keep_name_key before insert or update on tenants
  for each row execute function keep_name_key();
update tenants set name_key = lower(name);
alter table tenants alter column name_key set not null;

-- Lists of all tenants: by the three orders there are, and by how a name or a slug begins.
create index tenants_created_at on tenants (created_at, id);
create index tenants_name_key on tenants (name_key, id);
create index tenants_slug_c on tenants (slug collate "C");
create index tenants_suspended on tenants (created_at, id) where suspended_at is not null;

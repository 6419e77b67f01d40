-- An operator may suspend a tenant: nobody can act for it until the suspension is ended. What is its own stays as it is.
alter table tenants
  add column suspended_at timestamptz,
  -- When the last suspension was ended. Access tokens from before that stay dead.
  add column reactivated_at timestamptz,
  -- By which operators find it, whatever letters its name is written in. A column, because behind row-level security
  -- an index on lower(name) would never be used.
  add column name_key text collate "C" generated always as (lower(name)) stored;

-- Lists of all tenants: by the three orders there are, and by how a name or a slug begins.
create index tenants_created_at on tenants (created_at, id);
create index tenants_name_key on tenants (name_key, id);
create index tenants_slug_c on tenants (slug collate "C");
create index tenants_suspended on tenants (created_at, id) where suspended_at is not null;

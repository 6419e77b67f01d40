-- How the hosted pages look for an application or for a tenant: one row for each that has chosen something.
create table brandings (
  owner_id uuid generated always as (coalesce(application_id, tenant_id)) stored primary key,
  application_id uuid unique references applications on delete cascade,
  tenant_id uuid unique references tenants on delete cascade,
  display_name text,
  color text check (color ~ '^#[0-9a-f]{6}$'),
  logo bytea,
  logo_type text check (logo_type in ('image/png', 'image/jpeg', 'image/webp')),
  logo_hash text,
  logo_width integer,
  logo_height integer,
  updated_at timestamptz not null,
  constraint of_one_owner check (num_nonnulls(application_id, tenant_id) = 1),
  constraint whole_logo_or_none check (
    num_nonnulls(logo, logo_type, logo_hash, logo_width, logo_height) in (0, 5)
  ),
  -- Who has chosen nothing has no branding.
  constraint says_something check (num_nonnulls(display_name, color, logo) > 0)
);
-- Pictures are packed already.
alter table brandings alter column logo set storage external;
-- Two may have the same logo.
create index brandings_logo_hash on brandings (logo_hash) where logo_hash is not null;

alter table brandings enable row level security;
alter table brandings force row level security;
create policy wall on brandings using (
  (select coalesce(current_setting('latchkey.tenant', true), '')) = ''
  or tenant_id = (select nullif(current_setting('latchkey.tenant', true), '')::uuid)
);

create trigger announce after insert or update or delete on brandings
  for each row execute function announce_change('branding', 'owner_id');

-- Programs that know migration 0031 go on working.

-- Whether a client may use the device authorization grant (RFC 8628).
alter table clients add column device_flow boolean not null default false;

create trigger announce_device_flow after update on clients
  for each row when (new.device_flow <> old.device_flow) execute function announce_change('client-features');

-- Devices that wait until a person has allowed or refused their sign-in in a browser. The device code is a hash. The user
-- code has too few letters for one, so it is a MAC under a key that is not in the database.
create table device_authorizations (
  id uuid primary key,
  device_code_hash bytea not null unique,
  user_code_mac bytea not null unique,
  client_id uuid not null references clients on delete cascade,
  scopes text[] not null,
  -- The tenant that the device has named.
  tenant_slug text,
  -- Where the device asked from.
  ip_address text not null,
  network text not null,
  user_agent text not null,
  -- The seconds that the device must wait between two requests. It grows when the device asks too early.
  poll_interval integer not null,
  polled_at timestamptz,
  polled_early boolean not null default false,
  -- A decision without a grant is a refusal. The end of the grant takes the row along.
  decided_at timestamptz,
  grant_id uuid references grants on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index device_authorizations_client_id on device_authorizations (client_id);
create index device_authorizations_grant_id on device_authorizations (grant_id);
create index device_authorizations_expires_at on device_authorizations (expires_at);

create trigger end_device_authorizations after update on clients
  for each row when ((new.disabled and not old.disabled) or (old.device_flow and not new.device_flow))
  execute function end_what_hangs_on_it('device_authorizations', 'client_id');

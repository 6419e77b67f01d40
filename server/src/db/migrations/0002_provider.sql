-- People: what the OpenID claims tell about them, and the switch that ends all use of an account.
alter table users
  add column username text,
  add column middle_name text,
  add column nickname text,
  add column picture_url text,
  add column website text,
  add column gender text,
  add column birthdate text,
  add column zoneinfo text,
  add column locale text,
  add column phone text,
  add column phone_verified boolean not null default false,
  add column disabled boolean not null default false;
create unique index users_username_key on users (lower(username));

-- Organisations and who belongs to them.
create table tenants (
  id uuid primary key,
  slug text not null unique check (slug ~ '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  mfa_policy text not null default 'OPTIONAL' check (mfa_policy in ('OPTIONAL', 'REQUIRED')),
  settings jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table memberships (
  id uuid primary key,
  tenant_id uuid not null references tenants on delete cascade,
  user_id uuid not null references users on delete cascade,
  role text not null check (role in ('owner', 'admin', 'member')),
  status text not null check (status in ('ACTIVE', 'INVITED', 'SUSPENDED')),
  joined_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (tenant_id, user_id)
);
create index memberships_user_id on memberships (user_id);

-- Software that signs people in, and the clients through which it does.
create table applications (
  id uuid primary key,
  slug text not null unique,
  name text not null,
  -- Ours, so that nobody is asked for consent; otherwise third-party.
  trusted boolean not null default true,
  licensing_mode text not null default 'PER_SEAT' check (licensing_mode in ('PER_SEAT', 'TENANT_WIDE', 'FREE')),
  -- Lifetimes in seconds; null means the instance's own.
  access_token_ttl integer check (access_token_ttl between 60 and 86400),
  id_token_ttl integer check (id_token_ttl between 60 and 86400),
  refresh_token_idle_ttl integer check (refresh_token_idle_ttl > 0),
  refresh_token_ttl integer check (refresh_token_ttl > 0),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table clients (
  id uuid primary key,
  client_id text not null unique,
  application_id uuid not null references applications on delete cascade,
  kind text not null check (kind in ('SPA', 'WEB', 'MACHINE')),
  name text not null,
  redirect_uris text[] not null,
  post_logout_redirect_uris text[] not null,
  allowed_origins text[] not null,
  scopes text[] not null,
  -- A machine acts for one tenant, or for the instance.
  tenant_id uuid references tenants on delete cascade,
  require_nonce boolean not null,
  pkce_methods text[] not null,
  disabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (tenant_id is null or kind = 'MACHINE')
);
create index clients_application_id on clients (application_id);
create index clients_tenant_id on clients (tenant_id);

create table client_secrets (
  id uuid primary key,
  client_id uuid not null references clients on delete cascade,
  hash bytea not null,
  created_at timestamptz not null
);
create index client_secrets_client_id on client_secrets (client_id);

-- Which key signs is a matter of the clock: the one activated last. A retired key loses its private half, and is
-- kept so that an old token can still be recognised as ours.
create table signing_keys (
  kid text primary key,
  public_jwk jsonb not null,
  sealed_private_key bytea,
  created_at timestamptz not null,
  activates_at timestamptz not null
);

-- A person signed in on a device. The cookie holds a secret of which only the hash is here; when it is replaced,
-- the one before stays good until the new one has arrived, and a moment longer for requests under way.
create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  secret_hash bytea not null unique,
  secret_since timestamptz not null,
  previous_secret_hash bytea unique,
  previous_valid_until timestamptz,
  auth_time timestamptz not null,
  amr text[] not null,
  user_agent text not null,
  ip_address text not null,
  -- The part of the network that address lies in.
  network text not null,
  created_at timestamptz not null,
  -- Anything done with the session or its tokens.
  last_active_at timestamptz not null,
  -- The cookie itself: what its idle end is counted from.
  cookie_used_at timestamptz not null
);
create index sessions_user_id on sessions (user_id);

-- What a person allowed a third-party application, in one tenant or, without any, as themselves.
create table consents (
  user_id uuid not null references users on delete cascade,
  application_id uuid not null references applications on delete cascade,
  tenant_id uuid references tenants on delete cascade,
  scopes text[] not null,
  granted_at timestamptz not null,
  unique nulls not distinct (user_id, application_id, tenant_id)
);
create index consents_tenant_id on consents (tenant_id);
create index consents_application_id on consents (application_id);

-- One authorization of one client by one person: it begins as a code, and every token that follows hangs on it.
-- Ending it is deleting it.
create table grants (
  id uuid primary key,
  session_id uuid not null references sessions on delete cascade,
  user_id uuid not null references users on delete cascade,
  client_id uuid not null references clients on delete cascade,
  tenant_id uuid references tenants on delete cascade,
  scopes text[] not null,
  auth_time timestamptz not null,
  amr text[] not null,
  code_hash bytea not null unique,
  code_expires_at timestamptz not null,
  code_used_at timestamptz,
  redirect_uri text not null,
  nonce text,
  code_challenge text,
  code_challenge_method text,
  created_at timestamptz not null,
  -- After this no code or refresh token of it is good; an access token may be, for a day at most.
  expires_at timestamptz not null
);
create index grants_session_id on grants (session_id);
create index grants_user_id on grants (user_id);
create index grants_client_id on grants (client_id);
create index grants_tenant_id on grants (tenant_id);
create index grants_expires_at on grants (expires_at);

create table refresh_tokens (
  hash bytea primary key,
  grant_id uuid not null references grants on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- A used token is kept: whoever shows it again has stolen it, or was robbed.
  used_at timestamptz
);
create index refresh_tokens_grant_id on refresh_tokens (grant_id);
create index refresh_tokens_expires_at on refresh_tokens (expires_at);

-- Access tokens ended before their time, until that time.
create table revoked_tokens (
  jti text primary key,
  expires_at timestamptz not null
);
create index revoked_tokens_expires_at on revoked_tokens (expires_at);

-- A link sent by mail, good once and for one purpose.
create table mailed_links (
  hash bytea primary key,
  purpose text not null,
  user_id uuid not null references users on delete cascade,
  email text not null,
  -- Several people have claimed the address: who follows the link must also know the password chosen with it.
  password_hash text,
  expires_at timestamptz not null
);
create index mailed_links_user_id on mailed_links (user_id, purpose);
create index mailed_links_expires_at on mailed_links (expires_at);

-- Answers to requests that carried an Idempotency-Key, for a day. No status yet: the first is still at work.
create table idempotency_keys (
  caller text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  sealed_body bytea,
  created_at timestamptz not null,
  primary key (caller, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

-- Failures counted against those who keep failing.
create table throttle (
  key text primary key,
  points integer not null default 0,
  expire bigint
);

-- Disabling ends: what was signed in before does not come back when the account or the client does.
create function end_what_hangs_on_it() returns trigger language plpgsql as $$
begin
  execute format('delete from %I where %I = $1', tg_argv[0], tg_argv[1]) using new.id;
  return null;
end
$$;
create trigger end_sessions after update on users
  for each row when (new.disabled and not old.disabled) execute function end_what_hangs_on_it('sessions', 'user_id');
create trigger end_grants after update on clients
  for each row when (new.disabled and not old.disabled) execute function end_what_hangs_on_it('grants', 'client_id');

-- Nodes remember what they read. Whatever is changed, by whomever, is announced with the transaction that does it.
create function announce_change() returns trigger language plpgsql as $$
declare
  gone jsonb := to_jsonb(case when tg_op = 'INSERT' then new else old end);
  subject text := tg_argv[0];
begin
  for i in 1 .. tg_nargs - 1 loop
    subject := subject || ':' || coalesce(gone ->> tg_argv[i], '');
  end loop;
  perform pg_notify('latchkey_changes', subject);
  return null;
end
$$;

create trigger announce after update or delete on users
  for each row execute function announce_change('user', 'id');
create trigger announce after update or delete on tenants
  for each row execute function announce_change('tenant', 'id');
create trigger announce after update or delete on memberships
  for each row execute function announce_change('member', 'tenant_id', 'user_id');
create trigger announce after update or delete on applications
  for each row execute function announce_change('application', 'id');
create trigger announce after update or delete on clients
  for each row execute function announce_change('client', 'id');
create trigger announce after insert or delete on client_secrets
  for each row execute function announce_change('client', 'client_id');
create trigger announce after insert or update or delete on signing_keys
  for each row execute function announce_change('signing_keys');
create trigger announce after delete on sessions
  for each row execute function announce_change('session', 'id');
-- What has run out by itself is known to have.
create trigger announce after delete on grants
  for each row when (old.expires_at > now() - interval '1 day') execute function announce_change('grant', 'id');
create trigger announce after insert on revoked_tokens
  for each row execute function announce_change('token', 'jti');

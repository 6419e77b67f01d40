alter table users
  -- Whether a password opens this account at all; an operator may ask for another way in.
  add column password_sign_in boolean not null default true,
  -- Several have signed up with this address before any of them has proven that it is theirs.
  add column contested boolean not null default false,
  -- Set: the person has asked to be forgotten, and is, some weeks later.
  add column deletion_requested_at timestamptz;
create index users_deletion_requested_at on users (deletion_requested_at) where deletion_requested_at is not null;

-- Of several who claim an address, each has told their own names.
alter table mailed_links add column names jsonb;

-- What happened: who did it, to whom, from where. Entries outlive those they tell of; what would tell who these were
-- stands in `personal`, and is taken out when they are forgotten.
create table audit_entries (
  id uuid primary key,
  occurred_at timestamptz not null,
  action text not null,
  actor_kind text not null check (actor_kind in ('user', 'client', 'system')),
  actor_id text,
  -- The person it happened to, if any.
  user_id uuid,
  tenant_id uuid,
  request_id text,
  details jsonb not null default '{}',
  personal jsonb not null default '{}'
);
create index audit_entries_user_id on audit_entries (user_id, id);
create index audit_entries_actor_id on audit_entries (actor_id, id);

-- An authenticator app. Until a first code has shown that it works, it counts for nothing.
create table totp_secrets (
  user_id uuid primary key references users on delete cascade,
  sealed_secret bytea not null,
  -- The session that began it, which alone may see it again and confirm it.
  session_id uuid,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- The time step of the last code taken: no code, and none before it, is good again.
  last_step bigint not null default 0
);

-- Codes for the day the device is lost, each good once.
create table recovery_codes (
  user_id uuid not null references users on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);

create table passkeys (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  credential_id text not null unique,
  public_key bytea not null,
  sign_count bigint not null,
  transports text[] not null,
  backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_user_id on passkeys (user_id);

-- Challenges that a passkey must sign, each good once. No person: whoever comes with a passkey of theirs.
create table passkey_challenges (
  hash bytea primary key,
  purpose text not null check (purpose in ('enrol', 'sign-in', 'second-factor')),
  user_id uuid references users on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenges_expires_at on passkey_challenges (expires_at);
create index passkey_challenges_user_id on passkey_challenges (user_id);

-- Somebody who has shown a first factor and must still show a second, or say that their account shall live on.
create table pending_sign_ins (
  secret_hash bytea primary key,
  user_id uuid not null references users on delete cascade,
  amr text[] not null,
  -- When they proved that, if not just now.
  auth_time timestamptz,
  -- They want the deletion of their account undone.
  restores boolean not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_user_id on pending_sign_ins (user_id);
create index pending_sign_ins_expires_at on pending_sign_ins (expires_at);

-- From what a person has signed in before: hashes of a browser's cookie, and of its name and network.
create table known_devices (
  user_id uuid not null references users on delete cascade,
  hash bytea not null,
  last_seen_at timestamptz not null,
  primary key (user_id, hash)
);
create index known_devices_last_seen_at on known_devices (last_seen_at);

-- A person's identity at an outside provider: issuer and subject name it, and belong to one account.
create table sso_links (
  user_id uuid not null references users on delete cascade,
  provider text not null,
  issuer text not null,
  subject text not null,
  email text,
  display_name text,
  avatar_url text,
  linked_at timestamptz not null,
  last_used_at timestamptz not null,
  primary key (user_id, provider),
  unique (issuer, subject)
);

-- A way to an outside provider and back, good once, in one browser or for one signed-in person.
create table sso_attempts (
  state_hash bytea primary key,
  provider text not null,
  -- Nonce and PKCE verifier.
  sealed bytea not null,
  -- Of the cookie that names the browser; null where a person, not a browser, began it.
  browser_hash bytea,
  -- Set: this person links the identity they come back with.
  user_id uuid references users on delete cascade,
  -- Where they go afterwards: a journey's seal, or an address.
  return_to text,
  expires_at timestamptz not null
);
create index sso_attempts_expires_at on sso_attempts (expires_at);
create index sso_attempts_user_id on sso_attempts (user_id);

-- Memberships of people who have asked to be forgotten, in case they change their mind.
create table dormant_memberships (
  id uuid primary key,
  tenant_id uuid not null references tenants on delete cascade,
  user_id uuid not null references users on delete cascade,
  membership jsonb not null
);
create index dormant_memberships_user_id on dormant_memberships (user_id);
create index dormant_memberships_tenant_id on dormant_memberships (tenant_id);

-- Who asks to be forgotten leaves at once: their sessions end, with them every token, and their memberships rest.
create function let_go() returns trigger language plpgsql as $$
begin
  delete from sessions where user_id = new.id;
  delete from mailed_links where user_id = new.id;
  delete from pending_sign_ins where user_id = new.id;
  with resting as (delete from memberships where user_id = new.id returning *)
  insert into dormant_memberships select id, tenant_id, user_id, to_jsonb(resting) from resting;
  return null;
end
$$;
create trigger let_go after update on users
  for each row when (new.deletion_requested_at is not null and old.deletion_requested_at is null)
  execute function let_go();

-- Nobody is made a member who is about to be forgotten, be it at this very moment.
create function refuse_leaving() returns trigger language plpgsql as $$
declare
  leaving timestamptz;
begin
  select deletion_requested_at into leaving from users where id = new.user_id for no key update;
  if leaving is not null then
    raise exception 'the account is about to be deleted' using errcode = 'check_violation', constraint = 'members_stay';
  end if;
  return new;
end
$$;
create trigger refuse_leaving before insert on memberships
  for each row execute function refuse_leaving();

-- Who changes their mind finds again what was theirs, unless it has gone or was given to them anew.
create function take_back() returns trigger language plpgsql as $$
begin
  with waking as (delete from dormant_memberships where user_id = new.id returning membership)
  insert into memberships select (jsonb_populate_record(null::memberships, membership)).* from waking
    on conflict (tenant_id, user_id) do nothing;
  return null;
end
$$;
create trigger take_back after update on users
  for each row when (new.deletion_requested_at is null and old.deletion_requested_at is not null)
  execute function take_back();

-- Without any second factor left, none was shown: sessions forget theirs, and tokens of tenants that demand one end.
create function forget_second_factor() returns trigger language plpgsql as $$
begin
  -- Of two factors removed at once, the second to go sees that the first is gone.
  perform from users where id = old.user_id for no key update;
  if exists (select from totp_secrets where user_id = old.user_id and confirmed_at is not null)
    or exists (select from passkeys where user_id = old.user_id) then
    return null;
  end if;
  delete from recovery_codes where user_id = old.user_id;
  update sessions set amr = array_remove(amr, 'mfa') where user_id = old.user_id and 'mfa' = any (amr);
  update grants set amr = array_remove(amr, 'mfa') where user_id = old.user_id and 'mfa' = any (amr);
  delete from grants using tenants
    where grants.user_id = old.user_id and tenants.id = grants.tenant_id and tenants.mfa_policy = 'REQUIRED';
  return null;
end
$$;
create trigger forget_second_factor after delete on totp_secrets
  for each row when (old.confirmed_at is not null) execute function forget_second_factor();
create trigger forget_second_factor after delete on passkeys
  for each row execute function forget_second_factor();

-- A link in a mail is for the address it went to: it ends when that is no longer the person's.
create function void_links() returns trigger language plpgsql as $$
begin
  delete from mailed_links where user_id = new.id;
  return null;
end
$$;
create trigger void_links after update on users
  for each row when (new.email is distinct from old.email) execute function void_links();

-- Whoever proves an address that nobody had proven, with a password of their own, begins anew: what somebody else may
-- have laid out under it is gone.
create function begin_anew() returns trigger language plpgsql as $$
declare
  belongings text[] := array[
    'sessions', 'pending_sign_ins', 'mailed_links', 'known_devices', 'consents', 'sso_links', 'sso_attempts',
    'totp_secrets', 'recovery_codes', 'passkeys', 'passkey_challenges'
  ];
  belonging text;
begin
  foreach belonging in array belongings loop
    execute format('delete from %I where user_id = $1', belonging) using new.id;
  end loop;
  return null;
end
$$;
create trigger begin_anew after update on users
  for each row when (
    new.email_verified and not old.email_verified and new.password_hash is distinct from old.password_hash
  )
  execute function begin_anew();

-- Disabling ends half a sign-in as well.
create trigger end_pending after update on users
  for each row when (new.disabled and not old.disabled)
  execute function end_what_hangs_on_it('pending_sign_ins', 'user_id');

-- A tenant that demands a second factor from now on ends what was given without one.
create function demand_second_factor() returns trigger language plpgsql as $$
begin
  delete from grants where tenant_id = new.id and not 'mfa' = any (amr);
  return null;
end
$$;
create trigger demand_second_factor after update on tenants
  for each row when (new.mfa_policy = 'REQUIRED' and old.mfa_policy <> 'REQUIRED')
  execute function demand_second_factor();

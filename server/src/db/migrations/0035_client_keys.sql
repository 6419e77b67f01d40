-- Programs that know migration 0034 go on working.
-- Takes time on clients: every row is checked. There is one row for each client.

-- How a client authenticates: with a secret, with assertions that its private key signs, or, for browsers, not at all.
alter table clients
  add column token_endpoint_auth_method text not null default 'client_secret'
    check (token_endpoint_auth_method in ('none', 'client_secret', 'private_key_jwt')),
  -- Its public keys, or where to fetch them.
  add column jwks jsonb,
  add column jwks_uri text,
  add constraint clients_one_key_source check (jwks is null or jwks_uri is null);

-- Assertions that were used, until they expire: each may be used once.
create table used_assertions (
  -- The hash of the client and the jti.
  hash bytea primary key,
  expires_at timestamptz not null
);
create index used_assertions_expires_at on used_assertions (expires_at);

create trigger announce_changed_authentication after update on clients
  for each row when (new.token_endpoint_auth_method <> old.token_endpoint_auth_method)
  execute function announce_change('client-features');

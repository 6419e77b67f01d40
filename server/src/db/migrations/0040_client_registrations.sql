-- Programs that know migration 0039 go on working.

-- Tokens of operators with which clients may register themselves (RFC 7591 §1.2), by their hashes.
create table registration_tokens (
  id uuid primary key,
  name text not null,
  hash bytea not null unique,
  -- The hosts that the redirect URIs may have; null for any.
  redirect_hosts text[],
  max_uses integer not null check (max_uses > 0),
  uses integer not null default 0 check (uses <= max_uses),
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index registration_tokens_expires_at on registration_tokens (expires_at);

-- What is known only of clients that registered themselves.
create table client_registrations (
  client_id uuid primary key references clients on delete cascade,
  -- The hash of the token with which the client manages its registration (RFC 7592).
  access_token_hash bytea not null,
  -- It registered client_secret_post and not client_secret_basic; both are accepted.
  posts_secret boolean not null,
  -- As in the token that it registered with, which may be deleted by now.
  redirect_hosts text[]
);

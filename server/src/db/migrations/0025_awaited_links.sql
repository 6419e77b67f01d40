-- Programs that know migration 0024 go on working.

-- A browser that waits until the link of a mail, which it has asked for, is followed. Its cookie holds the secret.
create table awaited_links (
  secret_hash bytea primary key,
  purpose text not null check (purpose in ('verify-email', 'reset-password')),
  -- Null if the browser must not learn whether the address has an account.
  user_id uuid references users on delete cascade,
  -- The password that was chosen in this browser. While it is the password of the account, the browser may sign in.
  password_hash text,
  -- The address, the names and the login transaction, encrypted.
  sealed bytea not null,
  mailed_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index awaited_links_user_id on awaited_links (user_id);
create index awaited_links_expires_at on awaited_links (expires_at);

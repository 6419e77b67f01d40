-- Programs that know migration 0028 go on working.

-- Whether people may sign in with a code that is mailed to them.
alter table applications add column email_codes boolean not null default false;
alter table tenants add column email_codes boolean not null default false;

-- Mailed codes, each for the browser that asked for it. The hash of the code includes the secret of the browser, which is
-- stored nowhere, so that the six digits cannot be guessed from the row. An address without an account gets a row too, so
-- that every request costs the same; its user_id stays null.
create table sign_in_codes (
  browser_hash bytea primary key,
  code_hash bytea not null,
  user_id uuid references users on delete cascade,
  attempts int not null default 0,
  used boolean not null default false,
  expires_at timestamptz not null
);
create index sign_in_codes_user_id on sign_in_codes (user_id);
create index sign_in_codes_expires_at on sign_in_codes (expires_at);

-- A code proves the address that it was mailed to, of the account as it was then.
create trigger end_sign_in_codes after update on users
  for each row when (
    new.email is distinct from old.email
    or new.password_hash is distinct from old.password_hash
    or (new.disabled and not old.disabled)
    or (old.password_sign_in and not new.password_sign_in)
  )
  execute function end_what_hangs_on_it('sign_in_codes', 'user_id');

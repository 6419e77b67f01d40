-- What is true of this installation as a whole, such as "it was filled with the demo world".
create table instance_facts (
  name text primary key,
  created_at timestamptz not null default now()
);

create table users (
  id uuid primary key,
  -- Kept in lower case by the service; the check keeps it so whoever writes.
  email text not null check (email = lower(email) and length(email) between 3 and 254),
  email_verified boolean not null default false,
  display_name text,
  given_name text,
  family_name text,
  -- Null: this person has no password and signs in another way, or not yet.
  password_hash text,
  is_super_admin boolean not null default false,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index users_email_key on users (email);

-- Mail that waits for the mail server, or lies in the demo's mailbox. The content may hold links that open an
-- account, so it is sealed, and a row is deleted once the mail server has taken it.
create table mail_messages (
  id uuid primary key,
  recipient text not null,
  sealed bytea not null,
  created_at timestamptz not null
);
create index mail_messages_created_at on mail_messages (created_at desc, id desc);

-- What people are found by: their address, its domain, and every word of what they are called, in small letters. One
-- range of one index answers for all of it, and holds whatever a list is sorted and narrowed down by, so that the people
-- themselves are looked at only once they are on the page. Whoever was only invited has no account, and is not found.
create table user_terms (
  term text collate "C" not null,
  created_at timestamptz not null,
  user_id uuid not null references users on delete cascade,
  email text not null,
  disabled boolean not null,
  email_verified boolean not null,
  is_super_admin boolean not null,
  leaving boolean not null,
  primary key (term, created_at, user_id) include (email, disabled, email_verified, is_super_admin, leaving)
) with (
  -- An index alone answers for what has been vacuumed, so newcomers should not wait for that.
  autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05
);
create index user_terms_user_id on user_terms (user_id, term);
-- The few of whom something is so that is seldom so, among the many who are called alike.
create index user_terms_unusual on user_terms (term, created_at, user_id)
  include (email, disabled, email_verified, is_super_admin, leaving)
  where disabled or is_super_admin or leaving or not email_verified;

-- A term that another one of the same person begins with finds nothing more, and is left out.
create function terms_of(person users) returns setof user_terms language sql stable as $$
  with said as (
    select person.email collate "C" as term
    union select '@' || split_part(person.email, '@', 2)
    union select left(word, 254)
      from string_to_table(
        lower(normalize(concat_ws(' ', person.display_name, person.given_name, person.family_name), nfkc)), ' '
      ) as word
      where word <> ''
  )
  select term, person.created_at, person.id, person.email, person.disabled, person.email_verified,
    person.is_super_admin, person.deletion_requested_at is not null
  from said
  where (person.password_hash is not null or person.email_verified)
  and not exists (select from said as longer where longer.term <> said.term and starts_with(longer.term, said.term))
$$;

-- How many accounts there are. Each change is a row of its own, so that nobody who signs up waits for another; a job
-- puts them together now and then.
create table user_counts (
  id bigint generated always as identity primary key,
  change bigint not null
);

create function list_users() returns trigger language plpgsql as $$
declare
  changed uuid[];
  change bigint := 0;
begin
  if tg_op = 'INSERT' then
    insert into user_terms select terms.* from come, terms_of(come) as terms;
    change := (select count(*) from come where password_hash is not null or email_verified);
  elsif tg_op = 'DELETE' then
    change := -(select count(*) from gone where password_hash is not null or email_verified);
  else
    changed := array(
      select id from gone join come using (id)
      where (gone.email, gone.display_name, gone.given_name, gone.family_name, gone.disabled, gone.email_verified,
          gone.is_super_admin, gone.deletion_requested_at is null, gone.password_hash is null)
        is distinct from
        (come.email, come.display_name, come.given_name, come.family_name, come.disabled, come.email_verified,
          come.is_super_admin, come.deletion_requested_at is null, come.password_hash is null)
    );
    if changed <> '{}' then
      delete from user_terms where user_id = any (changed);
      insert into user_terms select terms.* from come, terms_of(come) as terms where id = any (changed);
      change := (select count(*) from come where password_hash is not null or email_verified)
        - (select count(*) from gone where password_hash is not null or email_verified);
    end if;
  end if;
  if change <> 0 then insert into user_counts (change) values (change); end if;
  return null;
end
$$;
create trigger list_come after insert on users
  referencing new table as come for each statement execute function list_users();
create trigger list_changed after update on users
  referencing old table as gone new table as come for each statement execute function list_users();
create trigger list_gone after delete on users
  referencing old table as gone for each statement execute function list_users();

insert into user_terms select terms.* from users, terms_of(users) as terms;
insert into user_counts (change) select count(*) from users where password_hash is not null or email_verified;

-- Lists of accounts, by the ways they are asked for, and of the few of whom something is so that is seldom so.
create index users_list on users (created_at, id) where password_hash is not null or email_verified;
create index users_by_email on users (email, id) where password_hash is not null or email_verified;
create index users_super_admins on users (created_at, id) where is_super_admin;
create index users_disabled_list on users (created_at, id) where disabled;
create index users_unverified on users (created_at, id) where password_hash is not null and not email_verified;
create index users_leaving on users (created_at, id) where deletion_requested_at is not null;

-- Somebody can always look after the instance, if anybody ever could.
create function keep_a_super_admin() returns trigger language plpgsql as $$
begin
  -- Of two who go at once, the second sees that the first has gone.
  perform pg_advisory_xact_lock(hashtextextended('latchkey.super_admins', 0));
  if not exists (select from users where is_super_admin and not disabled and deletion_requested_at is null) then
    raise exception 'the instance must keep a Super Admin'
      using errcode = 'check_violation', constraint = 'instance_keeps_a_super_admin';
  end if;
  return null;
end
$$;
create trigger keep_a_super_admin after update on users
  for each row when (
    old.is_super_admin and not old.disabled and old.deletion_requested_at is null
    and (not new.is_super_admin or new.disabled or new.deletion_requested_at is not null)
  )
  execute function keep_a_super_admin();

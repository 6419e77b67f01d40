-- What somebody is found by, a blank before each word: the same as their terms, in one place. Whoever walks along a list of
-- people tells by it who is looked for, and looks nowhere else.
alter table users add column found_by text collate "C" generated always as (
  ' ' || email || ' @' || split_part(email, '@', 2) || ' ' || lower(normalize(
    coalesce(display_name, '') || ' ' || coalesce(given_name, '') || ' ' || coalesce(family_name, ''), nfkc
  ))
) stored;

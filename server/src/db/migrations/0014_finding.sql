-- What somebody is found by, a blank before each word: the same as their terms, in one place. Whoever walks along a list of
-- people tells by it who is looked for, and looks nowhere else.
alter table users add column found_by text collate "C" generated always as (
  ' ' || email || ' @' || split_part(email, '@', 2) || ' ' || lower(normalize(
    coalesce(display_name, '') || ' ' || coalesce(given_name, '') || ' ' || coalesce(family_name, ''), nfkc
  ))
) stored;

-- A row that is changed where it lies touches no index. Sessions are changed with every minute they are used in, refresh
-- tokens once: their pages keep room for that.
alter table sessions set (fillfactor = 85);
alter table refresh_tokens set (fillfactor = 85);

-- Programs that know migration 0041 go on working.
-- They do not know the profile: until they are replaced, they rotate refresh tokens, and accept RS256 and no PKCE.
-- Takes time on clients: every row is checked. There is one row for each client.

-- A set of rules that a client must follow: FAPI2 is the FAPI 2.0 Security Profile.
alter table clients
  add column security_profile text not null default 'NONE' check (security_profile in ('NONE', 'FAPI2'));

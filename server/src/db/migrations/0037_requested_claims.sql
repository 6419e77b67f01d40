-- Programs that know migration 0036 go on working.
-- They leave out the claims that are requested by name.

-- The claims that the client requested by name, for userinfo and for the ID token.
alter table grants add column requested_claims jsonb;

-- Programs that know migration 0030 go on working.
-- But they publish and accept RS256 only, and their `--leaked` withdraws only RS256 keys: change algorithms after all nodes
-- are updated.

-- Keys of every algorithm are in token_keys. Earlier programs know only RS256, so they see only those keys.
alter table signing_keys rename to token_keys;
alter table token_keys add column algorithm text not null default 'RS256';
create view signing_keys as
  select kid, public_jwk, sealed_private_key, created_at, activates_at from token_keys where algorithm = 'RS256';

-- The algorithm of the tokens of an application, and the one that signs while the other has no active key yet.
alter table applications add column signing_algorithm text not null default 'RS256';
alter table applications add column previous_signing_algorithm text;

-- The provider metadata lists the algorithms that applications use.
create trigger announce_algorithm after insert or delete on applications
  for each row execute function announce_change('client-features');
create trigger announce_changed_algorithm after update on applications
  for each row when (
    new.signing_algorithm <> old.signing_algorithm
    or new.previous_signing_algorithm is distinct from old.previous_signing_algorithm
  )
  execute function announce_change('client-features');

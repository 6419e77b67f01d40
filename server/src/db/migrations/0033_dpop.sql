-- Programs that know migration 0032 go on working.
-- They do not check proofs: until they are replaced, they accept bound tokens as bearer tokens.

-- Token requests of the client must have a DPoP proof.
alter table clients add column require_dpop boolean not null default false;

-- The thumbprint of the key that the code and the refresh tokens are bound to.
alter table grants add column dpop_jkt text;

-- Proofs that were used. The hash is of the key and the jti.
create table dpop_proofs (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index dpop_proofs_expires_at on dpop_proofs (expires_at);

-- The provider metadata lists the algorithms of proofs while a client requires them.
create trigger announce_changed_dpop after update on clients
  for each row when (new.require_dpop <> old.require_dpop)
  execute function announce_change('client-features');

-- Programs that know migration 0044 go on working.
-- They do not write or read the new columns, so their protection begins once all nodes are updated.

-- An administrator changed the client or its application. From then on the client may not replace its settings.
alter table client_registrations add column changed_by_operator boolean not null default false;

-- The last use of a refresh token that stays valid; null if it had none.
alter table refresh_tokens add column renewed_at timestamptz;

-- Tokens that the client obtained until then by token exchange are not valid: the client was disabled, lost the
-- permission or changed its credentials. They stay invalid when the client is enabled again.
alter table clients add column exchange_ended_at timestamptz;

create function end_exchanges() returns trigger language plpgsql as $$
begin
  -- The clock of the node that made the change may be ahead.
  new.exchange_ended_at := greatest(clock_timestamp(), new.updated_at);
  return new;
end
$$;
create trigger end_exchanges before update on clients
  for each row when (
    old.token_exchange and (
      not new.token_exchange
      or (new.disabled and not old.disabled)
      or new.token_endpoint_auth_method <> old.token_endpoint_auth_method
      or (old.jwks_uri is not null and new.jwks_uri is distinct from old.jwks_uri)
      -- A key is no longer there. Further keys end nothing.
      or (old.jwks is not null and (new.jwks @> old.jwks) is not true)
    )
  )
  execute function end_exchanges();

create function end_exchanges_of_secret() returns trigger language plpgsql as $$
begin
  update clients set exchange_ended_at = clock_timestamp() where id = old.client_id and token_exchange;
  return null;
end
$$;
create trigger end_exchanges after delete on client_secrets
  for each row execute function end_exchanges_of_secret();

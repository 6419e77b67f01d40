-- Programs that know migration 0047 go on working.

-- The clients of a third-party application may not exchange tokens. What they obtained before stays invalid when the
-- application becomes trusted again.
create function end_exchanges_of_application() returns trigger language plpgsql as $$
begin
  update clients set exchange_ended_at = greatest(clock_timestamp(), new.updated_at)
    where application_id = new.id and token_exchange;
  return null;
end
$$;
create trigger end_exchanges after update on applications
  for each row when (old.trusted and not new.trusted)
  execute function end_exchanges_of_application();

-- Programs that know migration 0022 go on working.

-- How far the audit log was sent to each target of AUDIT_STREAMS. A target that is removed from the configuration keeps
-- its row, so that it continues at the same position when it is configured again.
create table audit_streams (
  name text primary key,
  -- The target has confirmed every event up to this position of the audit chain.
  position bigint not null,
  -- The last position of the batch that is being sent. A repetition sends the same positions.
  batch_end bigint,
  -- The process that is sending, until its lease ends.
  holder uuid,
  locked_until timestamptz,
  -- Failed attempts in a row, the earliest time of the next one, and the reason of the last one.
  failures integer not null default 0,
  retry_at timestamptz,
  last_error text,
  confirmed_at timestamptz,
  created_at timestamptz not null
);

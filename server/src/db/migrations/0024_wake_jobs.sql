-- Programs that know migration 0023 go on working.

-- New positions of the audit chain and new webhook deliveries are announced, so that their jobs need not poll often.
create trigger announce after update on audit_head
  for each row execute function announce_change('audit_head');
create trigger announce after update on webhook_cursor
  for each row execute function announce_change('webhook_cursor');

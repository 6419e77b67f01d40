-- Programs that know migration 0045 go on working.
-- Takes time on logout_deliveries: the new index reads all of them. There is one for each client of a session that ended in the last days.

-- The oldest delivery of each client is a lookup, however many deliveries of a client that does not respond wait.
create index logout_deliveries_queue on logout_deliveries (client_id, due_at) where status = 'PENDING';
drop index logout_deliveries_due;

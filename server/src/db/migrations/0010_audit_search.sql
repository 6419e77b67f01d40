-- To find what one request did, and what came from one address.
create index audit_entries_request_id on audit_entries (request_id) where request_id is not null;
create index audit_entries_ip_address on audit_entries ((personal ->> 'ipAddress'), id) where personal ? 'ipAddress';

-- Both ends of the chain bear proof, under its key, that the service put them where they are: who may only write to the
-- database can neither cut off the end nor pretend that the beginning was too old.
alter table audit_head add column head_proof bytea, add column anchor_proof bytea;

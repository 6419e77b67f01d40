-- Programs that know migration 0035 go on working.
-- Takes time on clients: every row is checked. There is one row for each client.

-- Who registered a client: an administrator, the document at its client id, or the client itself (RFC 7591). A client
-- that no administrator registered has an application of its own, which is not trusted.
alter table clients
  add column origin text not null default 'ADMIN' check (origin in ('ADMIN', 'DOCUMENT', 'REGISTRATION'));
create index clients_origin on clients (origin, created_at) where origin <> 'ADMIN';

-- Clients that no administrator registered may request tokens for the resource.
alter table resources add column allow_dynamic_clients boolean not null default false;

-- Programs that know migration 0033 go on working.
-- They issue tokens for the application instead of the resource, so resources should be registered once all nodes are
-- updated.
-- Takes time on grants: the new column refers to another table, and the new index reads all grants once.

-- APIs of an application for which clients request tokens (RFC 8707). The URI becomes the audience of these tokens.
create table resources (
  id uuid primary key,
  application_id uuid not null references applications on delete cascade,
  name text not null,
  uri text not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index resources_application_id on resources (application_id);

-- Clients of other applications that may request tokens for a resource.
create table resource_clients (
  resource_id uuid not null references resources on delete cascade,
  client_id uuid not null references clients on delete cascade,
  primary key (resource_id, client_id)
);
create index resource_clients_client_id on resource_clients (client_id);

-- A grant for a resource ends with it.
alter table grants add column resource_id uuid references resources on delete cascade;
create index grants_resource_id on grants (resource_id) where resource_id is not null;

create trigger announce after update or delete on resources
  for each row execute function announce_change('resource', 'id');
create trigger announce after insert or delete on resource_clients
  for each row execute function announce_change('resource', 'resource_id');

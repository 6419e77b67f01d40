-- To find what happened to the seats of an application since a day, however long the ledger of the tenant is.
create index license_ledger_moments on license_ledger (tenant_id, application_id, occurred_at);

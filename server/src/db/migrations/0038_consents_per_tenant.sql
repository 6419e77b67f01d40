-- Programs that know migration 0037 go on working.
-- They do not record the tenants that a grant was in before it switched.

-- A consent can be withdrawn in one tenant. This ends the grants that are in it, and those that have switched to another
-- tenant since, because their access tokens for the first one may not have expired.
alter table grants add column earlier_tenant_ids uuid[];

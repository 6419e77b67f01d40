-- Anybody may found a tenant and give it the name and the logo of another. So its branding is shown on pages before the
-- sign-in only once an operator has approved it.
alter table tenants add column branding_approved boolean not null default false;

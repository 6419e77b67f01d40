-- Programs that know migration 0025 go on working.

-- The edited texts of mails, of the instance and of tenants. A text that is null is the one that the service comes with.
create table mail_templates (
  kind text primary key,
  subject text,
  heading text,
  body text,
  button text,
  updated_at timestamptz not null,
  constraint says_something check (num_nonnulls(subject, heading, body, button) > 0)
);

create table tenant_mail_templates (
  tenant_id uuid not null references tenants on delete cascade,
  kind text not null,
  subject text,
  heading text,
  body text,
  button text,
  updated_at timestamptz not null,
  primary key (tenant_id, kind),
  constraint says_something check (num_nonnulls(subject, heading, body, button) > 0)
);

alter table tenant_mail_templates enable row level security;
alter table tenant_mail_templates force row level security;
create policy wall on tenant_mail_templates using (
  (select coalesce(current_setting('latchkey.tenant', true), '')) = ''
  or tenant_id = (select nullif(current_setting('latchkey.tenant', true), '')::uuid)
);

-- Programs that know migration 0049 go on working.

-- The language of hosted pages and mails of the tenant, as a language tag, for people who have not chosen one.
-- Null: there is none. Which tags are supported is known to the program.
alter table tenants add column language text;

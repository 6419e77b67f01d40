-- Programs that know migration 0050 go on working.

-- When the mail with the link was sent, so that a page can say when another one may be asked for. Null: before this
-- migration, or by a program that does not know it.
alter table mailed_links add column mailed_at timestamptz;

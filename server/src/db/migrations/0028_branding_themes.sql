-- Programs that know migration 0027 go on working.

-- Takes time on brandings: every row is checked. There is one row for each branded application or tenant.

-- One of the ready looks of the hosted pages; null: the default.
alter table brandings add column theme text check (theme in ('classic', 'soft', 'crisp'));

alter table brandings drop constraint says_something;
alter table brandings add constraint says_something check (num_nonnulls(display_name, color, theme, logo) > 0);

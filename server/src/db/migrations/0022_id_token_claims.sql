-- Programs that know migration 0021 go on working.

-- Whether the ID tokens of a client have the profile and email claims of userinfo.
alter table clients add column userinfo_in_id_token boolean not null default true;

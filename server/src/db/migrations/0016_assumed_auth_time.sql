-- When somebody signed in, if a provider did not say and it was taken to be the moment they came: that is enough for no
-- application that wants to know.
alter table sessions add column auth_time_assumed boolean not null default false;
alter table pending_sign_ins add column auth_time_assumed boolean not null default false;

-- Of those who came through a provider before, it is not known any more whether it said so.
update sessions set auth_time_assumed = true where 'fed' = any(amr);
update pending_sign_ins set auth_time_assumed = true where 'fed' = any(amr);

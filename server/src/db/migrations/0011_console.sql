-- What the service brings along itself. Operators neither see nor change it.
alter table applications add column built_in boolean not null default false;

-- The console signs people in like any other application. Its addresses follow the address of the service, so none
-- stand here.
insert into applications (id, slug, name, trusted, licensing_mode, built_in, created_at, updated_at)
  values ('019a8000-0000-7000-8000-000000000001', 'latchkey-console', 'Latchkey', true, 'FREE', true, now(), now());
insert into clients (
  id, client_id, application_id, kind, name, redirect_uris, post_logout_redirect_uris, allowed_origins, scopes,
  require_nonce, pkce_methods, disabled, created_at, updated_at
) values (
  '019a8000-0000-7000-8000-000000000002', 'latchkey-console', '019a8000-0000-7000-8000-000000000001', 'SPA',
  'Latchkey console', '{}', '{}', '{}', '{openid,profile,email,offline_access}', true, '{S256}', false, now(), now()
);

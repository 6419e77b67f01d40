import type pg from 'pg'
import { APPLICATION, REDIRECT_URI, TENANT, WEB_CLIENT } from './seed.ts'

/** Fills a database with triggers disabled, because they would run a million times, and writes their results in bulk. */
export async function fill(client: pg.Client, size: number, log: (line: string) => void): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query("set work_mem = '256MB'")
  await client.query("set maintenance_work_mem = '512MB'")
  // After a crash the database is filled again.
  await client.query('set synchronous_commit = off')
  await client.query(ID_AT)
  await client.query(PEOPLE, [size])
  await client.query('analyze people')
  const createIndexes = await dropIndexes(client)
  for (const [step, statements] of Object.entries(STEPS)) {
    log(`  ${step}`)
    for (const statement of statements) await client.query(statement)
  }
  log('  indexes')
  for (const statement of createIndexes) await client.query(statement)
  await client.query('drop table people')
  await client.query('vacuum analyze')
  await client.query('checkpoint')
}

/** Drops indexes, which are built faster after the inserts. Returns the statements that create them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any ($1::regclass[])
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [FILLED_TABLES],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  // For a partitioned table, `ON ONLY` would leave out the partitions.
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}

const FILLED_TABLES = [
  'users',
  'user_terms',
  'memberships',
  'seats',
  'license_ledger',
  'sessions',
  'grants',
  'refresh_tokens',
]

/** UUIDv7 identifiers, as the service creates them. */
const ID_AT = `
  create function pg_temp.id_at(at timestamptz) returns uuid language sql volatile as $$
    select (left(ms, 8) || '-' || right(ms, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid
    from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as ms) as moment
  $$`

/** The number of users named Clara Schulenberg at every size, so that a search for the name fills a page. */
const NAMESAKES = 30

/**
 * 20 given names and about 15,000 family names, at three large companies and many small ones. One user every three
 * minutes.
 */
const PEOPLE = `
  create temporary table people as
  select i, pg_temp.id_at(at) as id, at, not is_clara and i % 997 = 0 as disabled,
    case when is_clara then 'Clara' else given end as given,
    case when is_clara then 'Schulenberg' else family end as family,
    case when is_clara then 'mail.test' else domain end as domain
  from (
    select i, i % ($1::bigint / ${NAMESAKES}) = 1 as is_clara,
      date_trunc('second', now()) - ($1::bigint - i + 1) * interval '3 minutes' as at,
      (array['Anna','Ben','Clara','David','Emma','Felix','Greta','Hugo','Ida','Jonas','Karla','Lukas','Mia','Noah',
        'Olga','Paul','Rosa','Simon','Tina','Viktor'])[1 + abs(hashint8(i)) % 20] as given,
      (array['Ab','Be','Chr','Do','Ei','Fr','Ga','Ha','In','Ju','Ka','Le','Mo','Nie','Ot','Pe','Ra','Schu','Te','Ul',
        'Vo','Wei','Zie','Bra','Gro','Kle','Ste','Tra','Hol','Lin'])[1 + abs(hashint8(i + 7)) % 30]
        || (array['ber','den','fel','gen','hau','ken','len','mer','nel','per','ren','sen','ter','val','wal','zel','der',
        'gel','kel','mel','ner','sel','tel','wen','bel'])[1 + abs(hashint8(i + 77)) % 25]
        || (array['mann','berg','stein','feld','bach','thal','dorf','meier','bauer','hoff','hagen','burg','wald','huber',
        'kamp','rath','horn','brück','lach','au'])[1 + abs(hashint8(i + 777)) % 20] as family,
      case abs(hashint8(i + 7777)) % 10 when 0 then 'mail.test' when 1 then 'company.test' when 2 then 'works.test'
        else 'firm' || i % 5000 || '.test' end as domain
    from generate_series(1, $1::bigint) as i
  ) as moments`

const USERS = [
  `insert into users (id, email, email_verified, given_name, family_name, password_hash, is_super_admin, disabled,
    created_at, updated_at)
   select id, lower(given) || '.' || replace(lower(family), 'ü', 'ue') || i || '@' || domain, i % 50 <> 0, given,
    family, 'x', false, disabled, at, at
   from people order by i`,
  `insert into user_terms select terms.* from people join users using (id), terms_of(users) as terms
   order by terms.term, terms.created_at, terms.user_id`,
  'insert into user_counts (change) select count(*) from people',
]

/** All users are members of the large tenant. One in ten is also in a small tenant with 20 members. */
const MEMBERS = [
  `insert into tenants (id, slug, name, name_key, created_at, updated_at)
   select pg_temp.id_at(at), 'firm-' || i, 'Firm ' || i, 'firm ' || i, at, at from people where i % 200 = 1 order by i`,
  `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
   select pg_temp.id_at(at), (select id from tenants where slug = '${TENANT}'), id, 'member', 'ACTIVE', at, at, at
   from people order by i`,
  `insert into memberships (id, tenant_id, user_id, role, status, joined_at, created_at, updated_at)
   select pg_temp.id_at(at), tenants.id, people.id, case i % 200 when 1 then 'owner' else 'member' end, 'ACTIVE', at, at,
    at
   from people join tenants on slug = 'firm-' || i - (i - 1) % 200
   where (i - 1) % 200 < 20 order by i`,
  'delete from member_counts',
  `insert into member_counts (tenant_id, status, role, count)
   select tenant_id, status, role, count(*) from memberships group by tenant_id, status, role`,
]

/** Seats for enabled users: nine in ten members of the large tenant, and 15 members of each small one. */
const SEATS = [
  `insert into subscriptions (id, tenant_id, application_id, license_type_id, quantity_purchased, status,
    current_period_start, created_at, updated_at)
   select pg_temp.id_at(tenants.created_at), tenants.id, types.application_id, types.id, 20, 'ACTIVE', tenants.created_at,
    tenants.created_at, tenants.created_at
   from tenants, license_types as types join applications on applications.id = types.application_id
   where tenants.slug like 'firm-%' and applications.slug = '${APPLICATION}'`,
  `insert into seats (id, tenant_id, user_id, application_id, license_type_id, subscription_id, status, assigned_at)
   select pg_temp.id_at(people.at), subscriptions.tenant_id, people.id, application_id, license_type_id, subscriptions.id,
    'ASSIGNED', people.at
   from people join memberships on memberships.user_id = people.id
   join tenants on tenants.id = memberships.tenant_id
   join subscriptions on subscriptions.tenant_id = memberships.tenant_id
   where not people.disabled and case when slug = '${TENANT}' then i % 10 <> 0 else (i - 1) % 200 < 15 end
   order by i`,
  `update subscriptions set quantity_assigned = held.count
   from (select subscription_id, count(*) from seats group by subscription_id) as held
   where held.subscription_id = subscriptions.id`,
]

const LEDGER = [
  `insert into license_ledger (tenant_id, sequence, occurred_at, reason, subject, subject_id, application_id, after)
   select tenant_id, 1, created_at, 'SUBSCRIBED', 'subscription', id, application_id, jsonb_build_object(
    'licenseTypeId', license_type_id, 'quantityPurchased', quantity_purchased, 'status', status,
    'currentPeriodStart', moment(current_period_start), 'currentPeriodEnd', moment(current_period_end))
   from subscriptions where tenant_id not in (select tenant_id from license_revisions)`,
  `insert into license_ledger
    (tenant_id, sequence, occurred_at, reason, subject, subject_id, user_id, application_id, after)
   select tenant_id, 1 + row_number() over (partition by tenant_id order by assigned_at), assigned_at, 'GRANTED', 'seat',
    id, user_id, application_id, jsonb_build_object('status', status, 'licenseTypeId', license_type_id,
    'subscriptionId', subscription_id, 'assignedAt', moment(assigned_at))
   from seats order by tenant_id, assigned_at`,
  'delete from license_revisions',
  'insert into license_revisions select tenant_id, max(sequence) from license_ledger group by tenant_id',
]

const RANDOM_HASH = 'sha256(uuid_send(gen_random_uuid()))'

/** Each enabled user has one session and one refresh token. */
const TOKENS = [
  `insert into sessions (id, user_id, secret_hash, secret_since, auth_time, amr, user_agent, ip_address, network,
    created_at, last_active_at, cookie_used_at)
   select pg_temp.id_at(now()), id, ${RANDOM_HASH}, now(), now(), '{pwd}', 'Mozilla/5.0', '192.0.2.1', '192.0.2.0/24',
    now(), now(), now()
   from people where not disabled order by i`,
  `insert into grants (id, session_id, user_id, client_id, tenant_id, scopes, auth_time, amr, code_hash, code_expires_at,
    code_used_at, redirect_uri, created_at, expires_at)
   select pg_temp.id_at(now()), sessions.id, user_id, clients.id, tenants.id, '{openid,profile,email,offline_access}',
    auth_time, amr, ${RANDOM_HASH}, now(), now(), '${REDIRECT_URI}', now(), now() + interval '90 days'
   from sessions, clients, tenants where clients.client_id = '${WEB_CLIENT}' and tenants.slug = '${TENANT}'`,
  `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
   select ${RANDOM_HASH} as hash, id, now(), now() + interval '30 days' from grants order by hash`,
]

const STEPS = { people: USERS, members: MEMBERS, seats: SEATS, ledger: LEDGER, 'sessions and tokens': TOKENS }

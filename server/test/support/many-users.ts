import pg from 'pg'
import { inject } from 'vitest'
import { adminOf, TEMPLATES } from './database.ts'
import type { TestService } from './service.ts'
import { startDemoService } from './world.ts'

/** Runs work as superuser in the database of a service. */
export async function asSuperuser<T>({ connection }: TestService, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: connection.name })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** The demo data and `size` additional users. Each size is built once as a template and then copied. */
export async function startWithManyUsers(size: number): Promise<TestService> {
  const template = `template_crowd_${size}`
  const admin = await adminOf(inject('socketDir'))
  try {
    // Test files may need the same template concurrently.
    await admin.query('select pg_advisory_lock($1)', [size])
    const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
    if (rowCount === 0) await createCrowd(admin, { template, size })
  } finally {
    await admin.end()
  }
  return startDemoService({ template })
}

async function createCrowd(admin: pg.Client, { template, size }: { template: string; size: number }) {
  const unfinished = `${template}_unfinished`
  await admin.query(`drop database if exists ${unfinished}`)
  await admin.query(`create database ${unfinished} owner latchkey template ${TEMPLATES.demo}`)
  const client = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: unfinished })
  await client.connect()
  await fillWithPeople(client, size)
  await client.end()
  await admin.query(`alter database ${unfinished} rename to ${template}`)
}

/**
 * Inserts users without triggers, and then the rows that the triggers would have inserted. Every twentieth is called
 * Clara, every hundredth Wanda, every thousandth Xaver; the oldest tenth has addresses of another domain.
 */
async function fillWithPeople(client: pg.Client, size: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  // VACUUM marks pages as all-visible only after the commit is flushed, and index-only scans need that.
  await client.query('set synchronous_commit = on')
  await client.query(
    `insert into users (id, email, email_verified, given_name, family_name, password_hash, is_super_admin, disabled,
       created_at, updated_at)
     select gen_random_uuid(), lower(given) || i || '@' || case when i <= $1 / 10 then 'old' else 'new' end || '.test',
       true, given, 'Family' || i % 977, 'x', false, i % 997 = 0, at, at
     from (
       select i, timestamptz '2020-01-01' + i * interval '1 minute' as at,
         case when i % 1000 = 1 then 'Xaver' when i % 100 = 2 then 'Wanda' when i % 20 = 3 then 'Clara' else 'Ben' end
           as given
       from generate_series(1, $1::bigint) as i
     ) as people`,
    [size],
  )
  await client.query(
    "insert into user_terms select terms.* from users, terms_of(users) as terms where password_hash = 'x'",
  )
  await client.query('insert into user_counts (change) values ($1)', [size])
  for (const table of ['users', 'user_terms']) await client.query(`vacuum analyze ${table}`)
}

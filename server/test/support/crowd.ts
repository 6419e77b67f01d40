import pg from 'pg'
import { inject } from 'vitest'
import type { TestService } from './service.ts'

/** As somebody who owns the server, in the database of a service. */
export async function asOwner<T>(
  { connection }: TestService,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ host: inject('socketDir'), user: 'postgres', database: connection.name })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/**
 * Fills a database with people, past the triggers that would tell of each, and does their work at once. Every twentieth
 * is called Clara, every hundredth Wanda, every thousandth Xaver; the eldest tenth has addresses of one firm.
 */
export const fillWithPeople = (service: TestService, size: number): Promise<void> =>
  asOwner(service, async (client) => {
    await client.query('set session_replication_role = replica')
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
  })

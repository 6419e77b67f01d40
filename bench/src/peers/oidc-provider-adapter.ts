import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'

/** One table for all models, like the SQL adapters in the examples of oidc-provider. */
const SCHEMA = `
  create table oidc_payloads (
    model text not null,
    id text not null,
    payload jsonb not null,
    grant_id text,
    user_code text,
    uid text,
    consumed_at timestamptz,
    expires_at timestamptz,
    primary key (model, id)
  );
  create index on oidc_payloads (grant_id) where grant_id is not null;
  create unique index on oidc_payloads (model, user_code) where user_code is not null;
  create unique index on oidc_payloads (model, uid) where uid is not null;
  create index on oidc_payloads (expires_at);`

const UPSERT = `
  insert into oidc_payloads (model, id, payload, grant_id, user_code, uid, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
  on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
    user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`

const selectBy = (column: string) => `
  select payload, consumed_at from oidc_payloads
  where model = $1 and ${column} = $2 and (expires_at is null or expires_at > now())`

/** Named, so that the database prepares each statement once per connection. */
const STATEMENTS = {
  upsert: UPSERT,
  find: selectBy('id'),
  findByUid: selectBy('uid'),
  findByUserCode: selectBy('user_code'),
  consume: 'update oidc_payloads set consumed_at = now() where model = $1 and id = $2',
  destroy: 'delete from oidc_payloads where model = $1 and id = $2',
  revokeByGrantId: 'delete from oidc_payloads where model = $1 and grant_id = $2',
}

interface PayloadRow {
  payload: AdapterPayload
  consumed_at: Date | null
}

export async function createPayloadTable(pool: pg.Pool): Promise<void> {
  await pool.query(SCHEMA)
}

/** The adapter factory: oidc-provider creates one adapter per model. */
export const createAdapterFactory =
  (pool: pg.Pool) =>
  (model: string): Adapter => {
    const run = (name: keyof typeof STATEMENTS, ...values: unknown[]) =>
      pool.query<PayloadRow>({ name, text: STATEMENTS[name], values: [model, ...values] })

    const findBy = async (name: 'find' | 'findByUid' | 'findByUserCode', value: string) => {
      const [row] = (await run(name, value)).rows
      if (!row) return undefined
      return row.consumed_at ? { ...row.payload, consumed: true } : row.payload
    }

    return {
      async upsert(id, payload, expiresIn) {
        const { grantId, userCode, uid } = payload
        await run('upsert', id, JSON.stringify(payload), grantId, userCode, uid, expiresIn ?? null)
      },
      find: (id) => findBy('find', id),
      findByUid: (uid) => findBy('findByUid', uid),
      findByUserCode: (userCode) => findBy('findByUserCode', userCode),
      async consume(id) {
        await run('consume', id)
      },
      async destroy(id) {
        await run('destroy', id)
      },
      async revokeByGrantId(grantId) {
        await run('revokeByGrantId', grantId)
      },
    }
  }

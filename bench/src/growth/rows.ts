import { createHash, randomBytes } from 'node:crypto'
import type { GrowthPlan } from './plan.ts'
import { basic, WEB } from './seed.ts'
import { FORM_BODY, type Target } from './target.ts'

/** Requests of applications: license checks, seats and tokens. */

const LICENSES = '/api/integration/licenses'
/** More users than a measurement has requests. */
const COLD_USERS = 10_000
/** Users whose licenses stay in the cache, and whose tokens are refreshed in turn. */
const WARM_USERS = 100
/** Higher than any revision: the cache cannot answer, so the service queries the database. */
const FUTURE_REVISION = '999999999999'
const MAX_RATIO = 1.3

/** Cycles through the values. */
function cycle<T>(values: T[]): () => T {
  let next = 0
  return () => {
    const value = values[next++ % values.length]
    if (value === undefined) throw new Error('There are no values to cycle through.')
    return value
  }
}

const listSeatHolders = async ({ find, tenantId }: Target, count: number): Promise<string[]> => {
  const rows = await find<{ user_id: string }>(
    'select user_id from seats where tenant_id = $1 order by random() limit $2',
    [tenantId, count],
  )
  return rows.map(({ user_id }) => user_id)
}

async function checkLicenses(target: Target, count: number, minRevision: string) {
  const { request, as, applicationId } = target
  const next = cycle(await listSeatHolders(target, count))
  return {
    async run() {
      const query = new URLSearchParams({ userId: next(), applicationId, featureKey: 'reports', minRevision })
      const body = await request({ method: 'GET', path: `${LICENSES}/feature?${query}`, headers: as.machine })
      if (body !== '{"hasFeature":true}') throw new Error(`no license was found: ${body}`)
    },
  }
}

/** Grants seats to members without one. Undo revokes them. */
async function grantSeats({ request, find, as, tenantId, applicationId, licenseTypeId }: Target) {
  const members = await find<{ user_id: string }>(
    `select memberships.user_id from memberships join users on users.id = memberships.user_id
     left join seats using (tenant_id, user_id)
     where tenant_id = $1 and seats.id is null and not users.disabled and role = 'member'
     order by random() limit $2`,
    [tenantId, COLD_USERS],
  )
  const next = cycle(members.map(({ user_id }) => user_id))
  const headers = { ...as.machine, 'content-type': 'application/json' }
  let userId = ''
  const post = (verb: string, fields: object, status: number) => {
    const body = JSON.stringify({ userId, applicationId, ...fields })
    return request({ method: 'POST', path: `${LICENSES}/${verb}`, headers, body }, status)
  }
  return {
    run() {
      userId = next()
      return post('grant', { licenseTypeId }, 201)
    },
    undo: () => post('revoke', {}, 200),
  }
}

/** Refreshes tokens of random users in turn. */
async function refreshTokens({ request, find }: Target) {
  const tokens = Array.from({ length: WARM_USERS }, () => randomBytes(32).toString('base64url'))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
  const added = await find(
    `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
     select hash, id, now(), now() + interval '30 days' from
       (select id, row_number() over () as position from (select id from grants order by random() limit $2) as picked) as owner
       join unnest($1::bytea[]) with ordinality as token (hash, position) using (position)
     returning hash`,
    [hashes, WARM_USERS],
  )
  // The service updates the last activity at most once a minute. Here it is up to date in every database.
  await find(
    `update sessions set last_active_at = now() from grants join refresh_tokens on refresh_tokens.grant_id = grants.id
     where sessions.id = grants.session_id and refresh_tokens.hash = any ($1::bytea[])`,
    [hashes],
  )
  const inserted = new Set(added.map(({ hash }) => hash.toString('hex')))
  const chains = tokens.filter((_, index) => inserted.has(hashes[index]?.toString('hex'))).map((token) => ({ token }))
  const next = cycle(chains)
  const headers = { ...FORM_BODY, authorization: basic(WEB) }
  return {
    async run() {
      const chain = next()
      const body = String(new URLSearchParams({ grant_type: 'refresh_token', refresh_token: chain.token }))
      const tokens = JSON.parse(await request({ method: 'POST', path: '/api/oauth/token', headers, body }))
      if (!tokens.id_token || !tokens.access_token) throw new Error('a refresh response without tokens')
      chain.token = tokens.refresh_token
    },
  }
}

export const rows: GrowthPlan[] = [
  {
    id: 'growth:license-check-cold',
    name: 'license check, ever different people, answered by the database',
    maxRatio: MAX_RATIO,
    prepare: (target) => checkLicenses(target, COLD_USERS, FUTURE_REVISION),
  },
  {
    id: 'growth:license-check-warm',
    name: 'license check, answered from memory',
    maxRatio: MAX_RATIO,
    prepare: (target) => checkLicenses(target, WARM_USERS, '0'),
  },
  { id: 'growth:seat-grant', name: 'seat grant', maxRatio: MAX_RATIO, prepare: grantSeats },
  { id: 'growth:refresh', name: 'token refresh with ID token', maxRatio: MAX_RATIO, prepare: refreshTokens },
]

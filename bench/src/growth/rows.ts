import { createHash, randomBytes } from 'node:crypto'
import type { GrowthPlan } from './growth.ts'
import { FORM_BODY, type Place } from './place.ts'
import { basic, WEB } from './world.ts'

/** What applications ask for: licences, seats and tokens. */

const AT = '/api/integration/licenses'
/** As many people are asked about as a measurement comes to. */
const MANY = 10_000
/** Who is remembered, and whose tokens are renewed one after the other. */
const SOME = 100
/** Further than any ledger has come: what is remembered will not do, and the database is asked. */
const BEYOND = '999999999999'
const MOST = 1.3

/** One after the other, and again from the beginning. */
function inTurn<T>(values: T[]): () => T {
  let next = 0
  return () => {
    const value = values[next++ % values.length]
    if (value === undefined) throw new Error('There is nobody to ask about.')
    return value
  }
}

/** Somebody with a seat, ever different. */
const findHolders = async ({ find, tenantId }: Place, count: number): Promise<string[]> => {
  const rows = await find<{ user_id: string }>(
    'select user_id from seats where tenant_id = $1 order by random() limit $2',
    [tenantId, count],
  )
  return rows.map(({ user_id }) => user_id)
}

async function askForLicenses(place: Place, count: number, minRevision: string) {
  const { ask, as, applicationId } = place
  const next = inTurn(await findHolders(place, count))
  return {
    async ask() {
      const query = new URLSearchParams({ userId: next(), applicationId, featureKey: 'reports', minRevision })
      const body = await ask({ method: 'GET', path: `${AT}/feature?${query}`, headers: as.machine })
      if (body !== '{"hasFeature":true}') throw new Error(`a licence was not found: ${body}`)
    },
  }
}

/** Members without a seat, each given one and then relieved of it. */
async function grantSeats({ ask, find, as, tenantId, applicationId, licenseTypeId }: Place) {
  const members = await find<{ user_id: string }>(
    `select memberships.user_id from memberships join users on users.id = memberships.user_id
     left join seats using (tenant_id, user_id)
     where tenant_id = $1 and seats.id is null and not users.disabled and role = 'member'
     order by random() limit $2`,
    [tenantId, MANY],
  )
  const next = inTurn(members.map(({ user_id }) => user_id))
  const headers = { ...as.machine, 'content-type': 'application/json' }
  let userId = ''
  const post = (verb: string, more: object, status: number) => {
    const body = JSON.stringify({ userId, applicationId, ...more })
    return ask({ method: 'POST', path: `${AT}/${verb}`, headers, body }, status)
  }
  return {
    ask() {
      userId = next()
      return post('grant', { licenseTypeId }, 201)
    },
    undo: () => post('revoke', {}, 200),
  }
}

/** Refresh tokens of people here and there, each renewed again and again. */
async function refreshTokens({ ask, find }: Place) {
  const tokens = Array.from({ length: SOME }, () => randomBytes(32).toString('base64url'))
  const hashes = tokens.map((token) => createHash('sha256').update(token).digest())
  const added = await find(
    `insert into refresh_tokens (hash, grant_id, created_at, expires_at)
     select hash, id, now(), now() + interval '30 days' from
       (select id, row_number() over () as place from (select id from grants order by random() limit $2) as picked) as owner
       join unnest($1::bytea[]) with ordinality as token (hash, place) using (place)
     returning hash`,
    [hashes, SOME],
  )
  // That somebody is active is written down once a minute; here it just was, on every database alike.
  await find(
    `update sessions set last_active_at = now() from grants join refresh_tokens on refresh_tokens.grant_id = grants.id
     where sessions.id = grants.session_id and refresh_tokens.hash = any ($1::bytea[])`,
    [hashes],
  )
  const known = new Set(added.map(({ hash }) => hash.toString('hex')))
  const chains = tokens
    .filter((_, index) => known.has(hashes[index]?.toString('hex')))
    .map((token) => ({ token }))
  const next = inTurn(chains)
  const headers = { ...FORM_BODY, authorization: basic(WEB) }
  return {
    async ask() {
      const chain = next()
      const body = String(new URLSearchParams({ grant_type: 'refresh_token', refresh_token: chain.token }))
      const answer = JSON.parse(await ask({ method: 'POST', path: '/api/oauth/token', headers, body }))
      if (!answer.id_token || !answer.access_token) throw new Error('a refresh without its tokens')
      chain.token = answer.refresh_token
    },
  }
}

export const rows: GrowthPlan[] = [
  {
    id: 'growth:license-check-cold',
    name: 'licence check, ever different people, answered by the database',
    most: MOST,
    prepare: (place) => askForLicenses(place, MANY, BEYOND),
  },
  {
    id: 'growth:license-check-warm',
    name: 'licence check, answered from memory',
    most: MOST,
    prepare: (place) => askForLicenses(place, SOME, '0'),
  },
  { id: 'growth:seat-grant', name: 'seat grant', most: MOST, prepare: grantSeats },
  { id: 'growth:refresh', name: 'token refresh with ID token', most: MOST, prepare: refreshTokens },
]

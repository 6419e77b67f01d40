import { listSignInsByDay } from '../audit/sign-ins.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { inSnapshot } from '../db/snapshot.ts'
import { describeSigningKeys } from '../keys/signing-keys.ts'
import { DEFAULT_ALGORITHM } from '../lib/signer.ts'
import { VERSION } from '../lib/version.ts'
import { getSeatTotals } from '../licensing/holdings/service.ts'
import type { Overview } from './schema.ts'
import { countBacklog, countObjects } from './store.ts'

/** The overview of the instance for operators, read in one snapshot. No query scans a large table. */

const DAYS = 14
const DAY_MS = 86_400_000

export const getOverview = (ctx: Ctx): Promise<Overview> =>
  inSnapshot(ctx.db, async (tx) => {
    const { users, disabled, deletionRequested, tenants, suspended, ...rest } = await countObjects(tx)
    return {
      version: VERSION,
      tokenLifetimes: toTokenLifetimes(ctx),
      users: { total: users, disabled, deletionRequested },
      tenants: { total: tenants, suspended },
      ...rest,
      signIns: await listSignInsByDay(ctx, tx, DAYS),
      seats: await getSeatTotals(ctx, tx),
      health: await getHealth(ctx, tx),
    }
  })

const toTokenLifetimes = ({ config: { lifetimes } }: Ctx): Overview['tokenLifetimes'] => ({
  accessTokenTtl: lifetimes.accessToken,
  idTokenTtl: lifetimes.idToken,
  refreshTokenIdleTtl: lifetimes.refreshTokenIdle,
  refreshTokenTtl: lifetimes.refreshToken,
})

async function getHealth(ctx: Ctx, db: Db): Promise<Overview['health']> {
  const { mailWaiting, ...backlog } = await countBacklog(db)
  return {
    // The queries above would have failed without the database.
    database: 'ok',
    // With the built-in mailbox, mail is only stored and never sent.
    mailWaiting: ctx.config.mail.mailbox ? 0 : mailWaiting,
    ...backlog,
    signingKey: await findSigningKey(ctx, db),
  }
}

async function findSigningKey({ now }: Ctx, db: Db): Promise<Overview['health']['signingKey']> {
  const keys = await describeSigningKeys({ db, now })
  const signing = keys.find(({ state, algorithm }) => state === 'signing' && algorithm === DEFAULT_ALGORITHM)
  if (!signing) return null
  const ageMs = now().getTime() - signing.createdAt.getTime()
  return { kid: signing.kid, ageDays: Math.max(0, Math.floor(ageMs / DAY_MS)) }
}

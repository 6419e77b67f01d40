import { signInsByDay } from '../audit/sign-ins.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import { startReading } from '../db/reading.ts'
import { describeSigningKeys } from '../keys/signing-keys.ts'
import { VERSION } from '../lib/version.ts'
import { seatsOfAll } from '../licensing/holdings/service.ts'
import type { Overview } from './schema.ts'
import { countEverything, countWaiting } from './store.ts'

/** The whole instance at a glance, for whoever runs it. All of it is of one moment, and none of it reads what is large. */

const DAYS = 14
const DAY_MS = 86_400_000

export const overviewOf = (ctx: Ctx): Promise<Overview> =>
  startReading(ctx.db, async (tx) => {
    const { users, disabled, deletionRequested, tenants, suspended, ...rest } = await countEverything(tx)
    return {
      version: VERSION,
      tokenLifetimes: lifetimesOf(ctx),
      users: { total: users, disabled, deletionRequested },
      tenants: { total: tenants, suspended },
      ...rest,
      signIns: await signInsByDay(ctx, tx, DAYS),
      seats: await seatsOfAll(ctx, tx),
      health: await healthOf(ctx, tx),
    }
  })

const lifetimesOf = ({ config: { lifetimes } }: Ctx): Overview['tokenLifetimes'] => ({
  accessTokenTtl: lifetimes.accessToken,
  idTokenTtl: lifetimes.idToken,
  refreshTokenIdleTtl: lifetimes.refreshTokenIdle,
  refreshTokenTtl: lifetimes.refreshToken,
})

async function healthOf(ctx: Ctx, db: Db): Promise<Overview['health']> {
  const { mailWaiting, ...waiting } = await countWaiting(db)
  return {
    // Whoever has come this far has been answered by it.
    database: 'ok',
    // Mail that is kept to be looked at waits for nothing.
    mailWaiting: ctx.config.mail.mailbox ? 0 : mailWaiting,
    ...waiting,
    signingKey: await signingKeyOf(ctx, db),
  }
}

async function signingKeyOf({ now }: Ctx, db: Db): Promise<Overview['health']['signingKey']> {
  const keys = await describeSigningKeys({ db, now })
  const signing = keys.find(({ state }) => state === 'signing')
  if (!signing) return null
  const age = now().getTime() - signing.createdAt.getTime()
  return { kid: signing.kid, ageDays: Math.max(0, Math.floor(age / DAY_MS)) }
}

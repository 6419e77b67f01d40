import type { FastifyRequest } from 'fastify'
import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import {
  type Alive,
  countLivingSessions,
  deleteSessionOf,
  deleteSessionsBeside,
  listLivingSessions,
} from './overview/store.ts'
import { deletePendingOfUser } from './store.ts'

/** A person looks over where they are signed in. */

/** Somebody, the session they ask with, and the request in which they do. */
interface Asking {
  userId: string
  sessionId: string
  request: FastifyRequest
}

export const listSessionsOf = (ctx: Ctx, { userId, sessionId }: Omit<Asking, 'request'>) =>
  listLivingSessions(ctx.db, { userId, current: sessionId, alive: aliveNow(ctx) })

function aliveNow({ config, now }: Ctx): Alive {
  const { sessionIdle, session } = config.lifetimes
  const at = now()
  const ago = (seconds: number) => new Date(at.getTime() - seconds * 1000)
  return { usedAfter: ago(sessionIdle), startedAfter: ago(session), now: at }
}

/** Ends one session of a person and every token that came from it, be it the one they ask with. */
export async function endSessionOf(ctx: Ctx, { userId, request }: Asking, id: string): Promise<void> {
  if (!isId(id)) throw new AppError('SESSION_NOT_FOUND')
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteSessionOf(tx, { userId, id }))) throw new AppError('SESSION_NOT_FOUND')
    await record(ctx, tx, {
      action: 'session.ended',
      actor: person(userId),
      userId,
      request,
      details: { sessionId: id },
    })
  })
  await ctx.changes.settle()
}

/** Ends every session of a person but the one they ask with. Says how many that were. */
export async function endOtherSessions(ctx: Ctx, { userId, sessionId, request }: Asking): Promise<number> {
  const count = await ctx.db.transaction().execute(async (tx) => {
    const count = await deleteSessionsBeside(tx, { userId, kept: sessionId, alive: aliveNow(ctx) })
    const entry = { actor: person(userId), userId, request, details: { count } }
    if (count > 0) await record(ctx, tx, { action: 'session.others_ended', ...entry })
    return count
  })
  await ctx.changes.settle()
  return count
}

/** On how many devices somebody is signed in. */
export const countSessionsOf = (ctx: Ctx, db: Db, userId: string): Promise<number> =>
  countLivingSessions(db, { userId, alive: aliveNow(ctx) })

/** Ends every session of somebody, and every half sign-in. Says how many sessions were alive. */
export async function endAllSessionsOf(ctx: Ctx, tx: Tx, userId: string): Promise<number> {
  await deletePendingOfUser(tx, userId)
  return deleteSessionsBeside(tx, { userId, alive: aliveNow(ctx) })
}

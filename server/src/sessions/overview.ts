import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import type { Db, Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { isId } from '../lib/ids.ts'
import {
  type ActivityBounds,
  countActiveSessions,
  deleteOtherSessions,
  deleteOwnSession,
  listActiveSessions,
} from './overview-store.ts'
import { deletePendingOfUser } from './store.ts'

/** The user of a request and their session. */
interface SessionOwner {
  userId: string
  sessionId: string
  request: FastifyRequest
}

export const listUserSessions = (ctx: Ctx, { userId, sessionId }: Omit<SessionOwner, 'request'>) =>
  listActiveSessions(ctx.db, { userId, current: sessionId, bounds: activityBounds(ctx) })

function activityBounds({ config, now }: Ctx): ActivityBounds {
  const { sessionIdle, session } = config.lifetimes
  const at = now()
  const secondsAgo = (seconds: number) => new Date(at.getTime() - seconds * 1000)
  return { usedAfter: secondsAgo(sessionIdle), startedAfter: secondsAgo(session), now: at }
}

/** Ends a session of the user, which may be the current one, and every token issued from it. */
export async function endUserSession(ctx: Ctx, { userId, request }: SessionOwner, id: string): Promise<void> {
  if (!isId(id)) throw new AppError('SESSION_NOT_FOUND')
  await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      if (!(await deleteOwnSession(tx, { userId, id }))) throw new AppError('SESSION_NOT_FOUND')
      await recordAuditEvent(ctx, tx, {
        action: 'session.ended',
        actor: userActor(userId),
        userId,
        request,
        details: { sessionId: id },
      })
    }),
  )
  await ctx.changes.waitUntilCurrent()
}

/** Ends all other sessions of the user and returns how many were active. */
export async function endOtherSessions(ctx: Ctx, { userId, sessionId, request }: SessionOwner): Promise<number> {
  const count = await retryOnDeadlock(() =>
    ctx.db.transaction().execute(async (tx) => {
      const count = await deleteOtherSessions(tx, { userId, exceptId: sessionId, bounds: activityBounds(ctx) })
      const entry = { actor: userActor(userId), userId, request, details: { count } }
      if (count > 0) await recordAuditEvent(ctx, tx, { action: 'session.others_ended', ...entry })
      return count
    }),
  )
  await ctx.changes.waitUntilCurrent()
  return count
}

export const countUserSessions = (ctx: Ctx, db: Db, userId: string): Promise<number> =>
  countActiveSessions(db, { userId, bounds: activityBounds(ctx) })

/** Ends all sessions and pending sign-ins of a user. Returns how many sessions were active. */
export async function endAllUserSessions(ctx: Ctx, tx: Tx, userId: string): Promise<number> {
  await deletePendingOfUser(tx, userId)
  return deleteOtherSessions(tx, { userId, bounds: activityBounds(ctx) })
}

import type { Ctx } from '../context.ts'
import { deleteExpiredAwaited } from './awaited-links-store.ts'
import { deleteForgottenDevices } from './devices-store.ts'
import { deleteExpiredCodes } from './email-codes/store.ts'
import { deleteEndedSessions, deleteExpiredLinks, deleteExpiredPending } from './store.ts'

/** How long an unused device stays known. */
const DEVICE_MAX_AGE_SECONDS = 400 * 86_400

/** Deletes expired sessions that no grant depends on, and expired links, codes, pending sign-ins and devices. */
export async function sweepSessions({ config, db, now }: Ctx): Promise<void> {
  const { sessionIdle, session } = config.lifetimes
  const ago = (seconds: number) => new Date(now().getTime() - seconds * 1000)
  await deleteEndedSessions(db, { idleSince: ago(sessionIdle), startedBefore: ago(session) })
  await deleteExpiredLinks(db, now())
  await deleteExpiredAwaited(db, now())
  await deleteExpiredPending(db, now())
  await deleteExpiredCodes(db, now())
  await deleteForgottenDevices(db, ago(DEVICE_MAX_AGE_SECONDS))
}

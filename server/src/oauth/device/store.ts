import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { DeviceAuthorizationsTable } from '../../db/tables.ts'

/** Returns false if another device has the user code. */
export async function insertDevice(db: Db, device: Insertable<DeviceAuthorizationsTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('device_authorizations')
    .values(device)
    .onConflict((conflict) => conflict.column('user_code_mac').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

const pendingDevices = (db: Db, now: Date) =>
  db
    .selectFrom('device_authorizations')
    .innerJoin('clients', 'clients.id', 'device_authorizations.client_id')
    .selectAll('device_authorizations')
    .select('clients.client_id as client_identifier')
    .where('device_authorizations.decided_at', 'is', null)
    .where('device_authorizations.expires_at', '>', now)

export type PendingDevice = NonNullable<Awaited<ReturnType<typeof findPendingDevice>>>

/** `macs` are the MACs of the user code under each key. */
export const findDeviceByUserCode = (db: Db, { macs, now }: { macs: Buffer[]; now: Date }) =>
  pendingDevices(db, now).where('device_authorizations.user_code_mac', 'in', macs).executeTakeFirst()

export const findPendingDevice = (db: Db, { id, now }: { id: string; now: Date }) =>
  pendingDevices(db, now).where('device_authorizations.id', '=', id).executeTakeFirst()

/** Takes the decision. Of concurrent ones, the first returns true. */
export async function decideDevice(tx: Tx, { id, now }: { id: string; now: Date }): Promise<boolean> {
  const decided = await tx
    .updateTable('device_authorizations')
    .set({ decided_at: now })
    .where('id', '=', id)
    .where('decided_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .executeTakeFirst()
  return decided !== undefined
}

export async function assignGrant(tx: Tx, { id, grantId }: { id: string; grantId: string }): Promise<void> {
  await tx.updateTable('device_authorizations').set({ grant_id: grantId }).where('id', '=', id).execute()
}

/** Whether the device was allowed from this session. */
export async function isAllowedFrom(db: Db, { id, sessionId }: { id: string; sessionId: string }): Promise<boolean> {
  const found = await db
    .selectFrom('device_authorizations')
    .innerJoin('grants', 'grants.id', 'device_authorizations.grant_id')
    .select('grants.id')
    .where('device_authorizations.id', '=', id)
    .where('grants.session_id', '=', sessionId)
    .executeTakeFirst()
  return found !== undefined
}

interface Poll {
  deviceCodeHash: Buffer
  clientId: string
  now: Date
}

/** A request that arrives this much too early is not early: timers are not exact. */
const TOLERANCE_SECONDS = 1
/** RFC 8628 §3.5. */
const SLOW_DOWN_SECONDS = 5

/**
 * Records that the device asks. One statement does it, so that concurrent requests count as early ones. Returns undefined
 * for a code that this client does not have.
 */
export function pollDevice(db: Db, { deviceCodeHash, clientId, now }: Poll) {
  const isEarly = sql<boolean>`
    decided_at is null and coalesce(
      polled_at + make_interval(secs => poll_interval - ${TOLERANCE_SECONDS}::integer) > ${now}, false)`
  return db
    .updateTable('device_authorizations')
    .set({
      polled_at: now,
      polled_early: isEarly,
      poll_interval: sql`poll_interval + case when ${isEarly} then ${SLOW_DOWN_SECONDS}::integer else 0 end`,
    })
    .where('device_code_hash', '=', deviceCodeHash)
    .where('client_id', '=', clientId)
    .returning(['polled_early', 'decided_at', 'grant_id', 'expires_at'])
    .executeTakeFirst()
}

/** For a day after its end, a device is told that its code has expired. */
const KEPT_MS = 86_400_000

export async function deleteExpiredDevices(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('device_authorizations')
    .where('expires_at', '<', new Date(now.getTime() - KEPT_MS))
    .execute()
}

import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { AuditInsert } from '../audit/record.ts'
import { type Db, runWrite } from '../db/open.ts'
import type { SessionsTable } from '../db/tables.ts'

/** Whether the user with this address has signed in from a device with one of these hashes. */
export async function findKnownDevice(db: Db, email: string, hashes: Buffer[]): Promise<boolean> {
  const found = await db
    .selectFrom('known_devices')
    .innerJoin('users', 'users.id', 'known_devices.user_id')
    .select('known_devices.user_id')
    .where('users.email', '=', email)
    .where('known_devices.hash', 'in', hashes)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}

/** A sign-in on a device, which is identified by hashes. */
interface DeviceUse {
  userId: string
  hashes: Buffer[]
  now: Date
  /** Inserts the audit event of the sign-in. */
  auditInsert: AuditInsert
}

type NewSession = Insertable<SessionsTable>

/** A subquery that locks the user and returns their id if they may sign in. */
export type LockedUserQuery = RawBuilder<{ id: string }>

/**
 * Records the device, the audit event and, if given, the session of an eligible user, in one statement. Returns whether
 * the device is new to a user who has others; undefined if the user is not eligible. All parts of the statement see the
 * state before it.
 */
async function recordDeviceUse(
  db: Db,
  { userId, hashes, now, auditInsert }: DeviceUse,
  { eligible, session }: { eligible: LockedUserQuery; session?: NewSession },
): Promise<boolean | undefined> {
  const { rows } = await sql<{ is_new: boolean }>`
    with before as (
      select count(*) > 0 as has_some, count(*) filter (where hash = any(${hashes}::bytea[])) > 0 as is_known
      from known_devices where user_id = ${userId}
    ), eligible as (
      ${eligible}
    ), device as (
      insert into known_devices (user_id, hash, last_seen_at)
      select id, unnest(${hashes}::bytea[]), ${now}::timestamptz from eligible
      on conflict (user_id, hash) do update set last_seen_at = excluded.last_seen_at
    ), audited as (
      ${auditInsert(sql`select 1 as index, '{}'::jsonb as details from eligible`)}
    ) ${session ? sql`, session as (${sessionInsert(session)})` : sql``}
    select has_some and not is_known as is_new from before, eligible`.execute(db)
  return rows[0]?.is_new
}

const sessionInsert = (session: NewSession): RawBuilder<unknown> => sql`
  insert into sessions (${sql.join(Object.keys(session).map((name) => sql.ref(name)))})
  select ${sql.join(Object.values(session))} from eligible`

/** For a user who is already locked and checked. */
const alreadyLocked = (userId: string): LockedUserQuery => sql`select ${userId}::uuid as id`

/** Records the device of an existing session. Returns whether it is new to a user who has others. */
export const recordDevice = async (db: Db, device: DeviceUse): Promise<boolean> =>
  (await recordDeviceUse(db, device, { eligible: alreadyLocked(device.userId) })) ?? false

/** Records the device of a new session. Returns whether it is new to a user who has others. */
export const insertSession = async (db: Db, session: NewSession, device: DeviceUse): Promise<boolean> =>
  (await recordDeviceUse(db, device, { eligible: alreadyLocked(device.userId), session })) ?? false

/**
 * Inserts a session if the user is eligible and the device is known; returns whether it did. A new device needs a
 * transaction: only a lock makes sure that exactly one of two concurrent sign-ins sends the notice.
 */
export async function insertSessionIfEligible(
  db: Db,
  session: NewSession,
  { lockedUserQuery, ...device }: DeviceUse & { lockedUserQuery: LockedUserQuery },
): Promise<boolean> {
  const eligible: LockedUserQuery = sql`select locked.id from (${lockedUserQuery}) as locked, before where is_known`
  return (await runWrite(db, () => recordDeviceUse(db, device, { eligible, session }))) !== undefined
}

export async function deleteForgottenDevices(db: Db, seenBefore: Date): Promise<void> {
  await db.deleteFrom('known_devices').where('last_seen_at', '<', seenBefore).execute()
}

export async function forgetDevices(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('user_id', '=', userId).execute()
}

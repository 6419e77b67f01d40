import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Noting } from '../../audit/record.ts'
import { asWrite, type Db } from '../../db/open.ts'
import type { SessionsTable } from '../../db/tables.ts'

/** Whether the person of this address has signed in from a device that bears one of these marks. */
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

/** A device by its marks, and whose it is. */
interface SeenDevice {
  userId: string
  hashes: Buffer[]
  now: Date
  /** Writes down what happens there. */
  noting: Noting
}

type NewSession = Insertable<SessionsTable>

/** Part of a statement: somebody, if they are as they must be to be let in. */
export type Holding = RawBuilder<{ id: string }>

/**
 * Remembers the device of who is let in, writes down what happens and begins the session, if one begins; says whether the
 * device is new to a person who has others. Undefined: nobody was let in. All parts of the statement see what was there
 * before it.
 */
async function seeDevice(
  db: Db,
  { userId, hashes, now, noting }: SeenDevice,
  { letIn, session }: { letIn: Holding; session?: NewSession },
): Promise<boolean | undefined> {
  const { rows } = await sql<{ is_new: boolean }>`
    with before as (
      select count(*) > 0 as has_some, count(*) filter (where hash = any(${hashes}::bytea[])) > 0 as is_known
      from known_devices where user_id = ${userId}
    ), let_in as (
      ${letIn}
    ), noted as (
      insert into known_devices (user_id, hash, last_seen_at)
      select id, unnest(${hashes}::bytea[]), ${now}::timestamptz from let_in
      on conflict (user_id, hash) do update set last_seen_at = excluded.last_seen_at
    ), written as (
      ${noting(sql`select 1 as place, '{}'::jsonb as details from let_in`)}
    ) ${session ? sql`, begun as (${beginning(session)})` : sql``}
    select has_some and not is_known as is_new from before, let_in`.execute(db)
  return rows[0]?.is_new
}

const beginning = (session: NewSession): RawBuilder<unknown> => sql`
  insert into sessions (${sql.join(Object.keys(session).map((name) => sql.ref(name)))})
  select ${sql.join(Object.values(session))} from let_in`

/** Somebody who is held already. */
const whoIsHeld = (userId: string): Holding => sql`select ${userId}::uuid as id`

/** Remembers a device on which a session goes on. Says whether it is new to a person who has others. */
export const noteDevice = async (db: Db, device: SeenDevice): Promise<boolean> =>
  (await seeDevice(db, device, { letIn: whoIsHeld(device.userId) })) ?? false

/** The same for one on which a session begins. */
export const insertSession = async (db: Db, session: NewSession, device: SeenDevice): Promise<boolean> =>
  (await seeDevice(db, device, { letIn: whoIsHeld(device.userId), session })) ?? false

/**
 * The same where it is yet to be seen whether they may come in. Says whether it was done. It is on devices that are known:
 * whether somebody has to be told of another can be said only once nobody else signs them in at the same time.
 */
export async function insertSessionIf(
  db: Db,
  session: NewSession,
  { held, ...device }: SeenDevice & { held: Holding },
): Promise<boolean> {
  const letIn: Holding = sql`select held.id from (${held}) as held, before where is_known`
  return (await asWrite(db, () => seeDevice(db, device, { letIn, session }))) !== undefined
}

export async function deleteForgottenDevices(db: Db, seenBefore: Date): Promise<void> {
  await db.deleteFrom('known_devices').where('last_seen_at', '<', seenBefore).execute()
}

/** After a reset every device is new. */
export async function forgetDevices(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('user_id', '=', userId).execute()
}

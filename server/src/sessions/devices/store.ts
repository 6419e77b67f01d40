import { type Insertable, type RawBuilder, sql } from 'kysely'
import type { Db } from '../../db/open.ts'
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
  noting: RawBuilder<object>
}

/** Remembers the device. What else is done with it happens in the same statement. */
const notingDevice = (db: Db, { userId, hashes, now, noting }: SeenDevice) =>
  db
    // All parts of a statement see what was there before it.
    .with('before', (part) =>
      part
        .selectFrom('known_devices')
        .select(({ fn }) => [
          fn.countAll().as('all'),
          fn.countAll().filterWhere('hash', 'in', hashes).as('same'),
        ])
        .where('user_id', '=', userId),
    )
    .with('noted', (part) =>
      part
        .insertInto('known_devices')
        .values(hashes.map((hash) => ({ user_id: userId, hash, last_seen_at: now })))
        .onConflict((conflict) => conflict.columns(['user_id', 'hash']).doUpdateSet({ last_seen_at: now })),
    )
    .with('written', () => sql<object>`(${noting})`)

/** Whether a device is new to a person who has others. */
const isNewDevice = ({ all, same }: Record<'all' | 'same', string | number | bigint>): boolean =>
  Number(all) > 0 && Number(same) === 0

/** Remembers a device on which a session goes on. Says whether it is new to a person who has others. */
export const noteDevice = async (db: Db, device: SeenDevice): Promise<boolean> =>
  isNewDevice(
    await notingDevice(db, device).selectFrom('before').select(['all', 'same']).executeTakeFirstOrThrow(),
  )

/** The same for one on which a session begins. */
export const insertSession = async (
  db: Db,
  session: Insertable<SessionsTable>,
  device: SeenDevice,
): Promise<boolean> =>
  isNewDevice(
    await notingDevice(db, device)
      .with('begun', (part) => part.insertInto('sessions').values(session))
      .selectFrom('before')
      .select(['all', 'same'])
      .executeTakeFirstOrThrow(),
  )

export async function deleteForgottenDevices(db: Db, seenBefore: Date): Promise<void> {
  await db.deleteFrom('known_devices').where('last_seen_at', '<', seenBefore).execute()
}

/** After a reset every device is new. */
export async function forgetDevices(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('known_devices').where('user_id', '=', userId).execute()
}

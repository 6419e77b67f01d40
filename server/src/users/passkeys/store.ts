import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { PasskeyChallengesTable, PasskeyPurpose, PasskeysTable } from '../../db/tables.ts'

export type Passkey = Selectable<PasskeysTable>

export const listPasskeysOf = (db: Db, userId: string): Promise<Passkey[]> =>
  db
    .selectFrom('passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const findPasskeyByCredential = (db: Db, credentialId: string): Promise<Passkey | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Undefined when the passkey is somebody's already. */
export const insertPasskeyIfNew = (
  tx: Tx,
  passkey: Insertable<PasskeysTable>,
): Promise<Passkey | undefined> =>
  tx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst()

/** The passkey that was removed; undefined when the person had no such one. */
export const deletePasskey = (
  tx: Tx,
  { id, userId }: { id: string; userId: string },
): Promise<Passkey | undefined> =>
  tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()

interface Use {
  id: string
  signCount: number
  backedUp: boolean
  now: Date
}

/** Writes a use down; false when the passkey has not counted on since the last, and so may have been copied. */
export async function notePasskeyUse(db: Db, { id, signCount, backedUp, now }: Use): Promise<boolean> {
  const noted = await db
    .updateTable('passkeys')
    .set({ sign_count: signCount, backed_up: backedUp, last_used_at: now })
    .where('id', '=', id)
    .where((where) =>
      // Many never count: theirs is always 0.
      signCount === 0 ? where('sign_count', '=', '0') : where('sign_count', '<', String(signCount)),
    )
    .returning('id')
    .executeTakeFirst()
  return noted !== undefined
}

export async function insertChallenge(db: Db, challenge: Insertable<PasskeyChallengesTable>): Promise<void> {
  await db.insertInto('passkey_challenges').values(challenge).execute()
}

interface WantedChallenge {
  hash: Buffer
  purposes: PasskeyPurpose[]
  /** Whose it must be; anybody's or nobody's unless said. */
  userId?: string | undefined
  now: Date
}

/** Uses a challenge up; undefined when there is none such, or was used before. */
export function takeChallengeBy(db: Db, { hash, purposes, userId, now }: WantedChallenge) {
  const wanted = db
    .deleteFrom('passkey_challenges')
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
  return (userId === undefined ? wanted : wanted.where('user_id', '=', userId))
    .returning(['purpose', 'user_id'])
    .executeTakeFirst()
}

export async function deleteExpiredChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}

import type { Insertable, Selectable } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { PasskeyChallengesTable, PasskeyPurpose, PasskeysTable } from '../../db/tables.ts'

export type Passkey = Selectable<PasskeysTable>

export const listPasskeysOf = (db: Db, userId: string): Promise<Passkey[]> =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', userId).orderBy('created_at').orderBy('id').execute()

export const findPasskeyByCredential = (db: Db, credentialId: string): Promise<Passkey | undefined> =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()

/** Undefined when the credential is registered already. */
export const insertPasskeyIfNew = (tx: Tx, passkey: Insertable<PasskeysTable>): Promise<Passkey | undefined> =>
  tx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.column('credential_id').doNothing())
    .returningAll()
    .executeTakeFirst()

/** Returns the deleted passkey; undefined when the user has no such passkey. */
export const deletePasskey = (tx: Tx, { id, userId }: { id: string; userId: string }): Promise<Passkey | undefined> =>
  tx.deleteFrom('passkeys').where('id', '=', id).where('user_id', '=', userId).returningAll().executeTakeFirst()

interface PasskeyUse {
  id: string
  signCount: number
  backedUp: boolean
  now: Date
}

/** Records a use; false when the sign count did not increase, so the passkey may be a copy (WebAuthn Level 3 §6.1.1). */
export async function recordPasskeyUse(db: Db, { id, signCount, backedUp, now }: PasskeyUse): Promise<boolean> {
  const updated = await db
    .updateTable('passkeys')
    .set({ sign_count: signCount, backed_up: backedUp, last_used_at: now })
    .where('id', '=', id)
    .where((where) =>
      // Authenticators without a counter always send 0.
      signCount === 0 ? where('sign_count', '=', '0') : where('sign_count', '<', String(signCount)),
    )
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
}

export async function insertChallenge(db: Db, challenge: Insertable<PasskeyChallengesTable>): Promise<void> {
  await db.insertInto('passkey_challenges').values(challenge).execute()
}

interface ChallengeFilter {
  hash: Buffer
  purposes: PasskeyPurpose[]
  /** Undefined: any user, or none. */
  userId?: string | undefined
  now: Date
}

/** Deletes and returns a challenge; undefined when it is unknown, used or expired. */
export function deleteChallenge(db: Db, { hash, purposes, userId, now }: ChallengeFilter) {
  const deletion = db
    .deleteFrom('passkey_challenges')
    .where('hash', '=', hash)
    .where('purpose', 'in', purposes)
    .where('expires_at', '>', now)
  return (userId === undefined ? deletion : deletion.where('user_id', '=', userId))
    .returning(['purpose', 'user_id'])
    .executeTakeFirst()
}

export async function deleteExpiredChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}

import { type Insertable, sql } from 'kysely'
import type { Db, Tx } from '../../db/open.ts'
import type { SignInCodesTable } from '../../db/tables.ts'

/** Which of the two allow codes. */
export interface CodePolicy {
  byApplication: boolean
  /** The tenant, if it allows codes and is not suspended. */
  tenantId: string | null
}

export async function findCodePolicy(
  db: Db,
  { clientId, tenant }: { clientId: string | undefined; tenant: string | undefined },
): Promise<CodePolicy> {
  const { rows } = await sql<CodePolicy>`
    select exists (
      select from clients join applications on applications.id = clients.application_id
      where clients.client_id = ${clientId ?? null} and applications.email_codes
    ) as "byApplication",
    (
      select id from tenants where slug = ${tenant ?? null} and email_codes and suspended_at is null
    ) as "tenantId"
  `.execute(db)
  return rows[0] ?? { byApplication: false, tenantId: null }
}

export async function insertCode(db: Db, code: Insertable<SignInCodesTable>): Promise<void> {
  await db.insertInto('sign_in_codes').values(code).execute()
}

/** Assigns the code to the user to whom it is mailed; false if it has expired. */
export async function assignCode(
  tx: Tx,
  { browserHash, userId, now }: { browserHash: Buffer; userId: string; now: Date },
): Promise<boolean> {
  const assigned = await tx
    .updateTable('sign_in_codes')
    .set({ user_id: userId })
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .returning('browser_hash')
    .executeTakeFirst()
  return assigned !== undefined
}

interface CodeGuess {
  browserHash: Buffer
  codeHash: Buffer
  maxAttempts: number
  now: Date
}

/**
 * Counts the attempt and, if the code is right, uses it up. One statement does both: concurrent guesses wait for the row,
 * so that no more than `maxAttempts` are compared and one of them succeeds at most. Returns the user of a right code.
 */
export async function tryCode(
  db: Db,
  { browserHash, codeHash, maxAttempts, now }: CodeGuess,
): Promise<string | undefined> {
  const tried = await db
    .updateTable('sign_in_codes')
    .set({ attempts: sql`attempts + 1`, used: sql`code_hash = ${codeHash}` })
    .where('browser_hash', '=', browserHash)
    .where('used', '=', false)
    .where('attempts', '<', maxAttempts)
    .where('expires_at', '>', now)
    .returning(['used', 'user_id'])
    .executeTakeFirst()
  return tried?.used ? (tried.user_id ?? undefined) : undefined
}

/** Whether the user is an active member of the tenant. */
export async function isMember(db: Db, { tenantId, userId }: { tenantId: string; userId: string }): Promise<boolean> {
  const found = await db
    .selectFrom('memberships')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', userId)
    .where('status', '=', 'ACTIVE')
    .executeTakeFirst()
  return found !== undefined
}

export async function deleteExpiredCodes(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('sign_in_codes').where('expires_at', '<=', now).execute()
}

import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'
import { completePlaceholder, EMPTY_PROFILE } from './placeholders.ts'
import { findUser, findUserByEmail, insertUserIfNew, updateUser } from './store.ts'

/** The input of a sign-up. The address is in canonical form. */
export interface Registration {
  email: string
  password: string
  givenName?: string | undefined
  familyName?: string | undefined
  displayName?: string | undefined
  /** The language of the page. */
  locale?: string | undefined
}

/** The account with the address: new, verified by another person (`taken`), or registered before and unverified. */
export type RegistrationResult =
  | { state: 'new' | 'taken'; id: string }
  | { state: 'unverified'; id: string; passwordHash: string | null }

/** Creates a user with an unverified address, or completes a placeholder account, unless the address is registered. */
export async function registerUser(
  ctx: Ctx,
  tx: Tx,
  { person, passwordHash }: { person: Registration; passwordHash: string },
): Promise<RegistrationResult> {
  const now = ctx.now()
  const id = newId()
  const columns = {
    display_name: person.displayName ?? null,
    given_name: person.givenName ?? null,
    family_name: person.familyName ?? null,
    password_hash: passwordHash,
    locale: person.locale ?? null,
  }
  const inserted = await insertUserIfNew(tx, {
    id,
    email: person.email,
    ...columns,
    email_verified: false,
    is_super_admin: false,
    created_at: now,
    updated_at: now,
  })
  if (inserted) return { id, state: 'new' }
  // The invitation may have been meant for another person, so the address stays contested until it is verified.
  const completed = await completePlaceholder(ctx, tx, person.email, { ...columns, contested: true })
  if (completed) return { id: completed.id, state: 'new' }
  const holder = await findUserByEmail(tx, person.email)
  if (!holder || holder.email_verified) return { id: holder?.id ?? id, state: 'taken' }
  return { id: holder.id, state: 'unverified', passwordHash: holder.password_hash }
}

/** Marks an unverified account whose address another person claims, too. */
export const markContested = (ctx: Ctx, tx: Tx, userId: string): Promise<void> =>
  updateUser(tx, userId, { contested: true, updated_at: ctx.now() })

/** A verified address, with the password and names of the sign-up that verified it, if any. */
export interface ProvenAddress {
  userId: string
  email: string
  passwordHash: string | null
  names: Names | null
}

/**
 * Marks the address verified if the account still has it; returns whether it had. A password that differs from the
 * account's belongs to another sign-up with the address, which takes over the account.
 */
export async function verifyAddress(
  ctx: Ctx,
  tx: Tx,
  { userId, email, passwordHash, names }: ProvenAddress,
): Promise<boolean> {
  const user = await findUser(tx, userId)
  if (user?.email !== email) return false
  const takenOver = passwordHash !== null && passwordHash !== user.password_hash
  const change = takenOver ? { password_hash: passwordHash, ...EMPTY_PROFILE, ...names } : {}
  await updateUser(tx, userId, { email_verified: true, contested: false, ...change, updated_at: ctx.now() })
  return true
}

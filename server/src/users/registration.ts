import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { hashPassword, passwordProblem, SHORTEST_PASSWORD } from './passwords.ts'
import { findUser, insertUserIfNew, updateUser } from './store.ts'

/** What a person tells about themselves when they sign up. The address is in canonical form. */
export interface Registration {
  email: string
  password: string
  givenName?: string | undefined
  familyName?: string | undefined
  displayName?: string | undefined
}

/** The hash of a password a person has chosen, or WEAK_PASSWORD. */
export async function hashChosenPassword(password: string): Promise<string> {
  const problem = passwordProblem(password, SHORTEST_PASSWORD)
  if (problem) throw new AppError('WEAK_PASSWORD', { message: problem })
  return hashPassword(password)
}

/** Makes a person with an unverified address. Says under which id, and whether they are new. */
export async function addRegisteredUser(
  ctx: Ctx,
  tx: Tx,
  { person, passwordHash }: { person: Registration; passwordHash: string },
): Promise<{ id: string; isNew: boolean }> {
  const now = ctx.now()
  const id = newId()
  const isNew = await insertUserIfNew(tx, {
    id,
    email: person.email,
    email_verified: false,
    display_name: person.displayName ?? null,
    given_name: person.givenName ?? null,
    family_name: person.familyName ?? null,
    password_hash: passwordHash,
    is_super_admin: false,
    created_at: now,
    updated_at: now,
  })
  return { id, isNew }
}

/** Marks the address verified if it is still the person's. Says whether it was. */
export async function verifyAddress(
  ctx: Ctx,
  tx: Tx,
  { userId, email }: { userId: string; email: string },
): Promise<boolean> {
  const user = await findUser(tx, userId)
  if (user?.email !== email) return false
  await updateUser(tx, userId, { email_verified: true, updated_at: ctx.now() })
  return true
}

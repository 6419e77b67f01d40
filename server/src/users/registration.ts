import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { newId } from '../lib/ids.ts'
import { findUser, findUserByEmail, insertUserIfNew, updateUser } from './store.ts'

/** What a person tells about themselves when they sign up. The address is in canonical form. */
export interface Registration {
  email: string
  password: string
  givenName?: string | undefined
  familyName?: string | undefined
  displayName?: string | undefined
}

/** Who has an address after somebody registered it: they, somebody who never proved that it is theirs, or its owner. */
export type Registered =
  | { state: 'new' | 'taken'; id: string }
  | { state: 'unverified'; id: string; passwordHash: string | null }

/** Makes a person with an unverified address, unless somebody has it. */
export async function addRegisteredUser(
  ctx: Ctx,
  tx: Tx,
  { person, passwordHash }: { person: Registration; passwordHash: string },
): Promise<Registered> {
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
  if (isNew) return { id, state: 'new' }
  const holder = await findUserByEmail(tx, person.email)
  if (!holder || holder.email_verified) return { id: holder?.id ?? id, state: 'taken' }
  return { id: holder.id, state: 'unverified', passwordHash: holder.password_hash }
}

/**
 * Marks the address verified if it is still the person's. Says whether it was, and whether the password became
 * another: then somebody else had registered the address before.
 */
export async function verifyAddress(
  ctx: Ctx,
  tx: Tx,
  { userId, email, passwordHash }: { userId: string; email: string; passwordHash: string | null },
): Promise<'verified' | 'taken over' | 'not theirs'> {
  const user = await findUser(tx, userId)
  if (user?.email !== email) return 'not theirs'
  const takenOver = passwordHash !== null && passwordHash !== user.password_hash
  const password = takenOver ? { password_hash: passwordHash } : {}
  await updateUser(tx, userId, { email_verified: true, ...password, updated_at: ctx.now() })
  return takenOver ? 'taken over' : 'verified'
}

import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { newId } from '../lib/ids.ts'
import { BLANK, completePlaceholder } from './placeholders.ts'
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

/** Makes a person with an unverified address, unless somebody has it. Who was invited has it only for them. */
export async function addRegisteredUser(
  ctx: Ctx,
  tx: Tx,
  { person, passwordHash }: { person: Registration; passwordHash: string },
): Promise<Registered> {
  const now = ctx.now()
  const id = newId()
  const told = {
    display_name: person.displayName ?? null,
    given_name: person.givenName ?? null,
    family_name: person.familyName ?? null,
    password_hash: passwordHash,
  }
  const common = { email_verified: false, is_super_admin: false, created_at: now, updated_at: now }
  if (await insertUserIfNew(tx, { id, email: person.email, ...told, ...common })) return { id, state: 'new' }
  // Whoever invited the address may have meant somebody else.
  const completed = await completePlaceholder(ctx, tx, person.email, { ...told, contested: true })
  if (completed) return { id: completed.id, state: 'new' }
  const holder = await findUserByEmail(tx, person.email)
  if (!holder || holder.email_verified) return { id: holder?.id ?? id, state: 'taken' }
  return { id: holder.id, state: 'unverified', passwordHash: holder.password_hash }
}

/** Remembers that somebody else claims the address of a person who has not proven it. */
export const contestAddress = (ctx: Ctx, tx: Tx, userId: string): Promise<void> =>
  updateUser(tx, userId, { contested: true, updated_at: ctx.now() })

/** An address that somebody has shown to be theirs, with the password and the names they gave for it, if any. */
export interface ProvenAddress {
  userId: string
  email: string
  passwordHash: string | null
  names: Names | null
}

/**
 * Marks the address verified if it is still the person's; says whether it was. Who brings another password than the
 * account has takes over from somebody who had registered the address before.
 */
export async function verifyAddress(
  ctx: Ctx,
  tx: Tx,
  { userId, email, passwordHash, names }: ProvenAddress,
): Promise<boolean> {
  const user = await findUser(tx, userId)
  if (user?.email !== email) return false
  const takenOver = passwordHash !== null && passwordHash !== user.password_hash
  const change = takenOver ? { password_hash: passwordHash, ...BLANK, ...names } : {}
  await updateUser(tx, userId, { email_verified: true, contested: false, ...change, updated_at: ctx.now() })
  return true
}

import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { newId } from '../lib/ids.ts'
import { completePlaceholder, isPlaceholder } from './placeholders.ts'
import { tellSuperAdmin } from './service.ts'
import { findUser, insertUserIfNew, lockUser, type User } from './store.ts'

/** An account as an administrator wants it. The address is in canonical form. */
export interface OrderedAccount {
  email: string
  emailVerified: boolean
  givenName: string | null
  familyName: string | null
  displayName: string | null
  passwordHash: string | null
  passwordSignIn: boolean
  superAdmin: boolean
}

/**
 * Makes an account, unless somebody has the address: then undefined. Who was invited has it only for them, and theirs
 * is whatever they were invited to.
 */
export async function addAccount(ctx: Ctx, tx: Tx, account: OrderedAccount): Promise<User | undefined> {
  const now = ctx.now()
  const id = newId()
  const { email } = account
  const described = {
    email_verified: account.emailVerified,
    contested: !account.emailVerified,
    display_name: account.displayName,
    given_name: account.givenName,
    family_name: account.familyName,
    password_hash: account.passwordHash,
    password_sign_in: account.passwordSignIn,
    is_super_admin: account.superAdmin,
  }
  const isNew = await insertUserIfNew(tx, { id, email, ...described, created_at: now, updated_at: now })
  const made = isNew ? await findUser(tx, id) : await completePlaceholder(ctx, tx, email, described)
  if (made?.is_super_admin) await tellSuperAdmin(ctx, tx, email)
  return made
}

/** The account, whom nobody else changes until the transaction ends. Who was only invited has none. */
export async function lockAccount(tx: Tx, id: string): Promise<User | undefined> {
  const user = await lockUser(tx, id)
  return user && !isPlaceholder(user) ? user : undefined
}

import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import { hashPassword, isCurrentHash, verifyPassword } from './passwords.ts'
import { findUser, findUserByEmail, type User, upgradePasswordHash } from './store.ts'

/** Why an address and a password let nobody in; for the log alone. */
export type BadCredentials = 'unknown_address' | 'disabled' | 'no_password' | 'wrong_password'

/** The person behind an address and a password, or why there is none, and whose the address is. */
export type Checked =
  | { user: User }
  | { user: undefined; reason: BadCredentials; holderId: string | undefined }

/** Every reason takes the same time, so that nobody can find out who has an account. */
export async function checkCredentials(ctx: Ctx, email: string, password: string): Promise<Checked> {
  const address = parseEmail(email)
  const holder = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
  const user = await openBy(ctx, holder, password)
  return user ? { user } : { user, reason: reasonOf(holder), holderId: holder?.id }
}

function reasonOf(holder: User | undefined): BadCredentials {
  if (!holder) return 'unknown_address'
  if (holder.disabled) return 'disabled'
  return holder.password_sign_in && holder.password_hash !== null ? 'wrong_password' : 'no_password'
}

async function openBy(ctx: Ctx, user: User | undefined, password: string): Promise<User | undefined> {
  const passwordHash = user && !user.disabled && user.password_sign_in ? user.password_hash : null
  const matches = await verifyPassword(passwordHash, password)
  if (!matches || !user || passwordHash === null) return undefined
  if (!isCurrentHash(passwordHash)) {
    const to = await hashPassword(password)
    const upgraded = await upgradePasswordHash(ctx.db, user.id, { from: passwordHash, to })
    if (upgraded) return { ...user, password_hash: to }
    // Somebody else who signs in at this moment has done it already, or the password has become another.
    const now = await findUser(ctx.db, user.id)
    return (await verifyPassword(now?.password_hash ?? null, password)) ? now : undefined
  }
  return user
}

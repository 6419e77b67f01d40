import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import { hashPassword, isCurrentHash, verifyPassword } from './passwords.ts'
import { findUser, findUserByEmail, type User, upgradePasswordHash } from './store.ts'

/** Why the credentials were rejected. For the audit log only: the response does not tell. */
export type CredentialsRefusal = 'unknown_address' | 'disabled' | 'no_password' | 'wrong_password'

/** The user, or the reason for the rejection and the owner of the address. */
export type CredentialsCheck =
  | { user: User }
  | { user: undefined; reason: CredentialsRefusal; holderId: string | undefined }

/** Takes the same time for every outcome, so that timing does not reveal which accounts exist. */
export async function checkCredentials(ctx: Ctx, email: string, password: string): Promise<CredentialsCheck> {
  const address = parseEmail(email)
  const holder = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
  const user = await verifyUserPassword(ctx, holder, password)
  return user ? { user } : { user, reason: reasonOf(holder), holderId: holder?.id }
}

function reasonOf(holder: User | undefined): CredentialsRefusal {
  if (!holder) return 'unknown_address'
  if (holder.disabled) return 'disabled'
  return holder.password_sign_in && holder.password_hash !== null ? 'wrong_password' : 'no_password'
}

/** The user, if the password is right. Upgrades an outdated hash. */
async function verifyUserPassword(ctx: Ctx, user: User | undefined, password: string): Promise<User | undefined> {
  const passwordHash = user && !user.disabled && user.password_sign_in ? user.password_hash : null
  const matches = await verifyPassword(passwordHash, password)
  if (!matches || !user || passwordHash === null) return undefined
  if (!isCurrentHash(passwordHash)) {
    const to = await hashPassword(password)
    const upgraded = await upgradePasswordHash(ctx.db, user.id, { from: passwordHash, to })
    if (upgraded) return { ...user, password_hash: to }
    // A concurrent sign-in has upgraded the hash, or the password has changed.
    const current = await findUser(ctx.db, user.id)
    return (await verifyPassword(current?.password_hash ?? null, password)) ? current : undefined
  }
  return user
}

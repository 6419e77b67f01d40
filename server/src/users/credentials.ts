import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import { hashPassword, isCurrentHash, verifyPassword } from './passwords.ts'
import { findUser, findUserByEmail, type User, upgradePasswordHash } from './store.ts'

/**
 * The person behind an address and a password; undefined when there is none, for whatever reason. Every reason
 * takes the same time, so that nobody can find out who has an account.
 */
export async function findByCredentials(
  ctx: Ctx,
  email: string,
  password: string,
): Promise<User | undefined> {
  const address = parseEmail(email)
  const user = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
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

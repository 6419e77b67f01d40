import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import { verifyPassword } from './passwords.ts'
import { findUserByEmail, type User } from './store.ts'

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
  const matches = await verifyPassword(user?.password_hash ?? null, password)
  return matches && user && !user.disabled ? user : undefined
}

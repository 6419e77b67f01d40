import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { isCheckViolation } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { AppError, OperatorError } from '../errors.ts'
import { recordUserChanged } from './audit-events.ts'
import { passwordProblem } from './chosen-password.ts'
import { createUser } from './create-user.ts'
import { mailSuperAdminNotice } from './notices.ts'
import { hashPassword } from './passwords.ts'
import { findUnverifiedWithRights, isUnverified } from './placeholders.ts'
import { findUser, findUserByEmail, lockUser, type User, type UserChange, updateUser } from './store.ts'

/**
 * Users: the accounts of people, with their password, passkeys and authenticator app. Whether a person may sign in is
 * decided in `sessions/`, and what a person may do in a tenant in `tenants/`.
 */

/** Re-exported for other slices, which must not import the store. */
export { findUser, findUserByEmail, lockUser, type User, type UserChange }

/** Changes a user. A database constraint keeps the last Super Admin who can sign in: LAST_SUPER_ADMIN. */
export async function changeUser(ctx: Ctx, tx: Tx, user: User, change: UserChange): Promise<void> {
  try {
    await updateUser(tx, user.id, { ...change, updated_at: ctx.now() })
  } catch (error) {
    if (isCheckViolation(error, 'instance_keeps_a_super_admin'))
      throw new AppError('LAST_SUPER_ADMIN', { cause: error })
    throw error
  }
  if (change.is_super_admin && !user.is_super_admin) await mailSuperAdminNotice(ctx, tx, user.email)
}

/** Creates a Super Admin, or promotes an existing user. */
export async function createSuperAdmin(
  ctx: Ctx,
  email: string,
  password: string,
): Promise<'created' | 'promoted' | 'unchanged'> {
  const found = await findUserByEmail(ctx.db, email)
  const existing = found && !isUnverified(found) ? found : undefined
  if (existing?.is_super_admin) return 'unchanged'
  if (found && (await findUnverifiedWithRights(ctx.db, [found])).has(found.id))
    throw new OperatorError(
      `An account with the address ${email} exists and has rights, but its owner has not proven the address. They have to confirm it first.`,
    )
  const problem = existing ? undefined : passwordProblem(password, { email, names: [], superAdmin: true })
  if (problem) throw new OperatorError(problem)
  const passwordHash = existing ? undefined : await hashPassword(password)
  return ctx.db.transaction().execute(async (tx) => {
    if (!existing) {
      const user = { email, passwordHash, superAdmin: true }
      await createUser(ctx, tx, user, { source: OPERATOR_SOURCE, takesOverUnverified: true })
      return 'created'
    }
    await recordUserChanged(ctx, tx, {
      user: existing,
      change: { is_super_admin: true },
      source: OPERATOR_SOURCE,
    })
    await changeUser(ctx, tx, existing, { is_super_admin: true })
    return 'promoted'
  })
}

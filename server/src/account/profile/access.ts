import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findUser } from '../../users/service.ts'
import type { AccountAccess } from './schema.ts'

/** The person's rights on this instance and their login methods, for user interfaces. */
export async function getAccess({ db, config }: Ctx, userId: string): Promise<AccountAccess> {
  const user = await findUser(db, userId)
  if (!user) throw new AppError('UNAUTHORIZED')
  return {
    superAdmin: user.is_super_admin,
    hasPassword: user.password_hash !== null,
    passwordSignIn: user.password_sign_in,
    providers: config.sso.map(({ name, label }) => ({ name, label })),
  }
}

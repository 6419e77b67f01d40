import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findUser } from '../../users/service.ts'
import type { Access } from './schema.ts'

/** What a person is here and how they may come in: for programs that show them what they can do. */
export async function getAccess({ db, config }: Ctx, userId: string): Promise<Access> {
  const user = await findUser(db, userId)
  if (!user) throw new AppError('UNAUTHORIZED')
  return {
    superAdmin: user.is_super_admin,
    hasPassword: user.password_hash !== null,
    passwordSignIn: user.password_sign_in,
    providers: config.sso.map(({ name, label }) => ({ name, label })),
  }
}

import type { AuditSource } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { t } from '../languages/translate.ts'
import { newId } from '../lib/ids.ts'
import { recordUserCreated } from './audit-events.ts'
import { mailSuperAdminNotice } from './notices.ts'
import { completePlaceholder, takeOverUnverified } from './placeholders.ts'
import { type ProfileTexts, toColumns } from './profile-fields.ts'
import { findUser, insertUserIfNew, type User } from './store.ts'

/** A user that an operator or an administrator creates. The address is in canonical form, the texts are valid. */
export interface NewUser extends ProfileTexts {
  email: string
  /** True by default. */
  emailVerified?: boolean | undefined
  /** Computed before the transaction, so that hashing holds no connection. */
  passwordHash?: string | undefined
  passwordSignIn?: boolean | undefined
  disabled?: boolean | undefined
  superAdmin: boolean
}

interface Creation {
  source: AuditSource
  /** With a verified address, the new user takes over an account whose address nobody has verified. */
  takesOverUnverified: boolean
}

/**
 * Creates a user. A placeholder account with the address is completed and keeps its invitations. Throws EMAIL_TAKEN for
 * any other account.
 */
export async function createUser(
  ctx: Ctx,
  tx: Tx,
  user: NewUser,
  { source, takesOverUnverified }: Creation,
): Promise<User> {
  const { email, emailVerified = true, superAdmin } = user
  const columns = {
    email_verified: emailVerified,
    contested: !emailVerified,
    disabled: user.disabled ?? false,
    display_name: null,
    given_name: null,
    family_name: null,
    ...toColumns(user),
    password_hash: user.passwordHash ?? null,
    password_sign_in: user.passwordSignIn ?? true,
    is_super_admin: superAdmin,
  }
  const [id, now] = [newId(), ctx.now()]
  const isNew = await insertUserIfNew(tx, { id, email, ...columns, created_at: now, updated_at: now })
  const complete = takesOverUnverified && emailVerified ? takeOverUnverified : completePlaceholder
  const created = isNew ? await findUser(tx, id) : await complete(ctx, tx, email, columns)
  if (!created) throw new AppError('EMAIL_TAKEN', { message: t('An account with this email address exists.') })
  await recordUserCreated(ctx, tx, { id: created.id, email, ...columns }, source)
  if (superAdmin) await mailSuperAdminNotice(ctx, tx, email)
  return created
}

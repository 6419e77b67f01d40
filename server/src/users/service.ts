import { OPERATOR, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { breaks } from '../db/violations.ts'
import { AppError, OperatorError } from '../errors.ts'
import { newId } from '../lib/ids.ts'
import { queueMail } from '../mail/outbox.ts'
import { passwordProblem } from './chosen-password.ts'
import { noteChange, noteCreation } from './operated.ts'
import { hashPassword } from './passwords.ts'
import { completePlaceholder, findSettled, isUnproven, takeOver } from './placeholders.ts'
import { type ProfileTexts, toColumns } from './profile-fields.ts'
import {
  findUser,
  findUserByEmail,
  insertUser,
  lockUser,
  type User,
  type UserChange,
  updateUser,
} from './store.ts'

/** The record of a person, for the slices above. */
export { findUser, findUserByEmail, lockUser, type User, type UserChange }

/** A person as an operator describes one. The address is in canonical form. */
export interface NewUser extends ProfileTexts {
  email: string
  /** The operator vouches for the address unless this says otherwise. */
  emailVerified?: boolean | undefined
  /** Made before the transaction: hashing must hold no connection. */
  passwordHash?: string | undefined
  passwordSignIn?: boolean | undefined
  disabled?: boolean | undefined
  superAdmin: boolean
}

/**
 * Makes a person whose address the operator vouches for, out of whoever has not proven it. Where the operator does not
 * vouch, whoever knows the password must still show that the address is theirs.
 */
export async function createUser(ctx: Ctx, tx: Tx, user: NewUser, source: Source): Promise<void> {
  const now = ctx.now()
  const { email, emailVerified = true, passwordHash = null } = user
  const described = {
    ...{ email_verified: emailVerified, contested: !emailVerified, disabled: user.disabled ?? false },
    ...{ display_name: null, given_name: null, family_name: null, ...toColumns(user) },
    password_hash: passwordHash,
    password_sign_in: user.passwordSignIn ?? true,
    is_super_admin: user.superAdmin,
  }
  const complete = emailVerified ? takeOver : completePlaceholder
  const taken = await complete(ctx, tx, email, described)
  if (!taken && (await findUserByEmail(tx, email))) throw new AppError('EMAIL_TAKEN')
  const id = taken?.id ?? newId()
  if (!taken) await insertUser(tx, { id, email, ...described, created_at: now, updated_at: now })
  await noteCreation(ctx, tx, { id, email, ...described }, source)
  if (user.superAdmin) await tellSuperAdmin(ctx, tx, user.email)
}

/** Changes a person. The database does not let the last Super Admin go who can sign in: LAST_SUPER_ADMIN. */
export async function changeUser(ctx: Ctx, tx: Tx, user: User, change: UserChange): Promise<void> {
  try {
    await updateUser(tx, user.id, { ...change, updated_at: ctx.now() })
  } catch (error) {
    if (breaks(error, 'instance_keeps_a_super_admin'))
      throw new AppError('LAST_SUPER_ADMIN', { cause: error })
    throw error
  }
  if (change.is_super_admin && !user.is_super_admin) await tellSuperAdmin(ctx, tx, user.email)
}

/** Makes a Super Admin: a new person, or one who is here already. Says which. */
export async function createSuperAdmin(
  ctx: Ctx,
  email: string,
  password: string,
): Promise<'created' | 'promoted' | 'unchanged'> {
  const found = await findUserByEmail(ctx.db, email)
  const existing = found && !isUnproven(found) ? found : undefined
  if (existing?.is_super_admin) return 'unchanged'
  if (found && (await findSettled(ctx.db, [found])).has(found.id))
    throw new OperatorError(
      `${email} is here already, with rights, and has not proven the address. They have to confirm it first.`,
    )
  const problem = existing ? undefined : passwordProblem(password, { email, names: [], superAdmin: true })
  if (problem) throw new OperatorError(problem)
  const passwordHash = existing ? undefined : await hashPassword(password)
  return ctx.db.transaction().execute(async (tx) => {
    if (!existing) {
      await createUser(ctx, tx, { email, passwordHash, superAdmin: true }, OPERATOR)
      return 'created'
    }
    await noteChange(ctx, tx, { user: existing, change: { is_super_admin: true }, source: OPERATOR })
    await changeUser(ctx, tx, existing, { is_super_admin: true })
    return 'promoted'
  })
}

/** The most powerful right of all is never given in silence. */
export const tellSuperAdmin = (ctx: Ctx, tx: Tx, email: string) =>
  queueMail(ctx, tx, email, {
    subject: 'You are now a Super Admin',
    paragraphs: [
      `This address was made a Super Admin of the Latchkey at ${ctx.config.baseUrl}.`,
      'A Super Admin sees and changes everything there. If you do not know why you have this right, tell whoever runs it.',
    ],
    action: { label: 'Open Latchkey', path: '/' },
  })

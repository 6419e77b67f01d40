import type { Ctx } from '../context.ts'
import { t } from '../languages/translate.ts'
import { checkField, requireEmail, throwIfInvalid } from '../lib/field-validation.ts'
import { mailFirstPasswordLink } from '../sessions/admin-password-reset.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { createUser, type NewUser } from '../users/create-user.ts'
import { passwordHashProblem } from '../users/password-hashes.ts'
import type { User } from '../users/service.ts'
import { type AdminRequest, toAuditSource } from './admin-request.ts'
import { parseNames } from './names.ts'
import type { NewUserBody } from './schema.ts'

/** Creates an account. By default, an account that may use a password and has none is mailed a link to choose one. */
export async function createAccount(ctx: Ctx, body: NewUserBody, adminRequest: AdminRequest): Promise<User> {
  const account = await toNewUser(body)
  const { sendPasswordLink = account.passwordSignIn && account.passwordHash === undefined } = body
  return ctx.db.transaction().execute(async (tx) => {
    const creation = { source: toAuditSource(adminRequest), takesOverUnverified: false }
    const user = await createUser(ctx, tx, account, creation)
    if (sendPasswordLink) await mailFirstPasswordLink(ctx, tx, user)
    return user
  })
}

async function toNewUser(body: NewUserBody): Promise<NewUser> {
  const { password, passwordHash, emailVerified = true, superAdmin = false, passwordSignIn = true } = body
  const email = requireEmail(body.email, 'email')
  const hashProblem = passwordHash === undefined ? undefined : passwordHashProblem(passwordHash)
  throwIfInvalid([
    checkField(
      password === undefined || passwordHash === undefined,
      'passwordHash',
      t('cannot be given together with password'),
    ),
    checkField(hashProblem === undefined, 'passwordHash', `cannot be taken: ${hashProblem}`),
    // Without a password and a verified address, the row would be a placeholder account.
    checkField(
      emailVerified || password !== undefined || passwordHash !== undefined,
      'emailVerified',
      t('can be false only for an account with a password'),
    ),
    checkField(emailVerified || !superAdmin, 'superAdmin', t('needs a confirmed address')),
    checkField(
      passwordSignIn || !body.sendPasswordLink,
      'sendPasswordLink',
      t('can be true only when passwordSignIn is true'),
    ),
  ])
  const names = parseNames(body)
  const traits = { email, names: Object.values(names), superAdmin }
  // Hashing is slow, so it runs before the transaction and holds no connection.
  const hash = password === undefined ? passwordHash : await hashChosenPassword(password, traits)
  return {
    email,
    emailVerified,
    givenName: names.givenName ?? undefined,
    familyName: names.familyName ?? undefined,
    displayName: names.displayName ?? undefined,
    passwordHash: hash,
    passwordSignIn,
    superAdmin,
  }
}

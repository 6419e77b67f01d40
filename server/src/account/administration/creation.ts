import type { Ctx } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { demand, refuseProblems, requireEmail } from '../../lib/problems.ts'
import { inviteToChoose } from '../../sessions/ordered-passwords.ts'
import { hashChosenPassword } from '../../users/chosen-password.ts'
import { noteCreation } from '../../users/operated.ts'
import { addAccount, type OrderedAccount } from '../../users/ordered-accounts.ts'
import { passwordHashProblem } from '../../users/password-hashes.ts'
import type { User } from '../../users/service.ts'
import { type By, sourceOf } from './by.ts'
import { readNames } from './names.ts'
import type { NewUserBody } from './schema.ts'

/** Makes an account for somebody. Unless told otherwise, who could use a password and has none is mailed a link. */
export async function createAccount(ctx: Ctx, body: NewUserBody, by: By): Promise<User> {
  const account = await readAccount(body)
  const { sendPasswordLink = account.passwordSignIn && account.passwordHash === null } = body
  return ctx.db.transaction().execute(async (tx) => {
    const user = await addAccount(ctx, tx, account)
    if (!user) throw new AppError('EMAIL_TAKEN', { message: 'An account with this e-mail address exists.' })
    if (sendPasswordLink) await inviteToChoose(ctx, tx, user)
    await noteCreation(ctx, tx, user, sourceOf(by))
    return user
  })
}

/** What is asked for, as it is to be kept. */
async function readAccount(body: NewUserBody): Promise<OrderedAccount> {
  const { password, passwordHash, emailVerified = true, superAdmin = false, passwordSignIn = true } = body
  const email = requireEmail(body.email, 'email')
  const hashProblem = passwordHash === undefined ? undefined : passwordHashProblem(passwordHash)
  refuseProblems([
    demand(
      password === undefined || passwordHash === undefined,
      'passwordHash',
      'is given beside a password',
    ),
    demand(hashProblem === undefined, 'passwordHash', `cannot be taken: ${hashProblem}`),
    // Without either, nobody could tell them from somebody who was only invited.
    demand(
      emailVerified || password !== undefined || passwordHash !== undefined,
      'emailVerified',
      'can be false only for an account with a password',
    ),
    demand(emailVerified || !superAdmin, 'superAdmin', 'needs a confirmed address'),
    demand(
      passwordSignIn || !body.sendPasswordLink,
      'sendPasswordLink',
      'can be true only where a password opens the account',
    ),
  ])
  const { givenName = null, familyName = null, displayName = null } = readNames(body)
  const traits = { email, names: [givenName, familyName, displayName], superAdmin }
  // Hashing takes its time, and holds no connection while it does.
  const hash = password === undefined ? passwordHash : await hashChosenPassword(password, traits)
  return {
    ...{ email, emailVerified, givenName, familyName, displayName },
    ...{ passwordHash: hash ?? null, passwordSignIn, superAdmin },
  }
}

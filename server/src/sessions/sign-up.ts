import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, SYSTEM, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import { createLimiter } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import { toDurationText } from '../lib/duration-text.ts'
import { checkField, requireEmail, throwIfInvalid } from '../lib/field-validation.ts'
import { newId } from '../lib/ids.ts'
import { containsWebAddress, isPlainLine, NO_WEB_ADDRESS } from '../lib/text.ts'
import type { Mail } from '../mail/mail.ts'
import { queueMail } from '../mail/outbox.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { withPasswordAdmission } from '../users/passwords.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { type Registration, type RegistrationResult, registerUser, verifyAddress } from '../users/registration.ts'
import { markAddressContested } from './contested-address.ts'
import { confirmEmailChange } from './email-change.ts'
import { createLink, findLink, requireLinkPassword, useLink } from './mailed-links.ts'

const LIMIT = { name: 'sign-up', max: 2_000, seconds: 15 * 60 }

/**
 * Creates an account and mails a verification link. If the address is taken, its owner gets a mail, and the response is
 * the same with a random id.
 */
export const register = (ctx: Ctx, registration: Registration, request: FastifyRequest): Promise<SignedInUser> =>
  withPasswordAdmission(ctx, { request }, () => signUp(ctx, registration, request))

async function signUp(ctx: Ctx, registration: Registration, request: FastifyRequest): Promise<SignedInUser> {
  const wait = await createLimiter(ctx.db, LIMIT).count(clientNetwork(request))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const email = requireEmail(registration.email, 'email')
  const names = parseNames(registration)
  const traits = { email, names: Object.values(names), superAdmin: false }
  const passwordHash = await hashChosenPassword(registration.password, traits)
  const isOverQuota = await isOverMailQuota(ctx, 'sign-up', email)
  const id = await ctx.db.transaction().execute(async (tx) => {
    const person = { ...registration, email }
    const added = await registerUser(ctx, tx, { person, passwordHash })
    const isNew = added.state === 'new'
    if (added.state === 'unverified') await markAddressContested(ctx, tx, added)
    if (!isOverQuota || isNew) {
      await queueMail(ctx, tx, email, await createMail(ctx, tx, { added, email, passwordHash, names }))
    }
    // An audit event is recorded in every case, so that the response time does not disclose whether the account exists.
    const action = isNew ? 'user.registered' : 'user.registration_refused'
    await recordAuditEvent(ctx, tx, {
      action,
      actor: isNew ? userActor(added.id) : SYSTEM,
      userId: added.id,
      request,
    })
    return isNew ? added.id : newId()
  })
  return toSignedInUser({ id, email, email_verified: false, ...names })
}

function parseNames({ displayName, givenName, familyName }: Registration): Names {
  const entries = Object.entries({ displayName, givenName, familyName })
  throwIfInvalid(
    entries.flatMap(([field, name = '']) => [
      checkField(isPlainLine(name), field, 'must be one line without control characters'),
      checkField(!containsWebAddress(name), field, NO_WEB_ADDRESS),
    ]),
  )
  return {
    display_name: displayName ?? null,
    given_name: givenName ?? null,
    family_name: familyName ?? null,
  }
}

interface SignUp {
  added: RegistrationResult
  email: string
  passwordHash: string
  names: Names
}

/**
 * Creates the mail for a registration. If several people register an unverified address, each link requires the
 * password chosen with it, so that the owner of the mailbox does not confirm another person's account.
 */
async function createMail(ctx: Ctx, tx: Tx, { added, email, passwordHash, names }: SignUp): Promise<Mail> {
  if (added.state === 'taken') return ACCOUNT_EXISTS_MAIL
  const own = added.state === 'unverified' ? { passwordHash, names } : { passwordHash: null }
  const link = { purpose: 'verify-email', userId: added.id, email, ...own } as const
  return verificationMail(ctx, await createLink(ctx, tx, link))
}

export interface VerificationInput {
  token: string
  /** Required if the address is contested. */
  password?: string | undefined
  request: FastifyRequest
}

/** Confirms an address with the token of a mail: the first address of an account, or a new one. */
export async function verifyEmail(ctx: Ctx, input: VerificationInput): Promise<void> {
  const { token, request } = input
  const isChange = await findLink(ctx, { purpose: 'change-email', token })
  const passwordHash = isChange
    ? null
    : await requireLinkPassword(ctx, { purpose: 'verify-email', password: undefined, ...input })
  const confirm = isChange ? confirmEmailChange : confirmFirstAddress
  const link = { token, passwordHash, request }
  await retryOnDeadlock(() => ctx.db.transaction().execute((tx) => confirm(ctx, tx, link)))
  await ctx.changes.waitUntilCurrent()
}

async function confirmFirstAddress(
  ctx: Ctx,
  tx: Tx,
  { token, passwordHash, request }: { token: string; passwordHash: string | null; request: FastifyRequest },
): Promise<void> {
  const link = await useLink(ctx, tx, { purpose: 'verify-email', token, passwordHash })
  if (!(await verifyAddress(ctx, tx, link))) throw new AppError('INVALID_TOKEN')
  const { userId } = link
  await recordAuditEvent(ctx, tx, {
    action: 'user.email_verified',
    actor: userActor(userId),
    userId,
    request,
  })
}

export const verificationMail = ({ config }: Ctx, token: string): Mail => ({
  kind: 'verify-email',
  values: { validity: toDurationText(config.lifetimes.emailLink) },
  path: `/verify-email?token=${token}`,
})

const ACCOUNT_EXISTS_MAIL: Mail = { kind: 'account-exists', path: '/login' }

import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, SYSTEM, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { retryOnDeadlock } from '../db/errors.ts'
import { countAgainstLimit } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/request/client-address.ts'
import { findRequestLanguage } from '../languages/current-language.ts'
import { t } from '../languages/translate.ts'
import { checkField, requireEmail, throwIfInvalid } from '../lib/field-validation.ts'
import { newId } from '../lib/ids.ts'
import { fingerprintOf } from '../lib/secrets.ts'
import { containsWebAddress, isPlainLine, NO_WEB_ADDRESS } from '../lib/text.ts'
import type { Mail } from '../mail/mail.ts'
import { queueMail } from '../mail/outbox.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { isOverMailQuota } from '../users/mail-quota.ts'
import { withPasswordAdmission } from '../users/passwords.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { type Registration, type RegistrationResult, registerUser, verifyAddress } from '../users/registration.ts'
import { urlWithClient } from './brand.ts'
import { markAddressContested } from './contested-address.ts'
import { confirmEmailChange } from './email-change.ts'
import { createLink, type FoundLink, findLink, requireLinkPassword, useLink } from './mailed-links.ts'

type MailOrigin = NonNullable<Mail['origin']>

const LIMIT = { name: 'sign-up', max: 2_000, seconds: 15 * 60 }

/** The sign-ups in one browser per hour, also those that were given up. Each sends a mail to an address of choice. */
const BROWSER_LIMIT = { name: 'sign-up-browser', max: 10, seconds: 3_600 }

/**
 * Creates an account and mails a verification link. If the address is taken, its owner gets a mail, and the response is
 * the same with a random id.
 */
export const register = async (ctx: Ctx, registration: Registration, request: FastifyRequest): Promise<SignedInUser> =>
  (await signUp(ctx, registration, { request })).user

interface SignUpSource {
  request: FastifyRequest
  /** The browser of a hosted page. */
  browserId?: string | undefined
  /** The application and the tenant whose brand the mail shows. */
  origin?: MailOrigin
}

interface SignUpResult {
  user: SignedInUser
  /** The account that the link in the mail verifies; undefined if the address is taken. */
  userId: string | undefined
  passwordHash: string
  names: Names
}

/** What `register` does, for a hosted page. The result says whether the address is taken: the page must not show it. */
export const signUp = (ctx: Ctx, registration: Registration, source: SignUpSource): Promise<SignUpResult> =>
  withPasswordAdmission(ctx, { request: source.request }, () => createAccount(ctx, registration, source))

async function createAccount(
  ctx: Ctx,
  registration: Registration,
  { request, browserId, origin = {} }: SignUpSource,
): Promise<SignUpResult> {
  await countAgainstLimit(ctx.db, LIMIT, clientNetwork(request))
  const email = requireEmail(registration.email, 'email')
  const names = parseNames(registration)
  const traits = { email, names: Object.values(names), superAdmin: false }
  const passwordHash = await hashChosenPassword(registration.password, traits)
  await limitBrowser(ctx, browserId)
  const isOverQuota = await isOverMailQuota(ctx, 'sign-up', email)
  const { added, isNew } = await ctx.db.transaction().execute(async (tx) => {
    const person = { ...registration, email, locale: findRequestLanguage() }
    const added = await registerUser(ctx, tx, { person, passwordHash })
    const isNew = added.state === 'new'
    if (added.state === 'unverified') await markAddressContested(ctx, tx, added)
    if (!isOverQuota || isNew) {
      // The locale of an unverified account may be that of another person.
      const to = added.state === 'taken' ? email : { email, locale: null }
      await queueMail(ctx, tx, to, await createMail(ctx, tx, { added, email, passwordHash, names, origin }))
    }
    // An audit event is recorded in every case, so that the response time does not disclose whether the account exists.
    const action = isNew ? 'user.registered' : 'user.registration_refused'
    await recordAuditEvent(ctx, tx, {
      action,
      actor: isNew ? userActor(added.id) : SYSTEM,
      userId: added.id,
      request,
    })
    return { added, isNew }
  })
  const user = toSignedInUser({ id: isNew ? added.id : newId(), email, email_verified: false, ...names })
  return { user, userId: added.state === 'taken' ? undefined : added.id, passwordHash, names }
}

async function limitBrowser(ctx: Ctx, browserId: string | undefined): Promise<void> {
  if (browserId === undefined) return
  await countAgainstLimit(ctx.db, BROWSER_LIMIT, fingerprintOf(browserId))
}

function parseNames({ displayName, givenName, familyName }: Registration): Names {
  const entries = Object.entries({ displayName, givenName, familyName })
  throwIfInvalid(
    entries.flatMap(([field, name = '']) => [
      checkField(isPlainLine(name), field, t('must be one line without control characters')),
      checkField(!containsWebAddress(name), field, t(NO_WEB_ADDRESS)),
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
  origin: MailOrigin
}

/**
 * Creates the mail for a registration. If several people register an unverified address, each link requires the
 * password chosen with it, so that the owner of the mailbox does not confirm another person's account.
 */
async function createMail(ctx: Ctx, tx: Tx, { added, email, passwordHash, names, origin }: SignUp): Promise<Mail> {
  if (added.state === 'taken') return toAccountExistsMail(origin)
  const own = added.state === 'unverified' ? { passwordHash, names } : { passwordHash: null }
  const link = { purpose: 'verify-email', userId: added.id, email, ...own } as const
  return verificationMail(ctx, await createLink(ctx, tx, link), origin)
}

export interface VerificationInput {
  token: string
  /** Required if the address is contested. */
  password?: string | undefined
  /** The hash of the password that was chosen in this browser; it replaces the password. */
  ownPasswordHash?: string | undefined
  request: FastifyRequest
}

/** A valid link that confirms an address, and what it is for. */
export type Confirmation = FoundLink & { purpose: 'verify-email' | 'change-email' }

export async function findConfirmation(ctx: Ctx, token: string): Promise<Confirmation | undefined> {
  for (const purpose of ['verify-email', 'change-email'] as const) {
    const link = await findLink(ctx, { purpose, token })
    if (link) return { ...link, purpose }
  }
  return undefined
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

export const verificationMail = ({ config }: Ctx, token: string, origin: MailOrigin = {}): Mail => ({
  kind: 'verify-email',
  values: { validity: config.lifetimes.emailLink },
  path: urlWithClient('/verify-email', { token }, origin.clientId),
  origin,
})

/** The page leads to the sign-in, with the address and the application of the sign-up. */
export const toAccountExistsMail = (origin: MailOrigin): Mail => ({
  kind: 'account-exists',
  path: '/signup/sign-in',
  origin,
})

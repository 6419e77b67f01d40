import type { FastifyRequest } from 'fastify'
import { person as byThemselves, record, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import type { Tx } from '../db/open.ts'
import type { Names } from '../db/tables.ts'
import { yielding } from '../db/violations.ts'
import { AppError, tooManyAttempts } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import { newId } from '../lib/ids.ts'
import { demand, refuseProblems, requireEmail } from '../lib/problems.ts'
import { holdsWebAddress, isPlainLine, NO_WEB_ADDRESS } from '../lib/text.ts'
import type { Letter } from '../mail/letter.tsx'
import { queueMail } from '../mail/outbox.ts'
import { hashChosenPassword } from '../users/chosen-password.ts'
import { inPasswordLine } from '../users/passwords.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import { isTired } from '../users/recipients.ts'
import {
  addRegisteredUser,
  type Registered,
  type Registration,
  verifyAddress,
} from '../users/registration.ts'
import { contest } from './contest.ts'
import { confirmEmailChange } from './email-change.ts'
import { createLink, findLink, requireLinkPassword, useLink } from './mailed-links.ts'

const LIMIT = { name: 'sign-up', most: 2_000, seconds: 15 * 60 }

/**
 * Makes an account and mails a link that proves the address. Whoever has the address already is told by mail; the
 * answer is the same, with an id that belongs to nobody.
 */
export const register = (
  ctx: Ctx,
  registration: Registration,
  request: FastifyRequest,
): Promise<SignedInUser> => inPasswordLine(ctx, { request }, () => signUp(ctx, registration, request))

async function signUp(ctx: Ctx, registration: Registration, request: FastifyRequest): Promise<SignedInUser> {
  const wait = await createLimiter(ctx.db, LIMIT).count(clientNetwork(request))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const email = requireEmail(registration.email, 'email')
  const called = readNames(registration)
  const traits = { email, names: Object.values(called), superAdmin: false }
  const passwordHash = await hashChosenPassword(registration.password, traits)
  const tired = await isTired(ctx, 'sign-up', email)
  const id = await ctx.db.transaction().execute(async (tx) => {
    const person = { ...registration, email }
    const added = await addRegisteredUser(ctx, tx, { person, passwordHash })
    const isNew = added.state === 'new'
    if (added.state === 'unverified') await contest(ctx, tx, added)
    if (!tired || isNew) {
      await queueMail(ctx, tx, email, await letterFor(ctx, tx, { added, email, passwordHash, called }))
    }
    // Whatever happens, something is written down: nobody learns from the time it takes who has an account.
    const action = isNew ? 'user.registered' : 'user.registration_refused'
    await record(ctx, tx, {
      action,
      actor: isNew ? byThemselves(added.id) : SYSTEM,
      userId: added.id,
      request,
    })
    return isNew ? added.id : newId()
  })
  return toSignedInUser({ id, email, email_verified: false, ...called })
}

function readNames({ displayName, givenName, familyName }: Registration): Names {
  const given = Object.entries({ displayName, givenName, familyName })
  refuseProblems(
    given.flatMap(([field, name = '']) => [
      demand(isPlainLine(name), field, 'must be one line without control characters'),
      demand(!holdsWebAddress(name), field, NO_WEB_ADDRESS),
    ]),
  )
  return {
    display_name: displayName ?? null,
    given_name: givenName ?? null,
    family_name: familyName ?? null,
  }
}

interface SignUp {
  added: Registered
  email: string
  passwordHash: string
  called: Names
}

/**
 * The mail for who has signed up. When several have, with an address that none has proven to be theirs, each link
 * works only with the password chosen along with it: a link followed in good faith must not confirm a stranger's.
 */
async function letterFor(ctx: Ctx, tx: Tx, { added, email, passwordHash, called }: SignUp): Promise<Letter> {
  if (added.state === 'taken') return ALREADY_HERE
  const own = added.state === 'unverified' ? { passwordHash, names: called } : { passwordHash: null }
  const link = { purpose: 'verify-email', userId: added.id, email, ...own } as const
  return verificationLetter(await createLink(ctx, tx, link))
}

/** What somebody brings who follows the link of a verification mail. */
export interface FollowedVerification {
  token: string
  /** Needed when several people have signed up with the address. */
  password?: string | undefined
  request: FastifyRequest
}

/** Follows the link of a verification mail, be it about a person's first address or about another. */
export async function verifyEmail(ctx: Ctx, followed: FollowedVerification): Promise<void> {
  const { token, request } = followed
  const isChange = await findLink(ctx, { purpose: 'change-email', token })
  const passwordHash = isChange
    ? null
    : await requireLinkPassword(ctx, { purpose: 'verify-email', password: undefined, ...followed })
  const confirm = isChange ? confirmEmailChange : confirmFirstAddress
  const link = { token, passwordHash, request }
  await yielding(() => ctx.db.transaction().execute((tx) => confirm(ctx, tx, link)))
  await ctx.changes.settle()
}

async function confirmFirstAddress(
  ctx: Ctx,
  tx: Tx,
  { token, passwordHash, request }: { token: string; passwordHash: string | null; request: FastifyRequest },
): Promise<void> {
  const link = await useLink(ctx, tx, { purpose: 'verify-email', token, passwordHash })
  if (!(await verifyAddress(ctx, tx, link))) throw new AppError('INVALID_TOKEN')
  const { userId } = link
  await record(ctx, tx, { action: 'user.email_verified', actor: byThemselves(userId), userId, request })
}

export const verificationLetter = (token: string) => ({
  subject: 'Confirm your e-mail address',
  paragraphs: [
    'Welcome. Please confirm that this address is yours; the link is good for one day.',
    'If you did not sign up, do not follow it: somebody else has used your address, and nothing happens without you.',
  ],
  action: { label: 'Confirm this address', path: `/verify-email?token=${token}` },
})

const ALREADY_HERE = {
  subject: 'You have an account already',
  paragraphs: [
    'Somebody, probably you, tried to sign up with this address, which has an account already.',
    'Sign in with it instead. If it was not you, there is nothing you need to do.',
  ],
  action: { label: 'Sign in', path: '/login' },
}

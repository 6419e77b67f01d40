import type { Ctx } from '../context.ts'
import { createLimiter } from '../db/limiter.ts'
import { AppError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { newId } from '../lib/ids.ts'
import { queueMail } from '../mail/outbox.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import {
  addRegisteredUser,
  hashChosenPassword,
  type Registration,
  verifyAddress,
} from '../users/registration.ts'
import { createLink, useLink } from './mailed-links.ts'
import { deleteSessionsOfUser } from './store.ts'

/** Nobody's mailbox is filled by others who sign up with the address. */
const MAIL_LIMIT = { name: 'sign-up-mail', failures: 5, seconds: 3_600 }
const LIMIT = { name: 'sign-up', failures: 2_000, seconds: 15 * 60 }

/**
 * Makes an account and mails a link that proves the address. Whoever has the address already is told by mail; the
 * answer is the same, with an id that belongs to nobody.
 */
export async function register(ctx: Ctx, person: Registration, network: string): Promise<SignedInUser> {
  const wait = await createLimiter(ctx.db, LIMIT).fail(network)
  if (wait !== undefined) throw new AppError('RATE_LIMITED', { headers: { 'Retry-After': String(wait) } })
  const email = parseEmail(person.email)
  if (!email) {
    throw new AppError('VALIDATION_FAILED', {
      details: [{ field: 'email', message: 'is not an e-mail address' }],
    })
  }
  const passwordHash = await hashChosenPassword(person.password)
  const tired = (await createLimiter(ctx.db, MAIL_LIMIT).fail(email)) !== undefined
  const id = await ctx.db.transaction().execute(async (tx) => {
    const { id: userId, state } = await addRegisteredUser(ctx, tx, {
      person: { ...person, email },
      passwordHash,
    })
    if (!tired && state === 'taken') await queueMail(ctx, tx, email, ALREADY_HERE)
    // Who follows the link has the mailbox, so it is their password that counts, not that of who came first.
    if (!tired && state !== 'taken') {
      const chosen = state === 'unverified' ? passwordHash : null
      const token = await createLink(ctx, tx, {
        purpose: 'verify-email',
        userId,
        email,
        passwordHash: chosen,
      })
      await queueMail(ctx, tx, email, verificationLetter(token))
    }
    return state === 'new' ? userId : newId()
  })
  return toSignedInUser({
    ...{ id, email, email_verified: false, display_name: person.displayName ?? null },
    ...{ given_name: person.givenName ?? null, family_name: person.familyName ?? null },
  })
}

/** Follows the link of a verification mail. */
export async function verifyEmail(ctx: Ctx, token: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const link = await useLink(ctx, tx, { purpose: 'verify-email', token })
    const outcome = await verifyAddress(ctx, tx, link)
    if (outcome === 'not theirs') throw new AppError('INVALID_TOKEN')
    if (outcome === 'taken over') await deleteSessionsOfUser(tx, link.userId)
  })
  await ctx.changes.settle()
}

const verificationLetter = (token: string) => ({
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

import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { queueMail } from '../mail/outbox.ts'
import { type SignedInUser, toSignedInUser } from '../users/profile.ts'
import {
  addRegisteredUser,
  hashChosenPassword,
  type Registration,
  verifyAddress,
} from '../users/registration.ts'
import { createLink, useLink } from './mailed-links.ts'

/**
 * Makes an account and mails a link that proves the address. Whoever has the address already is told by mail; the
 * answer is the same, with an id that belongs to nobody.
 */
export async function register(ctx: Ctx, person: Registration): Promise<SignedInUser> {
  const email = parseEmail(person.email)
  if (!email) {
    throw new AppError('VALIDATION_FAILED', {
      details: [{ field: 'email', message: 'is not an e-mail address' }],
    })
  }
  const passwordHash = await hashChosenPassword(person.password)
  const id = await ctx.db.transaction().execute(async (tx) => {
    const added = await addRegisteredUser(ctx, tx, { person: { ...person, email }, passwordHash })
    const letter = added.isNew
      ? verificationLetter(await createLink(ctx, tx, { purpose: 'verify-email', userId: added.id, email }))
      : ALREADY_HERE
    await queueMail(ctx, tx, email, letter)
    return added.id
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
    if (!(await verifyAddress(ctx, tx, link))) throw new AppError('INVALID_TOKEN')
  })
}

const verificationLetter = (token: string) => ({
  subject: 'Confirm your e-mail address',
  paragraphs: [
    'Welcome. Please confirm that this address is yours; the link is good for one day.',
    'If you did not sign up, ignore this mail.',
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

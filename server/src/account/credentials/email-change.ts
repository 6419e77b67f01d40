import { person, record } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { createLimiter } from '../../db/limiter.ts'
import { tooManyAttempts } from '../../errors.ts'
import { demand, refuseProblems, requireEmail } from '../../lib/problems.ts'
import { queueMail } from '../../mail/outbox.ts'
import { createLink, voidLinks } from '../../sessions/mailed-links.ts'
import { notify } from '../../users/notices.ts'
import { isPlaceholder } from '../../users/placeholders.ts'
import { isTired } from '../../users/recipients.ts'
import { findUserByEmail, type User } from '../../users/service.ts'
import { confirmIdentity, getSelf, type Managing, stayConfirmed } from '../confirm-identity.ts'

const PURPOSE = 'change-email'
const LIMIT = { name: 'email-change', most: 20, seconds: 3_600 }

/**
 * Mails a link to the address that a person wants to have from now on. Whoever has it already is told instead; all
 * else is the same, so that nobody finds out by it who has an account.
 */
export async function requestEmailChange(
  ctx: Ctx,
  asking: Managing,
  wanted: { newEmail: string; password?: string },
): Promise<void> {
  const { caller, request } = asking
  const newEmail = readAddress(wanted.newEmail, await getSelf(ctx, caller))
  const confirmed = await confirmIdentity(ctx, asking, wanted.password)
  // Every request writes to two mailboxes.
  const wait = await createLimiter(ctx.db, LIMIT).count(caller.userId)
  if (wait !== undefined) throw tooManyAttempts(wait)
  // One person's requests do not use up another's.
  if (await isTired(ctx, `${PURPOSE}:${caller.userId}`, newEmail)) return
  await ctx.db.transaction().execute(async (tx) => {
    const user = await stayConfirmed(tx, asking, confirmed)
    const { id: userId } = user
    const holder = await findUserByEmail(tx, newEmail)
    const taken = holder !== undefined && !isPlaceholder(holder)
    await voidLinks(tx, { userId, purpose: PURPOSE })
    // The token for an address that is taken goes nowhere.
    const token = await createLink(ctx, tx, { purpose: PURPOSE, userId, email: newEmail, passwordHash: null })
    await queueMail(ctx, tx, newEmail, taken ? YOURS_ALREADY : confirmationLetter(token))
    const facts = [`New address: ${newEmail}`]
    await notify(ctx, tx, { to: user, kind: 'email-change-requested', facts })
    const entry = { action: 'user.email_change_requested', actor: person(userId), userId, request } as const
    await record(ctx, tx, { ...entry, personal: { newEmail } })
  })
}

function readAddress(text: string, { email }: User): string {
  const newEmail = requireEmail(text, 'newEmail')
  refuseProblems([demand(newEmail !== email, 'newEmail', 'is your address already')])
  return newEmail
}

const confirmationLetter = (token: string) => ({
  subject: 'Confirm your new e-mail address',
  paragraphs: [
    'Please confirm that this is the new address of your account; the link is good for one day, and once.',
    'If you did not ask for this, do not follow it: somebody has given your address for theirs, and nothing happens without you.',
  ],
  action: { label: 'Confirm this address', path: `/verify-email?token=${token}` },
})

const YOURS_ALREADY = {
  subject: 'Somebody gave your e-mail address for theirs',
  paragraphs: [
    'Somebody wanted to make this the address of their account, but it is the address of yours. Nothing was changed.',
    'If it was you, sign in to the account that has this address. If it was not you, there is nothing you need to do.',
  ],
  action: { label: 'Sign in', path: '/login' },
}

import { createHash } from 'node:crypto'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { clientNetwork } from '../http/client-address.ts'
import type { Exchange } from '../http/exchange.ts'
import { parseEmail } from '../lib/email.ts'
import { type Checked, checkCredentials } from '../users/credentials.ts'
import { type GuessCount, guess } from '../users/guesses.ts'
import { inPasswordLine } from '../users/passwords.ts'
import { findUserByEmail } from '../users/service.ts'
import { type Arrival, arrive } from './arrival.ts'
import { isKnownDevice } from './devices.ts'
import { countSignIn } from './figures.ts'
import type { Journey } from './journey.ts'
import { noteRefusal } from './refusals.ts'

const WINDOW_SECONDS = 15 * 60

export interface PasswordSignIn {
  email: string
  password: string
  /** They want the deletion of their account undone. */
  restores?: boolean
  journey?: Journey | undefined
}

/**
 * Signs a person in with a password. Failures are counted for the account at one address, for the address, and for
 * the account from anywhere; the last keeps strangers out, but nobody on a device of their own.
 */
export const signIn = (ctx: Ctx, exchange: Exchange, shown: PasswordSignIn): Promise<Arrival> =>
  countSignIn(
    ctx,
    'password',
    inPasswordLine(ctx, { request: exchange.request, account: shown.email.trim().toLowerCase() }, () =>
      signInByPassword(ctx, exchange, shown),
    ),
  )

async function signInByPassword(
  ctx: Ctx,
  exchange: Exchange,
  { email, password, restores = false, journey }: PasswordSignIn,
): Promise<Arrival> {
  const { request } = exchange
  const refusal = { request, method: 'password', email, journey } as const
  let checked: Checked | undefined
  const user = await guess(ctx.db, countsFor(ctx, exchange, email), {
    async attempt() {
      checked = await checkCredentials(ctx, email, password)
      return checked.user
    },
    wrong: () => new AppError('INVALID_CREDENTIALS'),
    async note(refused) {
      const why = refused === 'wrong' && checked && !checked.user ? checked : await unseen(ctx, email)
      await noteRefusal(ctx, { ...refusal, reason: why.reason, userId: why.holderId })
    },
  })
  return arrive(ctx, exchange, { user, amr: ['pwd'], restores, journey })
}

/** Why nothing was looked at. Whose the address is must be found out for the log. */
async function unseen(ctx: Ctx, email: string) {
  const address = parseEmail(email)
  const holder = address === undefined ? undefined : await findUserByEmail(ctx.db, address)
  return { reason: 'rate_limited', holderId: holder?.id }
}

function countsFor(ctx: Ctx, exchange: Exchange, email: string): GuessCount[] {
  const { signInFailures } = ctx.config.limits
  const limitOf = (name: string, factor: number) => ({
    ...{ name, most: signInFailures * factor, seconds: WINDOW_SECONDS },
  })
  // Whatever was typed is the account: nobody learns from the count whether it exists.
  const address = email.trim().toLowerCase()
  const account = createHash('sha256').update(address).digest('base64url')
  const network = clientNetwork(exchange.request)
  const isExempt = () => isKnownDevice(ctx, exchange, address)
  return [
    { limit: limitOf('sign-in', 1), key: `${account}:${network}`, forgiven: true },
    { limit: limitOf('sign-in-address', 50), key: network },
    { limit: limitOf('sign-in-account', 10), key: account, isExempt },
  ]
}

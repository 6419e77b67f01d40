import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Ctx } from '../../context.ts'
import { createLimiter } from '../../db/limiter.ts'
import { AppError, tooManyAttempts } from '../../errors.ts'
import { clientNetwork } from '../../http/client-address.ts'
import type { Exchange } from '../../http/exchange.ts'
import { guess } from '../../users/guesses.ts'
import {
  askForSecondFactor,
  askForSignIn,
  type BadPasskey,
  usePasskey,
} from '../../users/passkeys/assertion.ts'
import { findUser, type User } from '../../users/service.ts'
import { type Arrival, arrive } from '../arrival.ts'
import { type Challenged, findChallenged, passChallenge } from '../challenge.ts'
import { countRefusal, countSecondFactor, countSignIn } from '../figures.ts'
import { noteRefusal } from '../refusals.ts'

const WINDOW_SECONDS = 15 * 60
/** Each leaves something behind for a while, and anybody may ask. */
const ASK_LIMIT = { name: 'passkey-options', most: 2_000, seconds: WINDOW_SECONDS }

/**
 * Asks for a passkey: the second factor of whoever is asked for one in this browser, else a sign-in of its own.
 * `passwordless`: that in any case.
 */
export async function askForPasskey(
  ctx: Ctx,
  exchange: Exchange,
  { passwordless }: { passwordless: boolean },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const wait = await createLimiter(ctx.db, ASK_LIMIT).count(clientNetwork(exchange.request))
  if (wait !== undefined) throw tooManyAttempts(wait)
  const challenged = passwordless ? undefined : await findChallenged(ctx, exchange)
  return (challenged && (await askForSecondFactor(ctx, challenged.user.id))) ?? askForSignIn(ctx)
}

/** Signs somebody in with a passkey: after their password, or in its place. */
export async function signInWithPasskey(
  ctx: Ctx,
  exchange: Exchange,
  response: AuthenticationResponseJSON,
): Promise<Arrival> {
  const most = ctx.config.limits.signInFailures * 50
  const limit = { name: 'passkey', most, seconds: WINDOW_SECONDS }
  const counts = [{ limit, key: clientNetwork(exchange.request) }]
  let recognised: Recognised | Unrecognised | undefined
  const shown = guess(ctx.db, counts, {
    async attempt() {
      recognised = await recognise(ctx, exchange, response)
      return recognised.user && recognised
    },
    wrong: notAccepted,
    async note(refused) {
      const why = refused === 'wrong' && recognised && !recognised.user ? recognised : RATE_LIMITED
      await noteUnrecognised(ctx, exchange, why)
    },
  })
  const { user, challenged } = await countRefusal(ctx, 'passkey', shown)
  const amr = ['pop', 'user', 'mfa']
  if (!challenged) return countSignIn(ctx, 'passkey', arrive(ctx, exchange, { user, amr }))
  try {
    const passed = passChallenge(ctx, exchange, { challenged, amr: ['pop'] })
    return await countSecondFactor(ctx, 'passkey', passed)
  } catch (error) {
    // Somebody else has finished this sign-in at the same moment.
    throw error instanceof AppError && error.code === 'INVALID_CODE' ? notAccepted() : error
  }
}

/** Whatever is wrong, it is the same to whoever tries. */
const notAccepted = () => new AppError('INVALID_CREDENTIALS', { message: 'This passkey was not accepted.' })

interface Recognised {
  user: User
  /** Set: the passkey is their second factor. */
  challenged?: Challenged
}

/** Nobody was recognised: why, and whose account was meant. */
interface Unrecognised {
  user: undefined
  reason: BadPasskey | 'disabled' | 'rate_limited'
  userId: string | undefined
  isSecondFactor: boolean
}

const RATE_LIMITED: Unrecognised = {
  user: undefined,
  reason: 'rate_limited',
  userId: undefined,
  isSecondFactor: false,
}

async function recognise(
  ctx: Ctx,
  exchange: Exchange,
  response: AuthenticationResponseJSON,
): Promise<Recognised | Unrecognised> {
  const used = await usePasskey(ctx, response, exchange.request.log)
  const isSecondFactor = used.purpose === 'second-factor'
  const refuse = (reason: Unrecognised['reason'], userId: string | undefined): Unrecognised => ({
    ...{ user: undefined, reason, userId, isSecondFactor },
  })
  if (!used.passkey) return refuse(used.reason, used.userId)
  const { user_id: userId } = used.passkey
  if (isSecondFactor) {
    const challenged = await findChallenged(ctx, exchange)
    // They are asked for nothing any more, or somebody else is by now.
    if (challenged?.user.id !== userId) return refuse('unknown_challenge', userId)
    return { user: challenged.user, challenged }
  }
  const user = await findUser(ctx.db, userId)
  return user && !user.disabled ? { user } : refuse('disabled', userId)
}

/** Anybody can send what nobody has asked for: that is told once for each part of the network and its time. */
async function noteUnrecognised(ctx: Ctx, exchange: Exchange, why: Unrecognised): Promise<void> {
  const { request } = exchange
  const { reason, userId, isSecondFactor } = why
  if (reason === 'unknown_challenge') {
    const limiter = createLimiter(ctx.db, { name: 'passkey-challenge', most: 1, seconds: WINDOW_SECONDS })
    if (!(await limiter.isNews(clientNetwork(request)))) return
  }
  const action = isSecondFactor ? 'session.second_factor_refused' : 'session.refused'
  await noteRefusal(ctx, { action, request, method: 'passkey', reason, userId })
}

import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { findBrowser } from '../http/browser-cookie.ts'
import type { Exchange } from '../http/exchange.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { loadClient, openProvider, redirectUriOf, toRefusal } from './providers.ts'
import { deleteAttempt, insertAttempt } from './store.ts'

const SECONDS = 10 * 60
const SEAL = 'sso-attempt'

/** Who sets out for a provider: whoever uses this browser, or a person who links what they come back with. */
export interface Setout {
  /** The name of the browser, in which alone it can be finished. */
  browser?: string | undefined
  userId?: string
  /** They must sign in there anew. */
  demanded?: boolean
  /** Where they go afterwards. */
  returnTo?: string | undefined
  /** What the provider is told beside the rest. */
  hints?: Record<string, string> | undefined
}

/** Sets out; the answer is the address at the provider. */
export async function beginAttempt(ctx: Ctx, provider: SsoProvider, setout: Setout): Promise<string> {
  const { browser, userId, returnTo, hints, demanded = false } = setout
  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
  const { calculatePKCECodeChallenge } = await loadClient()
  const address = await addressAt(ctx, provider, {
    ...{ state, nonce, code_challenge: await calculatePKCECodeChallenge(verifier), ...hints },
  })
  await insertAttempt(ctx.db, {
    state_hash: hashSecret(state),
    provider: provider.name,
    sealed: ctx.keys.seal(SEAL, JSON.stringify({ nonce, verifier, demanded })),
    browser_hash: browser === undefined ? null : hashSecret(browser),
    user_id: userId ?? null,
    return_to: returnTo ?? null,
    expires_at: new Date(ctx.now().getTime() + SECONDS * 1000),
  })
  return address
}

async function addressAt(ctx: Ctx, provider: SsoProvider, own: Record<string, string>): Promise<string> {
  try {
    const { buildAuthorizationUrl } = await loadClient()
    const { href } = buildAuthorizationUrl(await openProvider(ctx, provider), {
      redirect_uri: redirectUriOf(ctx, provider),
      scope: provider.scopes,
      code_challenge_method: 'S256',
      ...own,
    })
    return href
  } catch (error) {
    throw toRefusal(provider, error)
  }
}

/** A way to a provider that somebody has come back from. */
export interface Attempt {
  provider: string
  state: string
  nonce: string
  verifier: string
  demanded: boolean
  /** It could be finished in one browser only. */
  isBound: boolean
  userId: string | undefined
  returnTo: string | undefined
  expiresAt: Date
}

/** The attempt of this state, which is used up by that. Undefined when there is none, or it is another browser's. */
export async function takeAttempt(
  ctx: Ctx,
  { request }: Exchange,
  state: string | undefined,
): Promise<Attempt | undefined> {
  const taken =
    state !== undefined && isSecret(state) ? await deleteAttempt(ctx.db, hashSecret(state)) : undefined
  if (state === undefined || !taken) return undefined
  const browser = findBrowser(ctx, request)
  const { browser_hash } = taken
  const isTheirs =
    browser_hash === null || (browser !== undefined && browser_hash.equals(hashSecret(browser)))
  if (!isTheirs) return undefined
  const secrets = JSON.parse(ctx.keys.unseal(SEAL, taken.sealed)) as Pick<
    Attempt,
    'nonce' | 'verifier' | 'demanded'
  >
  return {
    provider: taken.provider,
    state,
    ...secrets,
    isBound: browser_hash !== null,
    userId: taken.user_id ?? undefined,
    returnTo: taken.return_to ?? undefined,
    expiresAt: taken.expires_at,
  }
}

/** When somebody set out. */
export const startOf = ({ expiresAt }: Attempt): Date => new Date(expiresAt.getTime() - SECONDS * 1000)

/** Refuses what is no attempt at this provider, or took too long. */
export function requireGood(ctx: Ctx, provider: SsoProvider, attempt: Attempt | undefined): Attempt {
  if (attempt?.provider === provider.name && ctx.now() < attempt.expiresAt) return attempt
  throw new AppError('INVALID_REQUEST', {
    message: 'This sign-in took too long, was used before, or began in another browser. Start again.',
  })
}

import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { findBrowserId } from '../http/request/browser-cookie.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { t } from '../languages/translate.ts'
import { hashSecret, isSecret, newSecret } from '../lib/secrets.ts'
import { getConfiguration, loadClient, redirectUriOf, toProviderError } from './providers.ts'
import { deleteAttempt, insertAttempt } from './store.ts'

const MAX_AGE_SECONDS = 10 * 60
const SEAL = 'sso-attempt'

/** A redirect to a provider: to sign in, or to link an account to a signed-in user. */
export interface AttemptInput {
  /** The browser id. The attempt can be completed in this browser only. */
  browser?: string | undefined
  userId?: string
  /** The user must reauthenticate at the provider. */
  mustReauthenticate?: boolean
  /** The encrypted login transaction, or the URL to return to after linking. */
  returnTo?: string | undefined
  /** Further authorization parameters. */
  hints?: Record<string, string> | undefined
}

/** Stores an attempt and returns the authorization URL of the provider. */
export async function createAttempt(ctx: Ctx, provider: SsoProvider, input: AttemptInput): Promise<string> {
  const { browser, userId, returnTo, hints, mustReauthenticate = false } = input
  const [state, nonce, verifier] = [newSecret(), newSecret(), newSecret()]
  const { calculatePKCECodeChallenge } = await loadClient()
  const url = await toAuthorizationUrl(ctx, provider, {
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    ...hints,
  })
  await insertAttempt(ctx.db, {
    state_hash: hashSecret(state),
    provider: provider.name,
    sealed: ctx.keys.seal(SEAL, JSON.stringify(toSealed({ nonce, verifier, mustReauthenticate }))),
    browser_hash: browser === undefined ? null : hashSecret(browser),
    user_id: userId ?? null,
    return_to: returnTo ?? null,
    expires_at: new Date(ctx.now().getTime() + MAX_AGE_SECONDS * 1000),
  })
  return url
}

async function toAuthorizationUrl(
  ctx: Ctx,
  provider: SsoProvider,
  parameters: Record<string, string>,
): Promise<string> {
  try {
    const { buildAuthorizationUrl } = await loadClient()
    const { href } = buildAuthorizationUrl(await getConfiguration(ctx, provider), {
      redirect_uri: redirectUriOf(ctx, provider),
      scope: provider.scopes,
      code_challenge_method: 'S256',
      ...parameters,
    })
    return href
  } catch (error) {
    throw toProviderError(provider, error)
  }
}

/** A stored attempt whose callback has arrived. */
export interface Attempt {
  provider: string
  state: string
  nonce: string
  verifier: string
  mustReauthenticate: boolean
  /** It was bound to one browser. */
  isBound: boolean
  userId: string | undefined
  returnTo: string | undefined
  expiresAt: Date
}

/** Deletes and returns the attempt with this state; undefined if there is none, or it is bound to another browser. */
export async function consumeAttempt(
  ctx: Ctx,
  { request }: Exchange,
  state: string | undefined,
): Promise<Attempt | undefined> {
  const row = state !== undefined && isSecret(state) ? await deleteAttempt(ctx.db, hashSecret(state)) : undefined
  if (state === undefined || !row) return undefined
  const browser = findBrowserId(ctx, request)
  const { browser_hash } = row
  const isSameBrowser = browser_hash === null || (browser !== undefined && browser_hash.equals(hashSecret(browser)))
  if (!isSameBrowser) return undefined
  return {
    provider: row.provider,
    state,
    ...fromSealed(JSON.parse(ctx.keys.unseal(SEAL, row.sealed))),
    isBound: browser_hash !== null,
    userId: row.user_id ?? undefined,
    returnTo: row.return_to ?? undefined,
    expiresAt: row.expires_at,
  }
}

type AttemptSecrets = Pick<Attempt, 'nonce' | 'verifier' | 'mustReauthenticate'>

// In a rolling upgrade, nodes of this and of earlier releases read each other's rows. So the name `demanded` stays.

const toSealed = ({ mustReauthenticate, ...secrets }: AttemptSecrets) => ({
  ...secrets,
  demanded: mustReauthenticate,
})

const fromSealed = ({ demanded, ...secrets }: ReturnType<typeof toSealed>): AttemptSecrets => ({
  ...secrets,
  mustReauthenticate: demanded,
})

export const startedAt = ({ expiresAt }: Attempt): Date => new Date(expiresAt.getTime() - MAX_AGE_SECONDS * 1000)

/** Throws if there is no attempt, it is for another provider, or it has expired. */
export function requireValidAttempt(ctx: Ctx, provider: SsoProvider, attempt: Attempt | undefined): Attempt {
  if (attempt?.provider === provider.name && ctx.now() < attempt.expiresAt) return attempt
  throw new AppError('INVALID_REQUEST', {
    message: t('This sign-in took too long, was used before, or began in another browser. Start again.'),
  })
}

import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { isCrossOrigin, requireCsrf } from '../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { requestLog } from '../http/server/request-log.ts'
import { runInLanguage } from '../languages/current-language.ts'
import { t, translatable } from '../languages/translate.ts'
import { findLoginBrand } from '../sessions/brand.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import {
  DEFAULT_PAGE,
  establishSession,
  nextPage,
  type SignInResult,
  type VerifiedAuthentication,
} from '../sessions/establish-session.ts'
import { type LoginTransaction, readLoginTransaction, urlWithLogin } from '../sessions/login-transaction.ts'
import { countRefusal, countSignIn } from '../sessions/metrics.ts'
import { findPageLanguage } from '../sessions/page-language.ts'
import { recordRefusedSignIn } from '../sessions/refusals.ts'
import { rememberMethod } from '../sessions/used-methods.ts'
import type { Brand } from '../ui/brand.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { type Attempt, consumeAttempt, requireValidAttempt, startedAt } from './attempts.ts'
import { exchangeCallback } from './exchange-callback.ts'
import type { Identity } from './identity.ts'
import { readProposal, showLinkConfirmation } from './link-confirmation.tsx'
import { acceptProposal, receiveIdentity } from './linking.ts'
import { getProvider } from './providers.ts'
import { beginSignIn, findOrCreateUser } from './sign-in.ts'

export const ssoPages = [
  definePage({
    method: 'GET',
    path: '/sso/:provider',
    handler: async (ctx, input) => {
      const provider = providerOf(ctx, input)
      const sealedLogin = input.query.get('journey')
      const login = readLoginTransaction(ctx, sealedLogin)
      const back = backToLogin(ctx, login)
      // A cross-site request must not start a sign-in without a click: a provider with an active session would complete
      // it silently.
      if (isCrossOrigin(input.request)) {
        const page = <StartPage href={input.request.url} label={provider.label} />
        return { html: render(page, await back.brand()) }
      }
      return withErrorPage(input, { provider, back }, async () => ({
        redirect: await countRefusal(ctx, 'sso', beginSignIn(ctx, input, { provider, sealedLogin })),
      }))
    },
  }),
  definePage({
    method: 'GET',
    path: '/sso/:provider/callback',
    handler: async (ctx, input) => {
      const provider = providerOf(ctx, input)
      const storedAttempt = await consumeAttempt(ctx, input, input.query.get('state'))
      const isLink = storedAttempt?.userId !== undefined
      const login = isLink ? undefined : readLoginTransaction(ctx, storedAttempt?.returnTo)
      const back = isLink ? BACK_TO_ACCOUNT : backToLogin(ctx, login)
      const finish = async () => {
        const attempt = requireValidAttempt(ctx, provider, storedAttempt)
        const callback = { provider, attempt, search: queryStringOf(input) }
        if (!isLink) {
          const result = await countSignIn(ctx, 'sso', finishSignIn(ctx, input, { ...callback, login }))
          return { redirect: nextPage(ctx, result, login) }
        }
        const proposal = await receiveIdentity(ctx, input, callback)
        if (!attempt.isBound) return showLinkConfirmation(ctx, input, provider, proposal)
        await acceptProposal(ctx, input, { provider, proposal })
        return { redirect: proposal.returnTo }
      }
      // The URL of a callback does not have the login.
      const language = await findPageLanguage(ctx, { ...input, login })
      return runInLanguage(language, () => withErrorPage(input, { provider, back }, finish))
    },
  }),
  definePage({
    method: 'POST',
    path: '/sso/:provider/link',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const provider = providerOf(ctx, input)
      return withErrorPage(input, { provider, back: BACK_TO_ACCOUNT }, async () => {
        const proposal = readProposal(ctx, provider, input.form.get('proposal'))
        await acceptProposal(ctx, input, { provider, proposal })
        return { redirect: proposal.returnTo }
      })
    },
  }),
]

/** The callback of a provider. */
interface CallbackInput {
  provider: SsoProvider
  attempt: Attempt
  search: string
}

/** A callback to sign in. */
type SignInCallback = CallbackInput & { login: LoginTransaction | undefined }

async function finishSignIn(ctx: Ctx, input: PageInput, callback: SignInCallback): Promise<SignInResult> {
  const { provider, login } = callback
  const { request } = input
  const identity = await getIdentity(ctx, callback).catch(async (error: unknown) => {
    // An unreachable provider is not a refused sign-in.
    if (error instanceof AppError && error.status < 500) {
      const refusal = { method: 'sso', reason: 'provider_refused', provider: provider.name } as const
      await recordRefusedSignIn(ctx, { ...refusal, request, login })
    }
    throw error
  })
  const user = await findOrCreateUser(ctx, { provider, identity, request, login })
  const sessionAuthTime = await findAuthTime(ctx, input, { ...callback, identity, user })
  // RFC 8176 has no value for federation; `fed` is common.
  const result = await establishSession(ctx, input, { user, amr: ['fed'], ...sessionAuthTime, login })
  rememberMethod(ctx, input, provider.name)
  return result
}

async function getIdentity(ctx: Ctx, callback: SignInCallback): Promise<Identity> {
  const identity = await exchangeCallback(ctx, callback.provider, callback)
  if (identity.authTime) requireFresh(identity.authTime, callback.attempt)
  else requireNoMaxAge(callback)
  return identity
}

/** Tolerated clock difference. */
const SKEW_MS = 60_000

/** The provider was asked for reauthentication, but reused an old session. */
function requireFresh(authTime: Date, attempt: Attempt): void {
  const isStale = attempt.mustReauthenticate && authTime.getTime() < startedAt(attempt).getTime() - SKEW_MS
  if (!isStale) return
  throw new AppError('INVALID_REQUEST', {
    message: t('You did not sign in again. Start again, or sign in another way.'),
  })
}

/** The operator trusts this provider to reauthenticate although it sends no auth_time. */
const hasReauthenticated = ({ provider, attempt }: CallbackInput): boolean =>
  attempt.mustReauthenticate && provider.trustReauthentication

/** Without auth_time the max_age of the application cannot be checked. */
function requireNoMaxAge(callback: SignInCallback): void {
  const { provider, login } = callback
  if (login?.maxAge === undefined || hasReauthenticated(callback)) return
  throw new AppError('INVALID_REQUEST', {
    message: t('{provider} did not say when you signed in there, and the application must know. Sign in another way.', {
      provider: provider.label,
    }),
    cause: 'no auth_time, and the application asked for a recent sign-in',
  })
}

/**
 * The auth_time of the session: as the provider says, else now. A provider without auth_time may have reused an old
 * session. So an existing session of the same user keeps its own auth_time, and otherwise it is marked as assumed.
 */
async function findAuthTime(
  ctx: Ctx,
  input: PageInput,
  callback: CallbackInput & { identity: Identity; user: { id: string } },
): Promise<Pick<VerifiedAuthentication, 'authTime' | 'authTimeAssumed'>> {
  const { identity, attempt, user } = callback
  if (identity.authTime) {
    // After reauthentication auth_time is not before the start of the attempt, even if the clock of the provider is
    // behind.
    const earliest = attempt.mustReauthenticate ? startedAt(attempt).getTime() : 0
    const authTime = Math.max(identity.authTime.getTime(), earliest)
    return { authTime: new Date(Math.min(authTime, ctx.now().getTime())) }
  }
  if (hasReauthenticated(callback)) return {}
  const session = attempt.mustReauthenticate ? undefined : await findBrowserSession(ctx, input)
  if (session?.userId !== user.id) return { authTimeAssumed: true }
  return { authTime: session.authTime, authTimeAssumed: session.authTimeAssumed }
}

const providerOf = (ctx: Ctx, { request }: PageInput): SsoProvider =>
  getProvider(ctx, (request.params as { provider: string }).provider)

/** The raw query string, which openid-client parses itself. */
function queryStringOf({ request: { url } }: PageInput): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

interface BackLink {
  href: string
  label: string
  /** The brand of the error page. */
  brand(): Promise<Brand | undefined>
}

const BACK_TO_ACCOUNT: BackLink = {
  href: DEFAULT_PAGE,
  label: translatable('Back to your account'),
  brand: async () => undefined,
}

const backToLogin = (ctx: Ctx, login: LoginTransaction | undefined): BackLink => ({
  href: login ? urlWithLogin(ctx, '/login', login) : '/login',
  label: translatable('Back to the sign-in'),
  brand: () => findLoginBrand(ctx, login),
})

/** Shows errors on a page with a link back. */
async function withErrorPage(
  { request, reply }: PageInput,
  { provider, back }: { provider: SsoProvider; back: BackLink },
  work: () => Promise<PageResult>,
): Promise<PageResult> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { status, code, cause: reason, message, headers } = error
    const line = { provider: provider.name, code, reason }
    if (status >= 500) requestLog(request).warn(line, 'sign-in provider failed')
    else requestLog(request).info(line, 'sign-in through a provider refused')
    reply.headers(headers)
    return { status, html: render(<RefusedPage message={message} back={back} />, await back.brand()) }
  }
}

const RefusedPage = ({ message, back }: { message: string; back: BackLink }) => (
  <Layout title={t('That did not work')}>
    <h1>{t('That did not work')}</h1>
    <p role="alert">{message}</p>
    <p>
      <a href={back.href}>{t(back.label)}</a>
    </p>
  </Layout>
)

const StartPage = ({ href, label }: { href: string; label: string }) => (
  <Layout title={t('Sign in')} hasLanguages={false}>
    <h1>{t('Sign in with {provider}', { provider: label })}</h1>
    <p>
      <a class="button" href={href}>
        {t('Continue with {provider}', { provider: label })}
      </a>
    </p>
  </Layout>
)

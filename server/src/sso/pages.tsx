import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { isCrossOrigin, requireCsrf } from '../http/csrf.ts'
import { definePage, type PageAnswer, type PageInput } from '../http/define-route.ts'
import { type Arrival, arrive, HOME, type Proof, wayOn } from '../sessions/arrival.ts'
import { brandOf } from '../sessions/brand.ts'
import { findBrowserSession } from '../sessions/browser-session.ts'
import { countRefusal, countSignIn } from '../sessions/figures.ts'
import { type Journey, openJourney, withJourney } from '../sessions/journey.ts'
import { noteRefusal } from '../sessions/refusals.ts'
import type { Brand } from '../ui/brand.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { type Attempt, requireGood, startOf, takeAttempt } from './attempts.ts'
import type { Identity } from './identity.ts'
import { acceptProposal, receiveIdentity } from './linking.ts'
import { askToLink, openProposal } from './proposals.tsx'
import { getProvider } from './providers.ts'
import { redeem } from './redeem.ts'
import { beginSignIn, findOrWelcome } from './sign-in.ts'

export const ssoPages = [
  definePage({
    method: 'GET',
    path: '/sso/:provider',
    handler: async (ctx, input) => {
      const provider = providerOf(ctx, input)
      const sealedJourney = input.query.get('journey')
      const journey = openJourney(ctx, sealedJourney)
      const back = backToLogin(ctx, journey)
      // Another site may send people here, but not on to a provider that waves them through.
      if (isCrossOrigin(input.request)) {
        const page = <StartPage href={input.request.url} label={provider.label} />
        return { html: render(page, await back.brand()) }
      }
      return orRefusal(input, { provider, back }, async () => ({
        redirect: await countRefusal(ctx, 'sso', beginSignIn(ctx, input, { provider, sealedJourney })),
      }))
    },
  }),
  definePage({
    method: 'GET',
    path: '/sso/:provider/callback',
    handler: async (ctx, input) => {
      const provider = providerOf(ctx, input)
      const taken = await takeAttempt(ctx, input, input.query.get('state'))
      const isLink = taken?.userId !== undefined
      const journey = isLink ? undefined : openJourney(ctx, taken?.returnTo)
      const back = isLink ? BACK_TO_ACCOUNT : backToLogin(ctx, journey)
      return orRefusal(input, { provider, back }, async () => {
        const attempt = requireGood(ctx, provider, taken)
        const arrived = { provider, attempt, search: searchOf(input) }
        if (!isLink) {
          const arrival = await countSignIn(ctx, 'sso', finishSignIn(ctx, input, { ...arrived, journey }))
          return { redirect: wayOn(ctx, arrival, journey) }
        }
        const proposal = await receiveIdentity(ctx, input, arrived)
        if (!attempt.isBound) return askToLink(ctx, input, provider, proposal)
        await acceptProposal(ctx, input, { provider, proposal })
        return { redirect: proposal.returnTo }
      })
    },
  }),
  definePage({
    method: 'POST',
    path: '/sso/:provider/link',
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const provider = providerOf(ctx, input)
      return orRefusal(input, { provider, back: BACK_TO_ACCOUNT }, async () => {
        const proposal = openProposal(ctx, provider, input.form.get('proposal'))
        await acceptProposal(ctx, input, { provider, proposal })
        return { redirect: proposal.returnTo }
      })
    },
  }),
]

/** Somebody who has come back from a provider with its answer. */
interface Arrived {
  provider: SsoProvider
  attempt: Attempt
  search: string
}

/** Somebody who comes back to sign in, perhaps on the way to an application. */
type SigningIn = Arrived & { journey: Journey | undefined }

async function finishSignIn(ctx: Ctx, input: PageInput, arrived: SigningIn): Promise<Arrival> {
  const { provider, journey } = arrived
  const { request } = input
  const identity = await takeIdentity(ctx, arrived).catch(async (error: unknown) => {
    // A provider that is away refuses nobody.
    if (error instanceof AppError && error.status < 500) {
      const told = { method: 'sso', reason: 'provider_refused', provider: provider.name } as const
      await noteRefusal(ctx, { ...told, request, journey })
    }
    throw error
  })
  const user = await findOrWelcome(ctx, { provider, identity, request, journey })
  const when = await authTimeOf(ctx, input, { ...arrived, identity, user })
  // RFC 8176 has no word for it; `fed` is the common one.
  return arrive(ctx, input, { user, amr: ['fed'], ...when, journey })
}

async function takeIdentity(ctx: Ctx, arrived: SigningIn): Promise<Identity> {
  const identity = await redeem(ctx, arrived.provider, arrived)
  if (identity.authTime) requireFresh(identity.authTime, arrived.attempt)
  else requireNoDemand(arrived)
  return identity
}

/** Clocks differ a little. */
const SKEW_MS = 60_000

/** Who had to sign in anew at the provider, and was waved through, has not. */
function requireFresh(authTime: Date, attempt: Attempt): void {
  const isStale = attempt.demanded && authTime.getTime() < startOf(attempt).getTime() - SKEW_MS
  if (!isStale) return
  throw new AppError('INVALID_REQUEST', {
    message: 'You did not sign in again. Start again, or sign in another way.',
  })
}

/** The operator knows that the provider does what it was asked for, although it does not say so. */
const hasReauthenticated = ({ provider, attempt }: Arrived): boolean =>
  attempt.demanded && provider.trustReauthentication

/** Of who does not say when they signed in, nobody knows whether that is new enough for the application. */
function requireNoDemand(arrived: SigningIn): void {
  const { provider, journey } = arrived
  if (journey?.maxAge === undefined || hasReauthenticated(arrived)) return
  throw new AppError('INVALID_REQUEST', {
    message: `${provider.label} did not say when you signed in there, and the application must know. Sign in another way.`,
    cause: 'no auth_time, and the application asked for a recent sign-in',
  })
}

/**
 * When they proved who they are: as the provider says, else now. But a provider that does not say may just have waved
 * them through, which makes nobody who is signed in here any fresher, and is only assumed of anybody else.
 */
async function authTimeOf(
  ctx: Ctx,
  input: PageInput,
  arrived: Arrived & { identity: Identity; user: { id: string } },
): Promise<Pick<Proof, 'authTime' | 'authTimeAssumed'>> {
  const { identity, attempt, user } = arrived
  if (identity.authTime) {
    // Who was made to sign in anew did so after they set out, whatever the provider's clock says.
    const earliest = attempt.demanded ? startOf(attempt).getTime() : 0
    const told = Math.max(identity.authTime.getTime(), earliest)
    return { authTime: new Date(Math.min(told, ctx.now().getTime())) }
  }
  if (hasReauthenticated(arrived)) return {}
  const session = attempt.demanded ? undefined : await findBrowserSession(ctx, input)
  if (session?.userId !== user.id) return { authTimeAssumed: true }
  return { authTime: session.authTime, authTimeAssumed: session.authTimeAssumed }
}

const providerOf = (ctx: Ctx, { request }: PageInput): SsoProvider =>
  getProvider(ctx, (request.params as { provider: string }).provider)

/** The answer as it came: the library reads it itself. */
function searchOf({ request: { url } }: PageInput): string {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start)
}

interface WayBack {
  href: string
  label: string
  /** Whose name stands above the page that leads back. */
  brand(): Promise<Brand | undefined>
}

const BACK_TO_ACCOUNT: WayBack = {
  href: HOME,
  label: 'Back to your account',
  brand: async () => undefined,
}

const backToLogin = (ctx: Ctx, journey: Journey | undefined): WayBack => ({
  href: journey ? withJourney(ctx, '/login', journey) : '/login',
  label: 'Back to the sign-in',
  brand: () => brandOf(ctx, journey),
})

/** Whatever goes wrong on the way is said on a page that leads back. */
async function orRefusal(
  { request, reply }: PageInput,
  { provider, back }: { provider: SsoProvider; back: WayBack },
  work: () => Promise<PageAnswer>,
): Promise<PageAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { status, code, cause: reason, message, headers } = error
    const line = { provider: provider.name, code, reason }
    if (status >= 500) request.log.warn(line, 'sign-in provider failed')
    else request.log.info(line, 'sign-in through a provider refused')
    reply.headers(headers)
    return { status, html: render(<RefusedPage message={message} back={back} />, await back.brand()) }
  }
}

const RefusedPage = ({ message, back }: { message: string; back: WayBack }) => (
  <Layout title="That did not work">
    <h1>That did not work</h1>
    <p role="alert">{message}</p>
    <p>
      <a href={back.href}>{back.label}</a>
    </p>
  </Layout>
)

const StartPage = ({ href, label }: { href: string; label: string }) => (
  <Layout title="Sign in">
    <h1>Sign in with {label}</h1>
    <p>
      <a class="button" href={href}>
        Continue with {label}
      </a>
    </p>
  </Layout>
)

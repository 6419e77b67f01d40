import type { SsoProvider } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { definePage, type PageAnswer, type PageInput } from '../http/define-route.ts'
import { arrive, HOME, wayOn } from '../sessions/arrival.ts'
import { type Journey, openJourney, withJourney } from '../sessions/journey.ts'
import { Layout } from '../ui/layout.tsx'
import { render } from '../ui/render.ts'
import { type Attempt, requireGood, takeAttempt } from './attempts.ts'
import { finishLink } from './linking.ts'
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
      const back = backToLogin(ctx, openJourney(ctx, sealedJourney))
      return orRefusal(input, { provider, back }, async () => ({
        redirect: await beginSignIn(ctx, input, { provider, sealedJourney }),
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
        if (isLink) return { redirect: await finishLink(ctx, input, arrived) }
        return finishSignIn(ctx, input, { ...arrived, journey })
      })
    },
  }),
]

async function finishSignIn(
  ctx: Ctx,
  input: PageInput,
  arrived: { provider: SsoProvider; attempt: Attempt; search: string; journey: Journey | undefined },
): Promise<PageAnswer> {
  const { provider, journey } = arrived
  const identity = await redeem(ctx, provider, arrived)
  const user = await findOrWelcome(ctx, { provider, identity, request: input.request })
  // RFC 8176 has no word for it; `fed` is the common one.
  const arrival = await arrive(ctx, input, { user, amr: ['fed'] })
  return { redirect: wayOn(ctx, arrival, journey) }
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
}

const BACK_TO_ACCOUNT: WayBack = { href: HOME, label: 'Back to your account' }

const backToLogin = (ctx: Ctx, journey: Journey | undefined): WayBack => ({
  href: journey ? withJourney(ctx, '/login', journey) : '/login',
  label: 'Back to the sign-in',
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
    return { status, html: render(<RefusedPage message={message} back={back} />) }
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

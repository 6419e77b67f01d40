import { findBrand } from '../branding/brands.ts'
import { ssoPath } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { csrfToken, requireCsrf } from '../http/csrf.ts'
import { definePage, type Page, type PageAnswer, type PageInput } from '../http/define-route.ts'
import { type PageProblem, toPageProblem } from '../http/page-problem.ts'
import type { Fields } from '../lib/fields.ts'
import { arrive, wayOn } from '../sessions/arrival.ts'
import { type BrowserSession, findBrowserSession, signOut } from '../sessions/browser-session.ts'
import { type Journey, signInAddress, withJourney } from '../sessions/journey.ts'
import { resendVerification } from '../sessions/resend-verification.ts'
import { render } from '../ui/render.ts'
import { findUser } from '../users/service.ts'
import { accept, type Joined, showInvitation } from './acceptance.ts'
import { EndedPage, isEnding } from './ended-page.tsx'
import type { ShownInvitation } from './schema.ts'
import {
  AcceptPage,
  JoinedPage,
  NewcomerPage,
  OtherPersonPage,
  SignInPage,
  UnconfirmedPage,
  type ViewProps,
} from './views.tsx'

const PATH = '/invitations/:token'

/** Where the link of an invitation leads. Opening it changes nothing: mail scanners follow every link. */
export const invitationPages: Page[] = [
  definePage({
    method: 'GET',
    path: PATH,
    handler: async (ctx, input) => show(ctx, await receive(ctx, input)),
  }),
  definePage({
    method: 'POST',
    path: PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const visit = await receive(ctx, input)
      try {
        return await act(ctx, visit)
      } catch (error) {
        return show(ctx, visit, { problem: toPageProblem(error, input.reply) })
      }
    },
  }),
]

/** Somebody who has opened the link, and whoever is signed in in their browser. */
interface Visit extends PageInput {
  token: string
  session: BrowserSession | undefined
}

async function receive(ctx: Ctx, input: PageInput): Promise<Visit> {
  const { token } = input.request.params as { token: string }
  return { ...input, token, session: await findBrowserSession(ctx, input) }
}

function act(ctx: Ctx, visit: Visit): Promise<PageAnswer> {
  switch (visit.form.get('choice')) {
    case 'accept':
      return acceptSignedIn(ctx, visit)
    case 'join':
      return joinAnew(ctx, visit)
    case 'switch':
      return switchAccount(ctx, visit)
    case 'confirm':
      return sendMailAgain(ctx, visit)
    default:
      throw new AppError('INVALID_REQUEST')
  }
}

async function acceptSignedIn(ctx: Ctx, { token, session, request }: Visit): Promise<PageAnswer> {
  return welcome(ctx, await accept(ctx, { token, userId: session?.userId, body: {}, request }))
}

/** Who fills in the form wants an account of the invited address, whoever else is signed in by now. */
async function joinAnew(ctx: Ctx, visit: Visit): Promise<PageAnswer> {
  const { token, request } = visit
  const body = readForm(visit.form)
  const joined = await accept(ctx, { token, userId: undefined, body, request })
  const arrival = await arrive(ctx, visit, { user: joined.user, amr: ['pwd'] })
  return arrival.state === 'signed-in' ? welcome(ctx, joined) : { redirect: wayOn(ctx, arrival, undefined) }
}

async function welcome(ctx: Ctx, { tenantName, tenantSlug, user }: Joined): Promise<PageAnswer> {
  const page = <JoinedPage tenantName={tenantName} email={user.email} />
  return { html: render(page, await findBrand(ctx, { tenant: tenantSlug, viewerId: user.id })) }
}

const readForm = (form: Fields) => ({
  givenName: form.get('givenName') ?? '',
  familyName: form.get('familyName') ?? '',
  password: form.get('password') ?? '',
})

/** Who has an account signs in to it, and loses nothing if they think better of it; for who has none, this one must go. */
async function switchAccount(ctx: Ctx, visit: Visit): Promise<PageAnswer> {
  const invitation = await showInvitation(ctx, visit.token)
  if (invitation.hasAccount) return { redirect: signInAddress(ctx, journeyOf(ctx, visit, invitation), true) }
  await signOut(ctx, visit)
  return { redirect: pathOf(visit) }
}

async function sendMailAgain(ctx: Ctx, visit: Visit): Promise<PageAnswer> {
  const user = visit.session && (await findUser(ctx.db, visit.session.userId))
  if (user) await resendVerification(ctx, user)
  return show(ctx, visit, { mailed: true })
}

interface State {
  problem?: PageProblem
  mailed?: boolean
}

/** The page that fits whoever has come, or says that the link leads nowhere any more. */
async function show(ctx: Ctx, visit: Visit, { problem, mailed = false }: State = {}): Promise<PageAnswer> {
  try {
    const invitation = await showInvitation(ctx, visit.token)
    const csrf = csrfToken(ctx, visit.request, visit.reply)
    const view = { invitation, problem, action: pathOf(visit), csrf }
    const brand = await findBrand(ctx, { tenant: invitation.tenant.slug })
    return { status: problem?.status ?? 200, html: render(choosePage(ctx, visit, { view, mailed }), brand) }
  } catch (error) {
    if (!(error instanceof AppError && isEnding(error))) throw error
    const { status, code } = error
    return { status, html: render(<EndedPage code={code} isSignedIn={visit.session !== undefined} />) }
  }
}

function choosePage(ctx: Ctx, visit: Visit, { view, mailed }: { view: ViewProps; mailed: boolean }) {
  const { session, form } = visit
  const { hasAccount, email } = view.invitation
  const journey = journeyOf(ctx, visit, view.invitation)
  if (session && session.email !== email) return <OtherPersonPage {...view} signedIn={session.email} />
  if (session?.emailVerified) return <AcceptPage {...view} />
  if (session) return <UnconfirmedPage {...view} mailed={mailed} />
  if (hasAccount) return <SignInPage {...view} signIn={signInAddress(ctx, journey, false)} />
  const providers = ctx.config.sso.map((provider) => ({
    label: provider.label,
    path: withJourney(ctx, ssoPath(provider), journey),
  }))
  return <NewcomerPage {...view} form={form} providers={providers} />
}

const pathOf = ({ token }: Pick<Visit, 'token'>): string => `/invitations/${token}`

/** Over a sign-in, with a second factor or through a provider, and back here. */
const journeyOf = (ctx: Ctx, visit: Visit, { email, tenant }: ShownInvitation): Journey => ({
  next: pathOf(visit),
  startedAt: ctx.now().getTime(),
  loginHint: email,
  tenant: tenant.slug,
  formTargets: [],
  luggage: undefined,
})

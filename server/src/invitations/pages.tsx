import { findBrand } from '../branding/find-brand.ts'
import { ssoPath } from '../config/sso.ts'
import type { Ctx } from '../context.ts'
import { AppError } from '../errors.ts'
import { type PageProblem, toPageProblem } from '../http/errors/page-problem.ts'
import { createCsrfToken, requireCsrf } from '../http/request/csrf.ts'
import { definePage, type Page, type PageInput, type PageResult } from '../http/routing/define-route.ts'
import { currentLanguage, runInLanguage } from '../languages/current-language.ts'
import type { Fields } from '../lib/fields.ts'
import { continueWhenVerified } from '../sessions/awaited-sign-up.ts'
import { type BrowserSession, findBrowserSession, signOut } from '../sessions/browser-session.ts'
import { establishSession, nextPage } from '../sessions/establish-session.ts'
import { type LoginTransaction, signInUrl, urlWithLogin } from '../sessions/login-transaction.ts'
import { findPageLanguage } from '../sessions/page-language.ts'
import { resendVerificationOnPage, secondsUntilVerification } from '../sessions/resend-verification.ts'
import { render } from '../ui/render.ts'
import { findUser } from '../users/service.ts'
import { type AcceptedMembership, acceptInvitation, getInvitationDetails } from './acceptance.ts'
import type { InvitationDetails } from './schema.ts'
import { isUnusable, UnusablePage } from './unusable-page.tsx'
import {
  AcceptPage,
  JoinedPage,
  NewUserPage,
  SignInPage,
  UnverifiedPage,
  type ViewProps,
  WrongAccountPage,
} from './views.tsx'

const PATH = '/invitations/:token'

/** The pages of an invitation link. GET has no side effects: mail scanners follow every link. */
export const invitationPages: Page[] = [
  definePage({
    method: 'GET',
    path: PATH,
    handler: async (ctx, pageInput) => show(ctx, await toInvitationInput(ctx, pageInput)),
  }),
  definePage({
    method: 'POST',
    path: PATH,
    handler: async (ctx, pageInput) => {
      requireCsrf(ctx, pageInput.request, pageInput.form)
      const input = await toInvitationInput(ctx, pageInput)
      try {
        return await submit(ctx, input)
      } catch (error) {
        return show(ctx, input, { problem: toPageProblem(error, input.reply) })
      }
    },
  }),
]

interface InvitationPageInput extends PageInput {
  token: string
  session: BrowserSession | undefined
}

async function toInvitationInput(ctx: Ctx, input: PageInput): Promise<InvitationPageInput> {
  const { token } = input.request.params as { token: string }
  return { ...input, token, session: await findBrowserSession(ctx, input) }
}

function submit(ctx: Ctx, input: InvitationPageInput): Promise<PageResult> {
  switch (input.form.get('choice')) {
    case 'accept':
      return acceptAsSignedIn(ctx, input)
    case 'join':
      return acceptAsNewUser(ctx, input)
    case 'switch':
      return switchAccount(ctx, input)
    case 'confirm':
      return resendMail(ctx, input)
    default:
      throw new AppError('INVALID_REQUEST')
  }
}

async function acceptAsSignedIn(ctx: Ctx, { token, session, request }: InvitationPageInput): Promise<PageResult> {
  const membership = await acceptInvitation(ctx, { token, userId: session?.userId, body: {}, request })
  return showJoined(ctx, membership)
}

/** The form creates an account for the invited address, so a session that was started meanwhile is ignored. */
async function acceptAsNewUser(ctx: Ctx, input: InvitationPageInput): Promise<PageResult> {
  const { token, request } = input
  const body = parseForm(input.form)
  const membership = await acceptInvitation(ctx, { token, userId: undefined, body, request })
  const outcome = await establishSession(ctx, input, { user: membership.user, amr: ['pwd'] })
  return outcome.state === 'signed-in' ? showJoined(ctx, membership) : { redirect: nextPage(ctx, outcome, undefined) }
}

async function showJoined(ctx: Ctx, { tenantName, tenantSlug, user }: AcceptedMembership): Promise<PageResult> {
  const page = <JoinedPage tenantName={tenantName} email={user.email} />
  return { html: render(page, await findBrand(ctx, { tenant: tenantSlug, viewerId: user.id })) }
}

const parseForm = (form: Fields) => ({
  givenName: form.get('givenName') ?? '',
  familyName: form.get('familyName') ?? '',
  password: form.get('password') ?? '',
})

/** With an account for the address, the new sign-in replaces the session. Without one, the session must end first. */
async function switchAccount(ctx: Ctx, input: InvitationPageInput): Promise<PageResult> {
  const invitation = await getInvitationDetails(ctx, input.token)
  if (invitation.hasAccount)
    return { redirect: signInUrl(ctx, toLogin(ctx, input, invitation), { mustReauthenticate: true }) }
  await signOut(ctx, input)
  return { redirect: pathOf(input) }
}

async function resendMail(ctx: Ctx, input: InvitationPageInput): Promise<PageResult> {
  const user = input.session && (await findUser(ctx.db, input.session.userId))
  if (user) await resendVerificationOnPage(ctx, user)
  return show(ctx, input, { mailed: true })
}

interface PageState {
  problem?: PageProblem
  mailed?: boolean
}

/** The page for the state of the invitation and of the session. */
async function show(
  ctx: Ctx,
  input: InvitationPageInput,
  { problem, mailed = false }: PageState = {},
): Promise<PageResult> {
  try {
    const invitation = await getInvitationDetails(ctx, input.token)
    await continueHere(ctx, input, invitation)
    const csrf = createCsrfToken(ctx, input.request, input.reply)
    const { slug: tenant } = invitation.tenant
    const language = await findPageLanguage(ctx, { ...input, tenant })
    const brand = await findBrand(ctx, { tenant })
    // The tenant is known only now. The next page is in the same language.
    const action = language === currentLanguage() ? pathOf(input) : `${pathOf(input)}?ui_locales=${language}`
    const view = { invitation, problem, action, csrf }
    const choice = { view, mailed, seconds: await findSeconds(ctx, input) }
    const html = runInLanguage(language, () => render(choosePage(ctx, input, choice), brand))
    return { status: problem?.status ?? 200, html }
  } catch (error) {
    if (!(error instanceof AppError && isUnusable(error))) throw error
    const { status, code } = error
    return { status, html: render(<UnusablePage code={code} isSignedIn={input.session !== undefined} />) }
  }
}

/** The link that verifies the address of the person who is signed in leads back to this page. */
async function continueHere(ctx: Ctx, input: InvitationPageInput, invitation: InvitationDetails): Promise<void> {
  const { session } = input
  if (!session || session.emailVerified || session.email !== invitation.email) return
  const user = { id: session.userId, email: session.email }
  await continueWhenVerified(ctx, input, { user, login: toLogin(ctx, input, invitation) })
}

/** The seconds until the person who is signed in may ask for another mail that confirms the address. */
async function findSeconds(ctx: Ctx, { session }: InvitationPageInput): Promise<number> {
  const user = session && !session.emailVerified ? await findUser(ctx.db, session.userId) : undefined
  return user ? secondsUntilVerification(ctx, ctx.db, user) : 0
}

interface Choice {
  view: ViewProps
  mailed: boolean
  seconds: number
}

function choosePage(ctx: Ctx, input: InvitationPageInput, { view, mailed, seconds }: Choice) {
  const { session, form } = input
  const { hasAccount, email } = view.invitation
  const login = toLogin(ctx, input, view.invitation)
  if (session && session.email !== email) return <WrongAccountPage {...view} sessionEmail={session.email} />
  if (session?.emailVerified) return <AcceptPage {...view} />
  if (session) return <UnverifiedPage {...view} mailed={mailed} seconds={seconds} />
  if (hasAccount) return <SignInPage {...view} signInUrl={signInUrl(ctx, login)} />
  const providers = ctx.config.sso.map((provider) => ({
    label: provider.label,
    path: urlWithLogin(ctx, ssoPath(provider), login),
  }))
  return <NewUserPage {...view} form={form} providers={providers} />
}

const pathOf = ({ token }: Pick<InvitationPageInput, 'token'>): string => `/invitations/${token}`

/** The login transaction that returns to this page. */
const toLogin = (ctx: Ctx, input: InvitationPageInput, { email, tenant }: InvitationDetails): LoginTransaction => ({
  next: pathOf(input),
  startedAt: ctx.now().getTime(),
  loginHint: email,
  tenant: tenant.slug,
  formTargets: [],
  state: undefined,
})

import type { Client } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import { AppError, OAuthError } from '../../errors.ts'
import { type PageProblem, toPageProblem } from '../../http/errors/page-problem.ts'
import { ensureBrowserId, findBrowserId } from '../../http/request/browser-cookie.ts'
import { createCsrfToken, requireCsrf } from '../../http/request/csrf.ts'
import { definePage, type PageInput, type PageResult } from '../../http/routing/define-route.ts'
import { t } from '../../languages/translate.ts'
import { fingerprintOf } from '../../lib/secrets.ts'
import { findLoginBrand } from '../../sessions/brand.ts'
import { type BrowserSession, findBrowserSession } from '../../sessions/browser-session.ts'
import {
  type LoginTransaction,
  readLoginTransaction,
  signInUrl,
  urlWithLogin,
} from '../../sessions/login-transaction.ts'
import { render } from '../../ui/render.ts'
import { NO_CLAIMS } from '../claims-parameter.ts'
import { findNextStep } from '../next-step.ts'
import { TenantPage } from '../step-pages.tsx'
import type { ActiveMembership } from '../store.ts'
import { DEVICE_PATH } from './authorize-device.ts'
import { allowDevice, refuseDevice } from './decide.ts'
import { findDevice, findUsableClient } from './find-device.ts'
import { findPendingDevice, isAllowedFrom, type PendingDevice } from './store.ts'
import { formatUserCode, parseUserCode } from './user-code.ts'
import { CodePage, DecisionPage, DonePage, EndedPage, toDeviceFacts, WrongAccountPage } from './views.tsx'

/** State that is carried from step to step, encrypted. The device, the session and the consent are read again. */
interface DeviceState {
  device: string
  /** The fingerprint of the browser id. The steps work only in the browser in which the code was typed. */
  browser: string
  userCode: string
  /** The code came with a link. */
  linked: boolean
  tenantId?: string | undefined
  /** The user to whom the page was shown. Another user's submission of it is ignored. */
  viewer?: string
  /** What the decision page asked for. */
  shown?: { tenantId: string | undefined; consent: boolean }
  result?: { allowed: boolean; email: string }
}

type DeviceLogin = LoginTransaction & { state: DeviceState }

const PATHS = {
  continue: `${DEVICE_PATH}/continue`,
  tenant: `${DEVICE_PATH}/tenant`,
  decision: `${DEVICE_PATH}/decision`,
  done: `${DEVICE_PATH}/done`,
}

export const devicePages = [
  definePage({
    method: 'GET',
    path: DEVICE_PATH,
    handler: (ctx, input) => {
      // A link must not put any other text on the page.
      const code = parseUserCode(input.query.get('user_code') ?? '')
      const isLinked = code !== undefined
      return showCodePage(ctx, input, { text: isLinked ? formatUserCode(code) : '', isLinked })
    },
  }),
  definePage({
    method: 'POST',
    path: DEVICE_PATH,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const text = input.form.get('user_code') ?? ''
      const isLinked = input.form.get('linked') !== undefined
      try {
        return { redirect: urlWithLogin(ctx, PATHS.continue, await startLogin(ctx, input, { text, isLinked })) }
      } catch (error) {
        return showCodePage(ctx, input, { text, isLinked, problem: toPageProblem(error, input.reply) })
      }
    },
  }),
  definePage({
    method: 'GET',
    path: PATHS.continue,
    handler: (ctx, input) => resume(ctx, input, getLogin(ctx, input), async (step) => showStep(ctx, input, step)),
  }),
  definePage({
    method: 'POST',
    path: PATHS.tenant,
    handler: async (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      const login = getLogin(ctx, input)
      const state = { ...login.state, tenantId: input.form.get('tenant') ?? '' }
      return { redirect: urlWithLogin(ctx, PATHS.continue, { ...login, state }) }
    },
  }),
  definePage({
    method: 'POST',
    path: PATHS.decision,
    handler: (ctx, input) => {
      requireCsrf(ctx, input.request, input.form)
      return resume(ctx, input, getLogin(ctx, input), (step) => decide(ctx, input, step))
    },
  }),
  definePage({
    method: 'GET',
    path: PATHS.done,
    handler: async (ctx, input) => {
      const login = getLogin(ctx, input)
      const { result } = login.state
      if (!result) return { redirect: DEVICE_PATH }
      const html = render(
        <DonePage application={login.application ?? ''} {...result} />,
        await findLoginBrand(ctx, login),
      )
      return { html }
    },
  }),
]

interface CodeState {
  text: string
  isLinked: boolean
  problem?: PageProblem
}

async function showCodePage(ctx: Ctx, input: PageInput, { text, isLinked, problem }: CodeState): Promise<PageResult> {
  const { request, reply } = input
  const isLimited = problem?.error.code === 'RATE_LIMITED' && !(await findBrowserSession(ctx, input))
  return {
    status: problem?.status ?? 200,
    html: render(
      <CodePage
        action={DEVICE_PATH}
        csrf={createCsrfToken(ctx, request, reply)}
        code={text}
        isLinked={isLinked}
        problem={problem?.message}
        signIn={isLimited ? signInUrl(ctx, newSignIn(ctx)) : undefined}
      />,
    ),
  }
}

/** A sign-in that returns to the page for the code. */
const newSignIn = (ctx: Ctx): LoginTransaction => ({
  next: DEVICE_PATH,
  startedAt: ctx.now().getTime(),
  formTargets: [],
  state: undefined,
})

async function startLogin(
  ctx: Ctx,
  input: PageInput,
  { text, isLinked }: { text: string; isLinked: boolean },
): Promise<DeviceLogin> {
  const browser = fingerprintOf(ensureBrowserId(ctx, input))
  const device = await findDevice(ctx, input, { text, browser })
  const client = await findUsableClient(ctx, device)
  if (!client) throw new AppError('INVALID_CODE')
  return {
    next: PATHS.continue,
    startedAt: ctx.now().getTime(),
    application: client.applicationName,
    clientId: client.clientId,
    tenant: device.tenant_slug ?? undefined,
    formTargets: [],
    state: { device: device.id, browser, userCode: formatUserCode(parseUserCode(text) ?? ''), linked: isLinked },
  }
}

/** Without the check of the browser, a link to a later step would skip the page for the code and its warning. */
function getLogin(ctx: Ctx, { request, query }: PageInput): DeviceLogin {
  const login = readLoginTransaction(ctx, query.get('journey'))
  const browserId = findBrowserId(ctx, request)
  if (login?.next === PATHS.continue && browserId !== undefined) {
    const deviceLogin = login as DeviceLogin
    if (deviceLogin.state.browser === fingerprintOf(browserId)) return deviceLogin
  }
  throw new AppError('INVALID_REQUEST', {
    message: t('This has taken too long, was cut off, or began in another browser. Type the code again.'),
  })
}

interface Step {
  login: DeviceLogin
  device: PendingDevice
  client: Client
  session: BrowserSession
  /** What is missing: the choice of a tenant, or the decision, with or without a consent. */
  next: { kind: 'tenant'; memberships: ActiveMembership[] } | Decision
}

interface Decision {
  kind: 'decision'
  tenant: ActiveMembership | undefined
  consent: boolean
}

/** Finds the next step as an authorization does. Every form returns here, so that no step can be skipped. */
async function resume(
  ctx: Ctx,
  input: PageInput,
  login: DeviceLogin,
  work: (step: Step) => Promise<PageResult>,
): Promise<PageResult> {
  const device = await findPendingDevice(ctx.db, { id: login.state.device, now: ctx.now() })
  const client = device && (await findUsableClient(ctx, device))
  if (!client) return showEnded(ctx, input, login)
  const { scopes, tenant_slug } = device
  const request = {
    client,
    scopes,
    claims: NO_CLAIMS,
    acr: undefined,
    prompts: [],
    maxAge: undefined,
    expectedUserIds: undefined,
    tenantSlug: tenant_slug ?? undefined,
    resource: undefined,
  }
  try {
    const step = await findNextStep(ctx, input, { request, login })
    if (step.kind === 'second-factor') return { redirect: urlWithLogin(ctx, step.path, login) }
    if (step.kind === 'login') return { redirect: signInUrl(ctx, login) }
    if (step.kind === 'account') return { redirect: signInUrl(ctx, login, { mustReauthenticate: true }) }
    const next =
      step.kind === 'tenant'
        ? step
        : ({ kind: 'decision', tenant: step.tenant, consent: step.kind === 'consent' } as const)
    return await work({ login, device, client, session: step.session, next })
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const page = (
      <WrongAccountPage message={error.message} otherAccount={signInUrl(ctx, login, { mustReauthenticate: true })} />
    )
    return { status: 403, html: render(page, await findLoginBrand(ctx, login)) }
  }
}

/** The device was decided about, or has expired. The page of a second click on Allow says what the first one did. */
async function showEnded(ctx: Ctx, input: PageInput, login: DeviceLogin): Promise<PageResult> {
  const session = await findBrowserSession(ctx, input)
  if (session && (await isAllowedFrom(ctx.db, { id: login.state.device, sessionId: session.id }))) {
    return toDone(ctx, login, { allowed: true, email: session.email })
  }
  return { status: 400, html: render(<EndedPage path={DEVICE_PATH} />, await findLoginBrand(ctx, login)) }
}

const toDone = (ctx: Ctx, login: DeviceLogin, result: NonNullable<DeviceState['result']>): PageResult => ({
  redirect: urlWithLogin(ctx, PATHS.done, { ...login, state: { ...login.state, result } }),
})

async function showStep(ctx: Ctx, { request, reply }: PageInput, step: Step): Promise<PageResult> {
  const { login, device, client, session, next } = step
  const shown = next.kind === 'tenant' ? undefined : { tenantId: next.tenant?.id, consent: next.consent }
  const shownLogin = { ...login, state: { ...login.state, viewer: session.userId, ...(shown && { shown }) } }
  const props = {
    action: urlWithLogin(ctx, PATHS[next.kind], shownLogin),
    csrf: createCsrfToken(ctx, request, reply),
    application: client.applicationName,
    session,
    otherAccount: signInUrl(ctx, login, { mustReauthenticate: true }),
  }
  const page =
    next.kind === 'tenant' ? (
      <TenantPage {...props} memberships={next.memberships} />
    ) : (
      <DecisionPage
        {...props}
        code={login.state.userCode}
        isLinked={login.state.linked}
        facts={toDeviceFacts(ctx, request, device)}
        tenant={next.tenant?.name}
        scopes={next.consent ? device.scopes : undefined}
      />
    )
  return { html: render(page, await findLoginBrand(ctx, login, session.userId)) }
}

async function decide(ctx: Ctx, { request, form }: PageInput, step: Step): Promise<PageResult> {
  const { login, device, client, session, next } = step
  const { viewer, shown } = login.state
  // The page was shown to somebody else, or asked for something else. It is shown again.
  const isShown =
    viewer === session.userId &&
    next.kind === 'decision' &&
    shown?.tenantId === next.tenant?.id &&
    (shown?.consent || !next.consent)
  if (!isShown) return { redirect: urlWithLogin(ctx, PATHS.continue, login) }
  const allowed = form.get('decision') === 'allow'
  const decision = { device, client, session, request }
  const isDecided = allowed
    ? await allowDevice(ctx, { ...decision, tenant: next.tenant, consent: next.consent })
    : await refuseDevice(ctx, decision)
  // Another decision was first. The next page tells.
  if (!isDecided) return { redirect: urlWithLogin(ctx, PATHS.continue, login) }
  return toDone(ctx, login, { allowed, email: session.email })
}

import type { FastifyRequest } from 'fastify'
import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import type { PageResult } from '../http/routing/define-route.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { toFields } from '../lib/fields.ts'
import { newUniqueId } from '../lib/ids.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { type BrowserSession, findBrowserSession } from '../sessions/browser-session.ts'
import { type LoginTransaction, signInUrl, urlWithLogin } from '../sessions/login-transaction.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { findFactors, hasSecondFactor } from '../users/factors/factors.ts'
import {
  type AuthorizeRequest,
  type RedirectTarget,
  readAuthorizeRequest,
  readRedirectTarget,
} from './authorize-request.ts'
import { respondToClient, toFormTarget } from './authorize-response.tsx'
import { consentScopesOf } from './consent-scopes.ts'
import { insertGrant } from './grants/store.ts'
import { type AuthorizationParameters, usePushed } from './pushed-requests/reference.ts'
import { logRefusal } from './refusals.ts'
import { listSelectableTenants } from './selectable-tenants.ts'
import { type ActiveMembership, findConsent } from './store.ts'

/**
 * State that is carried from step to step. The session, the memberships and the consent are read again in each step.
 */
export interface AuthorizationState {
  fields: Record<string, string>
  /** The hash of the request_uri of a pushed request. The response to the client uses it up. */
  pushed?: string
  /** The session that the user chose on the account page. */
  account?: string
  /** The tenant that the user chose. */
  tenantId?: string
  /** The user to whom the page was shown. Another user's submission of it is ignored. */
  viewer?: string
  /** The scopes and the tenant that the consent page asked for. */
  consent?: { tenantId: string | undefined; scopes: string[] }
}

export type Authorization = LoginTransaction & { state: AuthorizationState }

export const CONTINUE_PATH = '/oauth/authorize/continue'
const CODE_SECONDS = 60

/** A step that needs a page of its own. */
export type Step =
  | { kind: 'account'; session: BrowserSession }
  | { kind: 'tenant'; session: BrowserSession; memberships: ActiveMembership[] }
  | { kind: 'consent'; session: BrowserSession; tenant: ActiveMembership | undefined }

type Outcome =
  | Step
  | { kind: 'login'; reauthenticate: boolean }
  | { kind: 'second-factor'; path: string }
  | { kind: 'finish'; session: BrowserSession; tenant: ActiveMembership | undefined }

/** Renders the page of a step. */
export type ShowStep = (step: Step, request: AuthorizeRequest, login: Authorization) => Promise<PageResult>

/**
 * Decides the next step of an authorization from the request and the current state: a page, a redirect to the sign-in,
 * or the response to the client. Every step returns here, so that none can be skipped.
 */
export async function dispatch(
  ctx: Ctx,
  exchange: Exchange,
  { fields, pushed, started, show }: AuthorizationParameters & { started?: Authorization; show: ShowStep },
): Promise<PageResult> {
  const target = await readRedirectTarget(ctx, exchange.request, fields)
  try {
    requirePushed(target.client, pushed)
    const request = await readAuthorizeRequest(ctx, target, fields)
    const login = started ?? startLogin(ctx, request, { fields, pushed })
    const outcome = await findNextStep(ctx, exchange, { request, login })
    if (outcome.kind === 'account' || outcome.kind === 'tenant' || outcome.kind === 'consent') {
      return await show(outcome, request, login)
    }
    if (outcome.kind === 'second-factor') return { redirect: urlWithLogin(ctx, outcome.path, login) }
    const code =
      outcome.kind === 'finish' ? await issueCode(ctx, exchange.request, { request, pushed, ...outcome }) : undefined
    if (code !== undefined) return respondToClient(ctx, request, { code })
    if (request.prompts.includes('none')) throw new OAuthError('login_required', 'The user must sign in first.')
    return { redirect: signInUrl(ctx, login, outcome.kind === 'login' && outcome.reauthenticate) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return respondWithError(ctx, exchange.request, { target, pushed }, error)
  }
}

export const resume = (
  ctx: Ctx,
  exchange: Exchange,
  { login, show }: { login: Authorization; show: ShowStep },
): Promise<PageResult> =>
  dispatch(ctx, exchange, { fields: toFields(login.state.fields), pushed: login.state.pushed, started: login, show })

function requirePushed({ requirePushedRequests }: Client, pushed: string | undefined): void {
  if (!requirePushedRequests || pushed !== undefined) return
  throw new OAuthError('invalid_request', 'This client must push its authorization requests (RFC 9126).')
}

/** Encrypted, the login is a third longer. It must fit into the URL of every page. */
const MAX_LOGIN_BYTES = 8_000

export function startLogin(
  ctx: Ctx,
  { client, redirectUri, loginHint, tenantSlug, prompts, maxAge }: AuthorizeRequest,
  { fields, pushed }: AuthorizationParameters,
): Authorization {
  const login = {
    next: CONTINUE_PATH,
    startedAt: ctx.now().getTime(),
    application: client.applicationName,
    clientId: client.clientId,
    loginHint,
    tenant: tenantSlug,
    maxAge: prompts.includes('login') ? 0 : maxAge,
    formTargets: [toFormTarget(redirectUri)],
    state: { fields: fields.toObject(), ...(pushed !== undefined && { pushed }) },
  }
  if (Buffer.byteLength(JSON.stringify(login)) > MAX_LOGIN_BYTES) {
    throw new OAuthError('invalid_request', 'The parameters are too long.')
  }
  return login
}

/** What the steps depend on: of a request by redirect, or of a device. */
export interface AuthorizationContext {
  request: Pick<
    AuthorizeRequest,
    'client' | 'scopes' | 'prompts' | 'maxAge' | 'expectedUserIds' | 'tenantSlug' | 'resource'
  >
  login: LoginTransaction & { state: Pick<AuthorizationState, 'account' | 'tenantId'> }
}

export async function findNextStep(
  ctx: Ctx,
  exchange: Exchange,
  authorization: AuthorizationContext,
): Promise<Outcome> {
  const { request } = authorization
  const isSilent = request.prompts.includes('none')
  const session = await findBrowserSession(ctx, exchange)
  if (!session) return { kind: 'login', reauthenticate: false }
  if (mustSignIn(session, authorization)) return { kind: 'login', reauthenticate: true }
  if (mustChooseAccount(session, authorization)) return { kind: 'account', session }
  const memberships = await listSelectableTenants(ctx, session.userId, request.tenantSlug)
  const tenant = pickTenant(memberships, authorization)
  // The console has a menu of tenants, and gets a token for each when it needs it.
  if (!tenant && memberships.length > 0 && !request.client.builtIn) {
    if (isSilent) throw new OAuthError('interaction_required', 'The user must choose a tenant.')
    return { kind: 'tenant', session, memberships }
  }
  if (lacksSecondFactor(tenant?.mfa_policy ?? null, session.amr)) {
    if (isSilent) throw new OAuthError('interaction_required', 'The tenant requires a second factor.')
    const enrolled = hasSecondFactor(await findFactors(ctx.db, session.userId))
    return { kind: 'second-factor', path: enrolled ? '/mfa' : '/mfa/setup' }
  }
  if (await mustConsent(ctx, authorization, { userId: session.userId, tenantId: tenant?.id })) {
    if (isSilent) throw new OAuthError('consent_required', 'The user must consent first.')
    return { kind: 'consent', session, tenant }
  }
  return { kind: 'finish', session, tenant }
}

/** Whether the session is too old for this request, or belongs to another user than the client expects. */
function mustSignIn(session: BrowserSession, { request, login }: AuthorizationContext): boolean {
  const { prompts, maxAge, expectedUserIds } = request
  const signedInAt = session.authTime.getTime()
  const isFresh = signedInAt >= login.startedAt
  if (expectedUserIds && !expectedUserIds.includes(session.userId)) {
    // The user was asked to sign in again and came back as another user.
    if (isFresh) throw new OAuthError('login_required', 'Somebody else has signed in.')
    return true
  }
  const isDemanded = prompts.includes('login') || maxAge !== undefined
  // A provider without auth_time may have reused an old session.
  if (isDemanded && session.authTimeAssumed) return true
  if (prompts.includes('login')) return !isFresh
  return maxAge !== undefined && !isFresh && login.startedAt - signedInAt > maxAge * 1000
}

function mustChooseAccount(session: BrowserSession, { request, login }: AuthorizationContext): boolean {
  const isFresh = session.authTime.getTime() >= login.startedAt
  return request.prompts.includes('select_account') && !isFresh && login.state.account !== session.id
}

/** The requested tenant, the only one, or the one chosen before; undefined if there is none or the user must choose. */
function pickTenant(
  memberships: ActiveMembership[],
  { request, login }: AuthorizationContext,
): ActiveMembership | undefined {
  if (request.tenantSlug !== undefined) {
    const requested = memberships.find(({ slug }) => slug === request.tenantSlug)
    if (!requested) throw new OAuthError('access_denied', 'The user is not an active member of this tenant.')
    return requested
  }
  if (memberships.length <= 1) return memberships[0]
  return memberships.find(({ id }) => id === login.state.tenantId)
}

/** Trusted applications need no consent. Others need it for scopes that the user has not allowed yet. */
async function mustConsent(
  ctx: Ctx,
  { request, login }: AuthorizationContext,
  { userId, tenantId }: { userId: string; tenantId: string | undefined },
): Promise<boolean> {
  const { client, prompts } = request
  if (client.trusted) return false
  const consent = await findConsent(ctx.db, { userId, applicationId: client.applicationId, tenantId })
  if (!consent || consentScopesOf(request).some((scope) => !consent.scopes.includes(scope))) return true
  return prompts.includes('consent') && consent.granted_at.getTime() < login.startedAt
}

interface FinishedAuthorization {
  request: AuthorizeRequest
  pushed: string | undefined
  session: BrowserSession
  tenant: ActiveMembership | undefined
}

/**
 * Stores the grant and returns its code; undefined if the session or another row that the grant references was deleted
 * concurrently.
 */
async function issueCode(
  ctx: Ctx,
  httpRequest: FastifyRequest,
  { request, pushed, session, tenant }: FinishedAuthorization,
): Promise<string | undefined> {
  const { client, redirectUri, scopes, resource, nonce, challenge, jkt } = request
  const code = newSecret()
  const now = ctx.now()
  const expiresAt = new Date(now.getTime() + CODE_SECONDS * 1000)
  const grant = {
    id: newUniqueId(),
    session_id: session.id,
    user_id: session.userId,
    client_id: client.id,
    tenant_id: tenant?.id ?? null,
    resource_id: resource?.id,
    scopes,
    auth_time: session.authTime,
    amr: session.amr,
    code_hash: hashSecret(code),
    code_expires_at: expiresAt,
    redirect_uri: redirectUri,
    nonce: nonce ?? null,
    code_challenge: challenge?.value ?? null,
    code_challenge_method: challenge?.method ?? null,
    dpop_jkt: jkt ?? null,
    created_at: now,
    expires_at: expiresAt,
  }
  const isInserted =
    pushed === undefined
      ? await insertGrant(ctx.db, grant)
      : // The request stays unused if the grant cannot be inserted.
        await ctx.db.transaction().execute(async (tx) => {
          await usePushed(ctx, tx, { pushed, client, httpRequest })
          return insertGrant(tx, grant)
        })
  return isInserted ? code : undefined
}

/** Shows the error on a page instead if the pushed request was used before. */
export async function respondWithError(
  ctx: Ctx,
  httpRequest: FastifyRequest,
  { target, pushed }: { target: RedirectTarget; pushed: string | undefined },
  error: OAuthError,
): Promise<PageResult> {
  const { client } = target
  if (pushed !== undefined) await usePushed(ctx, ctx.db, { pushed, client, httpRequest })
  logRefusal(httpRequest, client.clientId, error)
  return respondToClient(ctx, target, { error: error.code, error_description: error.message })
}

import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { translatable } from '../languages/translate.ts'
import { type BrowserSession, findActingSession } from '../sessions/browser-session.ts'
import type { LoginTransaction } from '../sessions/login-transaction.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { findFactors, hasSecondFactor } from '../users/factors/factors.ts'
import { requireReachable, wantsSecondFactor } from './acr.ts'
import type { AuthorizeRequest } from './authorize-request.ts'
import { consentScopesOf } from './consent-scopes.ts'
import { listSelectableTenants } from './selectable-tenants.ts'
import { type ActiveMembership, findConsent, hasConsentIn } from './store.ts'

/** A step that needs a page of its own. */
export type Step =
  | { kind: 'account'; session: BrowserSession }
  | { kind: 'tenant'; session: BrowserSession; memberships: ActiveMembership[] }
  | { kind: 'consent'; session: BrowserSession; tenant: ActiveMembership | undefined }

type Outcome =
  | Step
  | { kind: 'login'; mustReauthenticate: boolean }
  | { kind: 'second-factor'; path: string }
  | { kind: 'finish'; session: BrowserSession; tenant: ActiveMembership | undefined }

/** What the steps depend on: of a request by redirect, or of a device. */
export interface AuthorizationContext {
  request: Pick<
    AuthorizeRequest,
    'client' | 'scopes' | 'claims' | 'acr' | 'prompts' | 'maxAge' | 'expectedUserIds' | 'tenantSlug' | 'resource'
  > & { redirectUri?: string }
  login: LoginTransaction & {
    state: {
      /** The session that the user chose on the account page. */
      account?: string | undefined
      tenantId?: string | undefined
    }
  }
}

/** Finds the first step that is not done. The session, the memberships and the consent are read again each time. */
export async function findNextStep(
  ctx: Ctx,
  exchange: Exchange,
  authorization: AuthorizationContext,
): Promise<Outcome> {
  requireReachable(authorization.request.acr)
  const session = await findActingSession(ctx, exchange)
  if (!session) return { kind: 'login', mustReauthenticate: false }
  const outcome = await findStepOf(ctx, authorization, session)
  // Only the user signs in, consents and sets up a second factor. An operator who acts as them does not.
  if (session.support && (outcome.kind !== 'finish' || !outcome.tenant)) {
    throw new OAuthError('access_denied', 'This takes a decision of the user, as whom an operator acts.')
  }
  return outcome
}

async function findStepOf(ctx: Ctx, authorization: AuthorizationContext, session: BrowserSession): Promise<Outcome> {
  const { request } = authorization
  const { support } = session
  const isSilent = request.prompts.includes('none')
  if (isSilent) await requireSomeConsent(ctx, request, session.userId)
  if (mustSignIn(session, authorization)) return { kind: 'login', mustReauthenticate: true }
  if (mustChooseAccount(session, authorization)) return { kind: 'account', session }
  const selectable = await listSelectableTenants(ctx, session.userId, request.tenantSlug)
  const memberships = support ? selectable.filter(({ id }) => id === support.tenantId) : selectable
  const tenant = pickTenant(memberships, authorization)
  // The console has a menu of tenants, and gets a token for each when it needs it.
  if (!tenant && memberships.length > 0 && !request.client.builtIn) {
    if (isSilent) throw new OAuthError('interaction_required', 'The user must choose a tenant.')
    return { kind: 'tenant', session, memberships }
  }
  const secondFactor = await findSecondFactorStep(ctx, { request, session, tenant })
  if (secondFactor) return secondFactor
  if (await mustConsent(ctx, authorization, { userId: session.userId, tenantId: tenant?.id })) {
    if (isSilent) throw consentRequired()
    return { kind: 'consent', session, tenant }
  }
  return { kind: 'finish', session, tenant }
}

/**
 * The page for a second factor that the session lacks: one that the tenant or an essential `acr` requires, or that the
 * client merely wants, which only users who have one are asked for.
 */
async function findSecondFactorStep(
  ctx: Ctx,
  {
    request,
    session,
    tenant,
  }: {
    request: AuthorizationContext['request']
    session: BrowserSession
    tenant: ActiveMembership | undefined
  },
): Promise<Outcome | undefined> {
  const isWanted = wantsSecondFactor(request.acr, session.amr)
  const isRequired =
    lacksSecondFactor(tenant?.mfa_policy ?? null, session.amr) || (isWanted && request.acr?.isEssential === true)
  const isSilent = request.prompts.includes('none')
  if (isRequired && isSilent) throw new OAuthError('interaction_required', 'A second factor is required.')
  if (!isRequired && (!isWanted || isSilent)) return undefined
  const isEnrolled = hasSecondFactor(await findFactors(ctx.db, session.userId))
  if (isEnrolled) return { kind: 'second-factor', path: '/mfa' }
  return isRequired ? { kind: 'second-factor', path: '/mfa/setup' } : undefined
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
  // An operator who acts as the user signed in as somebody else, also if that was after the request.
  if (isDemanded && session.support && isFresh) return true
  if (prompts.includes('login')) return !isFresh
  return maxAge !== undefined && !isFresh && login.startedAt - signedInAt > maxAge * 1000
}

function mustChooseAccount(session: BrowserSession, { request, login }: AuthorizationContext): boolean {
  const isFresh = !session.support && session.authTime.getTime() >= login.startedAt
  return request.prompts.includes('select_account') && !isFresh && login.state.account !== session.id
}

export const NOT_A_MEMBER = translatable('The user is not an active member of this tenant.')

/** The requested tenant, the only one, or the one chosen before; undefined if there is none or the user must choose. */
function pickTenant(
  memberships: ActiveMembership[],
  { request, login }: AuthorizationContext,
): ActiveMembership | undefined {
  if (request.tenantSlug !== undefined) {
    const requested = memberships.find(({ slug }) => slug === request.tenantSlug)
    if (!requested) throw new OAuthError('access_denied', NOT_A_MEMBER)
    return requested
  }
  if (memberships.length <= 1) return memberships[0]
  return memberships.find(({ id }) => id === login.state.tenantId)
}

/**
 * Without a page, the error of a later step would tell a third-party application whether the user is the one that it
 * names, a member of the tenant that it names, or has a second factor.
 */
async function requireSomeConsent(
  ctx: Ctx,
  { client, tenantSlug }: AuthorizationContext['request'],
  userId: string,
): Promise<void> {
  const { trusted, applicationId } = client
  if (trusted || (await hasConsentIn(ctx.db, { userId, applicationId, tenantSlug }))) return
  throw consentRequired()
}

const consentRequired = () => new OAuthError('consent_required', 'The user must consent first.')

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
  return (prompts.includes('consent') || isUnverifiable(request)) && consent.granted_at.getTime() < login.startedAt
}

/**
 * Any program on the computer of the user may claim to be a client that nobody registered, and receive its code at a
 * loopback address. So consent is requested each time (RFC 8252 §8.6).
 */
const isUnverifiable = ({ client, redirectUri }: AuthorizationContext['request']): boolean =>
  client.origin !== 'ADMIN' && redirectUri !== undefined && redirectUri.startsWith('http:')

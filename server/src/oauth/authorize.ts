import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import type { PageAnswer } from '../http/define-route.ts'
import type { Exchange } from '../http/exchange.ts'
import { type Fields, toFields } from '../lib/fields.ts'
import { newId } from '../lib/ids.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import { type BrowserSession, findBrowserSession } from '../sessions/browser-session.ts'
import { type Journey, signInAddress, withJourney } from '../sessions/journey.ts'
import { lacksSecondFactor } from '../tenants/mfa-policy.ts'
import { findFactors, hasSecondFactor } from '../users/factors/factors.ts'
import {
  type AuthorizeRequest,
  type ReturnAddress,
  readAuthorizeRequest,
  readReturnAddress,
} from './authorize-request.ts'
import { insertGrant } from './grants/store.ts'
import { listOpenTenants } from './open-tenants.ts'
import { type ActiveMembership, findConsent } from './store.ts'

/** What an authorization remembers from step to step. The session, the memberships and the consent are read anew. */
export interface Luggage {
  fields: Record<string, string>
  /** The session the person chose to go on with, when asked to choose. */
  account?: string
  /** The tenant they chose. */
  tenantId?: string
  /** For whom a page was shown: what another person answers there does not count. */
  viewer?: string
  /** What a page asked them to allow. */
  consent?: { tenantId: string | undefined; scopes: string[] }
}

export type AuthorizeJourney = Journey & { luggage: Luggage }

export const CONTINUE_PATH = '/oauth/authorize/continue'
const CODE_SECONDS = 60

/** A step that needs a page of its own. */
export type Step =
  | { kind: 'account'; session: BrowserSession }
  | { kind: 'tenant'; session: BrowserSession; memberships: ActiveMembership[] }
  | { kind: 'consent'; session: BrowserSession; tenant: ActiveMembership | undefined }

type Outcome =
  | Step
  | { kind: 'login'; again: boolean }
  | { kind: 'second-factor'; path: string }
  | { kind: 'finish'; session: BrowserSession; tenant: ActiveMembership | undefined }

/** Shows a step's page. */
export type ShowStep = (
  step: Step,
  request: AuthorizeRequest,
  journey: AuthorizeJourney,
) => Promise<PageAnswer>

/**
 * The dispatcher of an authorization: it looks at the request and at what is so now, and leads to the next step or
 * back to the client. Every step returns here, so none can be skipped.
 */
export async function dispatch(
  ctx: Ctx,
  exchange: Exchange,
  { fields, journey, show }: { fields: Fields; journey?: AuthorizeJourney; show: ShowStep },
): Promise<PageAnswer> {
  const address = await readReturnAddress(ctx, fields)
  try {
    const request = await readAuthorizeRequest(ctx, address, fields)
    const trip = journey ?? begin(ctx, request, fields)
    const outcome = await decide(ctx, exchange, { request, journey: trip })
    if (outcome.kind === 'account' || outcome.kind === 'tenant' || outcome.kind === 'consent') {
      return await show(outcome, request, trip)
    }
    if (outcome.kind === 'second-factor') return { redirect: withJourney(ctx, outcome.path, trip) }
    const answer = outcome.kind === 'finish' ? await finish(ctx, request, outcome) : undefined
    if (answer !== undefined) return { redirect: answer }
    if (request.prompts.includes('none'))
      throw new OAuthError('login_required', 'The person must sign in first.')
    return { redirect: signInAddress(ctx, trip, outcome.kind === 'login' && outcome.again) }
  } catch (error) {
    if (error instanceof OAuthError) return { redirect: refusal(ctx, address, error) }
    throw error
  }
}

export const resume = (
  ctx: Ctx,
  exchange: Exchange,
  { journey, show }: { journey: AuthorizeJourney; show: ShowStep },
): Promise<PageAnswer> => dispatch(ctx, exchange, { fields: toFields(journey.luggage.fields), journey, show })

/** It travels in the address of every page on its way, sealed and so a third longer. */
const LONGEST_JOURNEY = 8_000

function begin(
  ctx: Ctx,
  { client, redirectUri, loginHint, tenantSlug, prompts, maxAge }: AuthorizeRequest,
  fields: Fields,
): AuthorizeJourney {
  const journey = {
    next: CONTINUE_PATH,
    startedAt: ctx.now().getTime(),
    application: client.applicationName,
    clientId: client.clientId,
    loginHint,
    tenant: tenantSlug,
    maxAge: prompts.includes('login') ? 0 : maxAge,
    formTargets: [originOf(redirectUri)],
    luggage: { fields: fields.toObject() },
  }
  if (Buffer.byteLength(JSON.stringify(journey)) > LONGEST_JOURNEY) {
    throw new OAuthError('invalid_request', 'The parameters are too long.')
  }
  return journey
}

/** What a Content-Security-Policy calls the target: an origin, or the scheme of a native app. */
function originOf(uri: string): string {
  const { origin, protocol } = new URL(uri)
  return origin === 'null' ? protocol : origin
}

interface Situation {
  request: AuthorizeRequest
  journey: AuthorizeJourney
}

async function decide(ctx: Ctx, exchange: Exchange, situation: Situation): Promise<Outcome> {
  const { request } = situation
  const silent = request.prompts.includes('none')
  const session = await findBrowserSession(ctx, exchange)
  if (!session) return { kind: 'login', again: false }
  if (mustSignIn(session, situation)) return { kind: 'login', again: true }
  if (mustChooseAccount(session, situation)) return { kind: 'account', session }
  const memberships = await listOpenTenants(ctx, session.userId, request.tenantSlug)
  const tenant = pickTenant(memberships, situation)
  if (!tenant && memberships.length > 0) {
    if (silent) throw new OAuthError('interaction_required', 'The person must choose a tenant.')
    return { kind: 'tenant', session, memberships }
  }
  if (lacksSecondFactor(tenant?.mfa_policy ?? null, session.amr)) {
    if (silent) throw new OAuthError('interaction_required', 'The tenant requires a second factor.')
    const enrolled = hasSecondFactor(await findFactors(ctx.db, session.userId))
    return { kind: 'second-factor', path: enrolled ? '/mfa' : '/mfa/setup' }
  }
  if (await mustConsent(ctx, situation, { userId: session.userId, tenantId: tenant?.id })) {
    if (silent) throw new OAuthError('consent_required', 'The person must consent first.')
    return { kind: 'consent', session, tenant }
  }
  return { kind: 'finish', session, tenant }
}

/** Whether the sign-in is too old for this request, or somebody else's. */
function mustSignIn(session: BrowserSession, { request, journey }: Situation): boolean {
  const { prompts, maxAge, expectedUserId } = request
  const signedInAt = session.authTime.getTime()
  const isFresh = signedInAt >= journey.startedAt
  if (expectedUserId !== undefined && expectedUserId !== session.userId) {
    // They were asked to sign in as that person and came back as another.
    if (isFresh) throw new OAuthError('login_required', 'Somebody else has signed in.')
    return true
  }
  const isDemanded = prompts.includes('login') || maxAge !== undefined
  // A provider that did not say when may have waved them through.
  if (isDemanded && session.authTimeAssumed) return true
  if (prompts.includes('login')) return !isFresh
  return maxAge !== undefined && !isFresh && journey.startedAt - signedInAt > maxAge * 1000
}

function mustChooseAccount(session: BrowserSession, { request, journey }: Situation): boolean {
  const isFresh = session.authTime.getTime() >= journey.startedAt
  return request.prompts.includes('select_account') && !isFresh && journey.luggage.account !== session.id
}

/** The tenant the request names, the only one, or the one chosen before; undefined when there is none, or a choice. */
function pickTenant(
  memberships: ActiveMembership[],
  { request, journey }: Situation,
): ActiveMembership | undefined {
  if (request.tenantSlug !== undefined) {
    const named = memberships.find(({ slug }) => slug === request.tenantSlug)
    if (!named) throw new OAuthError('access_denied', 'The person is no active member of this tenant.')
    return named
  }
  if (memberships.length <= 1) return memberships[0]
  return memberships.find(({ id }) => id === journey.luggage.tenantId)
}

/** Our own applications ask for nothing; others for what was not allowed them before. */
async function mustConsent(
  ctx: Ctx,
  { request, journey }: Situation,
  { userId, tenantId }: { userId: string; tenantId: string | undefined },
): Promise<boolean> {
  const { client, scopes, prompts } = request
  if (client.trusted) return false
  const consent = await findConsent(ctx.db, { userId, applicationId: client.applicationId, tenantId })
  if (!consent || scopes.some((scope) => !consent.scopes.includes(scope))) return true
  return prompts.includes('consent') && consent.granted_at.getTime() < journey.startedAt
}

/**
 * Writes the authorization down; the answer is its code. Undefined when the session, or something
 * else it hangs on, has ended at this very moment: then they begin again at the sign-in.
 */
async function finish(
  ctx: Ctx,
  { client, redirectUri, state, scopes, nonce, challenge }: AuthorizeRequest,
  { session, tenant }: { session: BrowserSession; tenant: ActiveMembership | undefined },
): Promise<string | undefined> {
  const code = newSecret()
  const now = ctx.now()
  const ends = new Date(now.getTime() + CODE_SECONDS * 1000)
  const written = await insertGrant(ctx.db, {
    id: newId(),
    session_id: session.id,
    user_id: session.userId,
    client_id: client.id,
    tenant_id: tenant?.id ?? null,
    scopes,
    auth_time: session.authTime,
    amr: session.amr,
    code_hash: hashSecret(code),
    code_expires_at: ends,
    redirect_uri: redirectUri,
    nonce: nonce ?? null,
    code_challenge: challenge?.value ?? null,
    code_challenge_method: challenge?.method ?? null,
    created_at: now,
    expires_at: ends,
  })
  return written ? answerAt(ctx, { redirectUri, state }, { code }) : undefined
}

/** The client's address with the reason why there is no code. */
export const refusal = (
  ctx: Ctx,
  address: Omit<ReturnAddress, 'client'>,
  { code, message }: OAuthError,
): string => answerAt(ctx, address, { error: code, error_description: message })

/** RFC 9207: every answer says who gives it. */
function answerAt(
  { config }: Ctx,
  { redirectUri, state }: Omit<ReturnAddress, 'client'>,
  answer: Record<string, string>,
): string {
  const parameters = { ...answer, ...(state !== undefined && { state }), iss: config.baseUrl }
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.join('&')}`
}

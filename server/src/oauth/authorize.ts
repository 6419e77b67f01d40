import type { FastifyRequest } from 'fastify'
import type { Client } from '../applications/clients.ts'
import { storeDocumentClient } from '../applications/documents/clients.ts'
import { userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../db/open.ts'
import type { RequestedClaims } from '../db/tables.ts'
import { OAuthError } from '../errors.ts'
import type { PageResult } from '../http/routing/define-route.ts'
import type { Exchange } from '../http/routing/exchange.ts'
import { matchLanguage } from '../languages/languages.ts'
import { toFields } from '../lib/fields.ts'
import { newUniqueId } from '../lib/ids.ts'
import { hashSecret, newSecret } from '../lib/secrets.ts'
import type { BrowserSession } from '../sessions/browser-session.ts'
import { type LoginTransaction, signInUrl, urlWithLogin } from '../sessions/login-transaction.ts'
import {
  type AuthorizeRequest,
  type RedirectTarget,
  readAuthorizeRequest,
  readRedirectTarget,
} from './authorize-request.ts'
import { respondToClient, toFormTarget } from './authorize-response.tsx'
import { insertConsentedGrant, insertGrant } from './grants/store.ts'
import { findNextStep, type Step } from './next-step.ts'
import { type AuthorizationParameters, usePushed } from './pushed-requests/reference.ts'
import { logRefusal } from './refusals.ts'
import { findRefusedPage } from './refused-page.tsx'
import type { ActiveMembership } from './store.ts'

/**
 * State that is carried from step to step. The session, the memberships and the consent are read again in each step.
 */
export interface AuthorizationState {
  fields: Record<string, string>
  /** The hash of the request_uri of a pushed request. The response to the client uses it up. */
  pushed?: string
  /** The client signed the request. */
  signed?: boolean
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

/** Renders the page of a step. */
export type ShowStep = (step: Step, request: AuthorizeRequest, login: Authorization) => Promise<PageResult>

/**
 * Decides the next step of an authorization from the request and the current state: a page, a redirect to the sign-in,
 * or the response to the client. Every step returns here, so that none can be skipped.
 */
export async function dispatch(
  ctx: Ctx,
  exchange: Exchange,
  { started, show, ...parameters }: AuthorizationParameters & { started?: Authorization; show: ShowStep },
): Promise<PageResult> {
  const { fields, pushed, refusal } = parameters
  const target = await readRedirectTarget(ctx, exchange.request, fields)
  let login = started
  try {
    if (refusal) throw refusal
    requireProtected(target.client, parameters)
    const request = await readAuthorizeRequest(ctx, target, fields)
    login ??= startLogin(ctx, request, parameters)
    const outcome = await findNextStep(ctx, exchange, { request, login })
    if (outcome.kind === 'account' || outcome.kind === 'tenant' || outcome.kind === 'consent') {
      return await show(outcome, request, login)
    }
    if (outcome.kind === 'second-factor') return { redirect: urlWithLogin(ctx, outcome.path, login) }
    const code =
      outcome.kind === 'finish' ? await issueCode(ctx, exchange.request, { request, pushed, ...outcome }) : undefined
    if (code !== undefined) return respondToClient(ctx, request, { code })
    if (request.prompts.includes('none')) throw new OAuthError('login_required', 'The user must sign in first.')
    const mustReauthenticate = outcome.kind === 'login' && outcome.mustReauthenticate
    return { redirect: signInUrl(ctx, login, { mustReauthenticate }) }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const page = await findRefusedPage(ctx, exchange, { target, login, tenantSlug: fields.get('tenant'), error })
    return page ?? respondWithError(ctx, exchange.request, { target, pushed }, error)
  }
}

export const resume = (
  ctx: Ctx,
  exchange: Exchange,
  { login, show }: { login: Authorization; show: ShowStep },
): Promise<PageResult> =>
  dispatch(ctx, exchange, {
    fields: toFields(login.state.fields),
    pushed: login.state.pushed,
    signed: login.state.signed,
    started: login,
    show,
  })

/** A pushed request was signed if the client must sign: the endpoint takes no other. */
function requireProtected(
  { requirePushedRequests, requireSignedRequests }: Client,
  { pushed, signed = false }: Pick<AuthorizationParameters, 'pushed' | 'signed'>,
): void {
  if (requirePushedRequests && pushed === undefined) {
    throw new OAuthError('invalid_request', 'This client must push its authorization requests (RFC 9126).')
  }
  if (requireSignedRequests && pushed === undefined && !signed) throw unsigned()
}

export const unsigned = (): OAuthError =>
  new OAuthError('invalid_request', 'This client must sign its authorization requests (RFC 9101).')

/** Encrypted, the login is a third longer. It must fit into the URL of every page. */
const MAX_LOGIN_BYTES = 8_000

export function startLogin(
  ctx: Ctx,
  { client, redirectUri, loginHint, tenantSlug, prompts, maxAge }: AuthorizeRequest,
  { fields, pushed, signed }: AuthorizationParameters,
): Authorization {
  const login = {
    next: CONTINUE_PATH,
    startedAt: ctx.now().getTime(),
    application: client.applicationName,
    clientId: client.clientId,
    loginHint,
    // Nobody has vetted the other clients. They must not make warnings unreadable.
    language: client.origin === 'ADMIN' ? matchLanguage((fields.get('ui_locales') ?? '').split(' ')) : undefined,
    tenant: tenantSlug,
    maxAge: prompts.includes('login') ? 0 : maxAge,
    formTargets: [toFormTarget(redirectUri)],
    state: { fields: fields.toObject(), ...(pushed !== undefined && { pushed }), ...(signed && { signed }) },
  }
  if (Buffer.byteLength(JSON.stringify(login)) > MAX_LOGIN_BYTES) {
    throw new OAuthError('invalid_request', 'The parameters are too long.')
  }
  return login
}

interface FinishedAuthorization {
  request: AuthorizeRequest
  pushed: string | undefined
  session: BrowserSession
  tenant: ActiveMembership | undefined
}

/**
 * Stores the grant and returns its code; undefined if the session, the consent or another row that the grant depends on
 * was deleted concurrently.
 */
async function issueCode(
  ctx: Ctx,
  httpRequest: FastifyRequest,
  { request, pushed, session, tenant }: FinishedAuthorization,
): Promise<string | undefined> {
  const { redirectUri, claims, resource, nonce, challenge, jkt } = request
  // An operator who acts as the user gets no refresh token.
  const scopes = session.support ? request.scopes.filter((scope) => scope !== 'offline_access') : request.scopes
  const client = await storeDocumentClient(ctx, request.client, {
    actor: userActor(session.userId),
    request: httpRequest,
  })
  const code = newSecret()
  const now = ctx.now()
  const sessionEnd = session.support?.endsAt.getTime() ?? Number.POSITIVE_INFINITY
  const expiresAt = new Date(Math.min(now.getTime() + CODE_SECONDS * 1000, sessionEnd))
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
    requested_claims: toStoredClaims(claims),
    created_at: now,
    expires_at: expiresAt,
  }
  const insert = (db: Db) => (client.trusted ? insertGrant(db, grant, client) : insertConsentedGrant(db, grant, client))
  const isInserted =
    pushed === undefined
      ? await insert(ctx.db)
      : // The request stays unused if the grant cannot be inserted.
        await ctx.db.transaction().execute(async (tx) => {
          await usePushed(ctx, tx, { pushed, client, httpRequest })
          return insert(tx)
        })
  return isInserted ? code : undefined
}

/** Most requests name no claims. */
const toStoredClaims = (claims: RequestedClaims): string | null =>
  claims.userinfo.length + claims.idToken.length === 0 && claims.acr === undefined ? null : JSON.stringify(claims)

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

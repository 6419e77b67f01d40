import { hash } from 'node:crypto'
import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { randomText } from '../lib/secrets.ts'
import type { Claims } from '../lib/signer.ts'
import { findLicense } from '../licensing/licenses.ts'
import type { TokenResponse } from './schema.ts'
import { type ClaimColumns, toUserClaims } from './user-claims.ts'

/**
 * The tenant of a token, and the roles of its user there. `grant-subject.ts` fills it from a grant, after `switchTenant` in
 * `grants/refresh-token.ts` if the client requests another tenant. For a machine it comes from the `Client`.
 */
export interface TokenTenant {
  id: string
  slug: string
  roles: string[]
}

/** The subject of tokens: one grant of one client by one user. */
export interface Subject {
  client: Client
  grantId: string
  sessionId: string
  userId: string
  scopes: string[]
  authTime: Date
  amr: string[]
  /** The columns for the claims of the ID token. */
  user: ClaimColumns
  tenant: TokenTenant | undefined
}

/** The lifetime of an application's tokens in seconds: its own setting or the instance default. */
export const lifetimeOf = ({ config }: Ctx, { lifetimes }: Client, kind: keyof Client['lifetimes']): number =>
  lifetimes[kind] ?? config.lifetimes[kind]

/**
 * The jti starts with the id of the grant, or of the client secret for machine clients, so that its validity can be
 * looked up.
 */
const newJti = (grantOrSecretId: string) => `${grantOrSecretId}.${randomText(12)}`

export const grantOrSecretIdOf = (jti: string): string => jti.slice(0, jti.indexOf('.'))

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000)

interface TokenContent {
  refreshToken: string | undefined
  nonce?: string | null
  license: LicenseClaim | undefined
}

/** Signs the tokens of a user's grant. Must not run inside a transaction: signing is slow. */
export async function issueTokens(
  ctx: Ctx,
  subject: Subject,
  { refreshToken, nonce, license }: TokenContent,
): Promise<TokenResponse> {
  const { client, scopes } = subject
  const expires_in = lifetimeOf(ctx, client, 'accessToken')
  // The ID token contains the hash of the access token (at_hash), so it is signed second.
  const access_token = await ctx.signer.sign('at+jwt', accessClaims(ctx, subject, { expires_in, license }))
  const id_token = scopes.includes('openid')
    ? await ctx.signer.sign('JWT', idClaims(ctx, subject, { nonce, access_token }))
    : undefined
  const scope = scopes.join(' ')
  return { access_token, token_type: 'Bearer', expires_in, refresh_token: refreshToken, id_token, scope }
}

/** Signs the access token of a machine client. It is valid only as long as the secret that obtained it. */
export async function issueMachineToken(
  ctx: Ctx,
  { client, secretId, scopes }: { client: Client; secretId: string; scopes: string[] },
): Promise<TokenResponse> {
  const expires_in = lifetimeOf(ctx, client, 'accessToken')
  const { clientId, applicationId, tenantId, tenantSlug = '' } = client
  const tenant = tenantId === undefined ? undefined : { id: tenantId, slug: tenantSlug, roles: [] }
  const scope = scopes.join(' ')
  const iat = toSeconds(ctx.now())
  const access_token = await ctx.signer.sign('at+jwt', {
    iss: ctx.config.baseUrl,
    iat,
    exp: iat + expires_in,
    sub: clientId,
    aud: applicationId,
    jti: newJti(secretId),
    client_id: clientId,
    scope,
    tenant_id: tenant?.id,
    tenant_slug: tenant?.slug,
    tenant_roles: tenant?.roles,
  })
  return { access_token, token_type: 'Bearer', expires_in, scope }
}

// Claims are listed one by one, because object spread is several times slower here.

function accessClaims(
  { config, now }: Ctx,
  subject: Subject,
  { expires_in, license }: { expires_in: number; license: LicenseClaim | undefined },
): Claims {
  const iat = toSeconds(now())
  return {
    iss: config.baseUrl,
    iat,
    exp: iat + expires_in,
    sub: subject.userId,
    aud: subject.client.applicationId,
    jti: newJti(subject.grantId),
    client_id: subject.client.clientId,
    scope: subject.scopes.join(' '),
    sid: subject.sessionId,
    auth_time: toSeconds(subject.authTime),
    amr: subject.amr,
    tenant_id: subject.tenant?.id,
    tenant_slug: subject.tenant?.slug,
    tenant_roles: subject.tenant?.roles,
    license,
  }
}

/** Many client libraries read the user from the ID token, so it has the claims of userinfo, unless the client opts out. */
function idClaims(
  ctx: Ctx,
  subject: Subject,
  { nonce, access_token }: { nonce: string | null | undefined; access_token: string },
): Claims {
  const iat = toSeconds(ctx.now())
  return {
    iss: ctx.config.baseUrl,
    iat,
    exp: iat + lifetimeOf(ctx, subject.client, 'idToken'),
    sub: subject.userId,
    aud: subject.client.clientId,
    nonce: nonce || undefined,
    at_hash: hash('sha256', access_token, 'buffer').toString('base64url', 0, 16),
    acr: subject.amr.includes('mfa') ? '2' : '1',
    sid: subject.sessionId,
    auth_time: toSeconds(subject.authTime),
    amr: subject.amr,
    ...(subject.client.userinfoInIdToken && toUserClaims(subject.user, subject.scopes)),
  }
}

export interface LicenseClaim {
  type: string
  name: string
  features: string[]
}

/**
 * The user's license in the tenant for the application. It is read before a code or refresh token is used up, so that
 * the client can retry if the read fails.
 */
export async function findLicenseClaim(
  ctx: Ctx,
  { client, userId, tenant }: Subject,
): Promise<LicenseClaim | undefined> {
  if (!tenant) return undefined
  const license = await findLicense(ctx, { tenantId: tenant.id, userId, applicationId: client.applicationId })
  return license && { type: license.type, name: license.name, features: license.features }
}

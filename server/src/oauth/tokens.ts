import { hash } from 'node:crypto'
import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { randomText } from '../lib/secrets.ts'
import type { Claims } from '../lib/signer.ts'
import { findLicense } from '../licensing/licenses.ts'
import type { TokenReply } from './schema.ts'

/** The tenant a token speaks for, and the roles of its holder there. */
export interface TokenTenant {
  id: string
  slug: string
  roles: string[]
}

/** Whom tokens are made for: one authorization of one client by one person. */
export interface Subject {
  client: Client
  grantId: string
  sessionId: string
  userId: string
  scopes: string[]
  authTime: Date
  amr: string[]
  tenant: TokenTenant | undefined
}

/** How long an application's tokens of a kind last, in seconds: its own wish, or the instance's. */
export const lifetimeOf = ({ config }: Ctx, { lifetimes }: Client, kind: keyof Client['lifetimes']): number =>
  lifetimes[kind] ?? config.lifetimes[kind]

/** A name for a token that begins with what it hangs on, so that its end can be looked up. */
const newTokenName = (anchor: string) => `${anchor}.${randomText(12)}`

export const anchorOf = (jti: string): string => jti.slice(0, jti.indexOf('.'))

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** What tokens are to say beside whom they are for. */
interface Issue {
  refreshToken: string | undefined
  nonce?: string | null
  license: LicenseClaim | undefined
}

/** Signs what a person's authorization yields. Runs outside any transaction. */
export async function issueTokens(
  ctx: Ctx,
  subject: Subject,
  { refreshToken, nonce, license }: Issue,
): Promise<TokenReply> {
  const { client, scopes } = subject
  const expires_in = lifetimeOf(ctx, client, 'accessToken')
  // The ID token names the access token's hash (at_hash), so it is signed after it.
  const access_token = await ctx.signer.sign('at+jwt', accessClaims(ctx, subject, { expires_in, license }))
  const id_token = scopes.includes('openid')
    ? await ctx.signer.sign('JWT', idClaims(ctx, subject, { nonce, access_token }))
    : undefined
  const scope = scopes.join(' ')
  return { access_token, token_type: 'Bearer', expires_in, refresh_token: refreshToken, id_token, scope }
}

/** What signs what a machine gets: a token for itself, another each time. It hangs on the secret that obtained it. */
export function prepareMachineToken(
  ctx: Ctx,
  { client, secretId, scopes }: { client: Client; secretId: string; scopes: string[] },
): () => Promise<TokenReply> {
  const expires_in = lifetimeOf(ctx, client, 'accessToken')
  const { clientId, applicationId, tenantId, tenantSlug = '' } = client
  const tenant = tenantId === undefined ? undefined : { id: tenantId, slug: tenantSlug, roles: [] }
  const scope = scopes.join(' ')
  return async () => {
    const iat = seconds(ctx.now())
    const access_token = await ctx.signer.sign('at+jwt', {
      iss: ctx.config.baseUrl,
      iat,
      exp: iat + expires_in,
      sub: clientId,
      aud: applicationId,
      jti: newTokenName(secretId),
      client_id: clientId,
      scope,
      tenant_id: tenant?.id,
      tenant_slug: tenant?.slug,
      tenant_roles: tenant?.roles,
    })
    return { access_token, token_type: 'Bearer', expires_in, scope }
  }
}

// Claims are written one by one, because objects that are put together of others take several times as long.

function accessClaims(
  { config, now }: Ctx,
  subject: Subject,
  { expires_in, license }: { expires_in: number; license: LicenseClaim | undefined },
): Claims {
  const iat = seconds(now())
  return {
    iss: config.baseUrl,
    iat,
    exp: iat + expires_in,
    sub: subject.userId,
    aud: subject.client.applicationId,
    jti: newTokenName(subject.grantId),
    client_id: subject.client.clientId,
    scope: subject.scopes.join(' '),
    sid: subject.sessionId,
    auth_time: seconds(subject.authTime),
    amr: subject.amr,
    tenant_id: subject.tenant?.id,
    tenant_slug: subject.tenant?.slug,
    tenant_roles: subject.tenant?.roles,
    license,
  }
}

/** Profile and e-mail stay in userinfo (OpenID Connect Core §5.4). */
function idClaims(
  ctx: Ctx,
  subject: Subject,
  { nonce, access_token }: { nonce: string | null | undefined; access_token: string },
): Claims {
  const iat = seconds(ctx.now())
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
    auth_time: seconds(subject.authTime),
    amr: subject.amr,
  }
}

export interface LicenseClaim {
  type: string
  name: string
  features: string[]
}

/**
 * What the person holds in that tenant for that application, at this moment. Asked before a code or a refresh token is
 * used up: if it cannot be told, they can be shown again.
 */
export async function findLicenseClaim(
  ctx: Ctx,
  { client, userId, tenant }: Subject,
): Promise<LicenseClaim | undefined> {
  if (!tenant) return undefined
  const license = await findLicense(ctx, { tenantId: tenant.id, userId, applicationId: client.applicationId })
  return license && { type: license.type, name: license.name, features: license.features }
}

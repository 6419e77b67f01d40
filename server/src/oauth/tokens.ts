import { createHash, randomBytes } from 'node:crypto'
import type { Client } from '../applications/clients.ts'
import type { Lifetimes } from '../config/lifetimes.ts'
import type { Ctx } from '../context.ts'
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

/** The lifetimes of an application's tokens: its own, or the instance's. */
export function lifetimesOf({ config }: Ctx, { lifetimes }: Client): Lifetimes {
  const own = Object.entries(lifetimes).filter(([, seconds]) => seconds !== undefined)
  return { ...config.lifetimes, ...Object.fromEntries(own) }
}

/** A name for a token that begins with what it hangs on, so that its end can be looked up. */
const newTokenName = (anchor: string) => `${anchor}.${randomBytes(12).toString('base64url')}`

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
  const { accessToken, idToken } = lifetimesOf(ctx, client)
  // The ID token names the access token's hash (at_hash), so it is signed after it.
  const access_token = await ctx.signer.sign('at+jwt', {
    ...accessClaims(ctx, subject, accessToken),
    ...(license && { license }),
  })
  return {
    access_token,
    token_type: 'Bearer',
    expires_in: accessToken,
    ...(refreshToken !== undefined && { refresh_token: refreshToken }),
    ...(scopes.includes('openid') && {
      id_token: await ctx.signer.sign('JWT', idClaims(ctx, subject, { ttl: idToken, nonce, access_token })),
    }),
    scope: scopes.join(' '),
  }
}

/** Signs what a machine gets: a token for itself. It hangs on the secret that obtained it. */
export async function issueMachineToken(
  ctx: Ctx,
  { client, secretId, scopes }: { client: Client; secretId: string; scopes: string[] },
): Promise<TokenReply> {
  const { accessToken } = lifetimesOf(ctx, client)
  const tenant =
    client.tenantId === undefined
      ? undefined
      : { id: client.tenantId, slug: client.tenantSlug ?? '', roles: [] }
  const access_token = await ctx.signer.sign('at+jwt', {
    ...commonClaims(ctx, accessToken),
    sub: client.clientId,
    aud: client.applicationId,
    jti: newTokenName(secretId),
    client_id: client.clientId,
    scope: scopes.join(' '),
    ...tenantClaims(tenant),
  })
  return { access_token, token_type: 'Bearer', expires_in: accessToken, scope: scopes.join(' ') }
}

function commonClaims({ config, now }: Ctx, ttl: number): Claims {
  const iat = seconds(now())
  return { iss: config.baseUrl, iat, exp: iat + ttl }
}

const accessClaims = (ctx: Ctx, subject: Subject, ttl: number): Claims => ({
  ...commonClaims(ctx, ttl),
  sub: subject.userId,
  aud: subject.client.applicationId,
  jti: newTokenName(subject.grantId),
  client_id: subject.client.clientId,
  scope: subject.scopes.join(' '),
  ...personClaims(subject),
  ...tenantClaims(subject.tenant),
})

/** Profile and e-mail stay in userinfo (OpenID Connect Core §5.4). */
const idClaims = (
  ctx: Ctx,
  subject: Subject,
  { ttl, nonce, access_token }: { ttl: number; nonce: string | null | undefined; access_token: string },
): Claims => ({
  ...commonClaims(ctx, ttl),
  sub: subject.userId,
  aud: subject.client.clientId,
  ...(nonce && { nonce }),
  at_hash: createHash('sha256').update(access_token).digest().subarray(0, 16).toString('base64url'),
  acr: subject.amr.includes('mfa') ? '2' : '1',
  ...personClaims(subject),
})

const personClaims = ({ sessionId, authTime, amr }: Subject): Claims => ({
  sid: sessionId,
  auth_time: seconds(authTime),
  amr,
})

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

const tenantClaims = (tenant: TokenTenant | undefined): Claims =>
  tenant ? { tenant_id: tenant.id, tenant_slug: tenant.slug, tenant_roles: tenant.roles } : {}

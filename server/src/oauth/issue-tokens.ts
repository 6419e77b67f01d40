import { hash } from 'node:crypto'
import type { Client } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import type { RequestedClaims } from '../db/tables.ts'
import { randomText } from '../lib/secrets.ts'
import type { Claims, SigningAlgorithm } from '../lib/signer.ts'
import { type AccessClaims, toActClaim } from './access-claims.ts'
import { acrOf } from './acr.ts'
import type { Proof } from './dpop/request-proof.ts'
import type { LicenseClaim } from './license-claim.ts'
import { ACCESS_TOKEN_TYPE, type TokenResponse } from './schema.ts'
import { type ClaimColumns, toUserClaims } from './user-claims.ts'

/**
 * The tenant of a user's token, and the roles of the user there. `grant-subject.ts` fills it from a grant, after
 * `grants/switch-tenant.ts` if the client requests another tenant.
 */
export interface TokenTenant {
  id: string
  slug: string
  roles: string[]
}

/** The audience of an access token for a resource, and the scopes that it may have. */
export interface TokenResource {
  uri: string
  scopes: string[]
  /** The application that owns it. */
  applicationId: string
}

/** The subject of an access token: one grant of one client by one user. */
export interface AccessSubject {
  client: Client
  grantId: string
  sessionId: string
  userId: string
  scopes: string[]
  /** The API that the access token is for; undefined for the application itself. */
  resource: TokenResource | undefined
  authTime: Date
  amr: string[]
  tenant: TokenTenant | undefined
  /** The operator who acts as the user, and the end of their session, which no token outlives. */
  operator: { id: string; endsAt: Date } | undefined
}

export interface Subject extends AccessSubject {
  /** Claims that the client requested by name. */
  claims: RequestedClaims
  /** The columns for the claims of the ID token. */
  user: ClaimColumns
}

/** The lifetime of an application's tokens in seconds: its own setting or the instance default. */
export const lifetimeOf = ({ config }: Ctx, { lifetimes }: Client, kind: keyof Client['lifetimes']): number =>
  lifetimes[kind] ?? config.lifetimes[kind]

/**
 * The jti starts with the id of the grant, or of the secret or key for machine clients, so that its validity can be
 * looked up. That of an exchanged token starts with the jti of the token before, and is valid only as long as that one.
 */
const newJti = (start: string) => `${start}.${randomText(12)}`

export const grantOrCredentialIdOf = (jti: string): string => jti.slice(0, jti.indexOf('.'))

const toSeconds = (date: Date) => Math.floor(date.getTime() / 1000)

interface TokenContent {
  refreshToken: string | undefined
  nonce?: string | null
  license: LicenseClaim | undefined
  /** The access token is bound to its key. */
  proof: Proof | undefined
}

/** Signs the tokens of a user's grant. Must not run inside a transaction: signing is slow. */
export async function issueTokens(
  ctx: Ctx,
  subject: Subject,
  { refreshToken, nonce, license, proof }: TokenContent,
): Promise<TokenResponse> {
  const { client, scopes } = subject
  await proof?.use()
  const algorithm = await ctx.signer.chooseAlgorithm(client.signingAlgorithms)
  const lifetime = lifetimeOf(ctx, client, 'accessToken')
  // The ID token contains the hash of the access token (at_hash), so it is signed second.
  const claims = accessClaims(ctx, subject, { expires_in: lifetime, license, proof })
  const expires_in = claims.exp - claims.iat
  const access_token = await ctx.signer.sign('at+jwt', claims, algorithm)
  const id_token = scopes.includes('openid')
    ? await ctx.signer.sign(
        'JWT',
        idClaims(ctx, subject, { nonce, at_hash: toAtHash(access_token, algorithm) }),
        algorithm,
      )
    : undefined
  const scope = scopes.join(' ')
  return { access_token, token_type: tokenTypeOf(proof), expires_in, refresh_token: refreshToken, id_token, scope }
}

interface MachineGrant {
  client: Client
  credentialId: string
  scopes: string[]
  /** The URI of a resource; undefined for the application of the client. */
  audience: string | undefined
  /** The access token is bound to its key. */
  proof: Proof | undefined
}

/** A token for a resource has only scopes that the resource understands (RFC 9068 §2.2.3). */
const accessScope = (scopes: string[], resource: TokenResource | undefined): string =>
  (resource ? scopes.filter((scope) => resource.scopes.includes(scope)) : scopes).join(' ')

const tokenTypeOf = (proof: Proof | undefined) => (proof ? 'DPoP' : 'Bearer')

/** The claim that binds a token to a key (RFC 9449 §6.1). */
const confirmationOf = (proof: Proof | undefined) => proof && { jkt: proof.jkt }

/** Signs the access token of a machine client. It is valid only as long as the credential that obtained it. */
export async function issueMachineToken(ctx: Ctx, grant: MachineGrant): Promise<TokenResponse> {
  const { client, scopes, proof } = grant
  await proof?.use()
  const expires_in = lifetimeOf(ctx, client, 'accessToken')
  const algorithm = await ctx.signer.chooseAlgorithm(client.signingAlgorithms)
  const access_token = await ctx.signer.sign('at+jwt', machineClaims(ctx, grant, expires_in), algorithm)
  return { access_token, token_type: tokenTypeOf(proof), expires_in, scope: scopes.join(' ') }
}

/** A token of a user that a client exchanges for another. */
interface ExchangedToken {
  claims: AccessClaims
  /** When the new token must expire at the latest. */
  endsAt: Date
}

/** Signs the access token of a client that acts for a user (RFC 8693). */
export async function issueExchangedToken(
  ctx: Ctx,
  subject: AccessSubject,
  { exchanged, license, proof }: Pick<TokenContent, 'license' | 'proof'> & { exchanged: ExchangedToken },
): Promise<TokenResponse> {
  await proof?.use()
  const { client, scopes, resource } = subject
  const algorithm = await ctx.signer.chooseAlgorithm(client.signingAlgorithms)
  const lifetime = lifetimeOf(ctx, client, 'accessToken')
  const claims = accessClaims(ctx, subject, { expires_in: lifetime, license, proof, exchanged })
  const access_token = await ctx.signer.sign('at+jwt', claims, algorithm)
  const expires_in = claims.exp - claims.iat
  const scope = accessScope(scopes, resource)
  return { access_token, issued_token_type: ACCESS_TOKEN_TYPE, token_type: tokenTypeOf(proof), expires_in, scope }
}

interface AccessContent extends Pick<TokenContent, 'license' | 'proof'> {
  expires_in: number
  exchanged?: ExchangedToken
}

// Claims are listed one by one, because object spread is several times slower here.

/** The claims of an access token of a user. */
function accessClaims(
  { config, now }: Ctx,
  subject: AccessSubject,
  { expires_in, license, proof, exchanged }: AccessContent,
): Claims & { iat: number; exp: number } {
  const iat = toSeconds(now())
  const exp = iat + expires_in
  return {
    iss: config.baseUrl,
    iat,
    exp: exchanged ? Math.min(exp, toSeconds(exchanged.endsAt)) : capExpiry(exp, subject),
    sub: subject.userId,
    aud: subject.resource?.uri ?? subject.client.applicationId,
    jti: newJti(exchanged?.claims.jti ?? subject.grantId),
    client_id: subject.client.clientId,
    scope: accessScope(subject.scopes, subject.resource),
    sid: subject.sessionId,
    auth_time: toSeconds(subject.authTime),
    amr: subject.amr,
    tenant_id: subject.tenant?.id,
    tenant_slug: subject.tenant?.slug,
    tenant_roles: subject.tenant?.roles,
    license,
    cnf: confirmationOf(proof),
    act: exchanged
      ? toActClaim([subject.client.clientId, ...exchanged.claims.actors], exchanged.claims.operatorId)
      : actOf(subject),
  }
}

/** The claims of the access token of a machine client. */
function machineClaims(
  { config, now }: Ctx,
  { client, credentialId, scopes, audience, proof }: MachineGrant,
  expires_in: number,
): Claims {
  const iat = toSeconds(now())
  return {
    iss: config.baseUrl,
    iat,
    exp: iat + expires_in,
    sub: client.clientId,
    aud: audience ?? client.applicationId,
    jti: newJti(credentialId),
    client_id: client.clientId,
    scope: scopes.join(' '),
    tenant_id: client.tenantId,
    tenant_slug: client.tenantSlug,
    tenant_roles: client.tenantId === undefined ? undefined : [],
    cnf: confirmationOf(proof),
  }
}

const capExpiry = (exp: number, { operator }: AccessSubject): number =>
  operator ? Math.min(exp, toSeconds(operator.endsAt)) : exp

const actOf = ({ operator }: AccessSubject) => operator && { sub: operator.id }

/** The left half of the hash that the algorithm of the ID token uses (OpenID Connect Core §3.1.3.6): Ed25519 uses SHA-512. */
function toAtHash(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', accessToken, 'buffer')
  return digest.toString('base64url', 0, digest.length / 2)
}

/** Many client libraries read the user from the ID token, so it has the claims of userinfo, unless the client opts out. */
function idClaims(
  ctx: Ctx,
  subject: Subject,
  { nonce, at_hash }: { nonce: string | null | undefined; at_hash: string },
): Claims {
  const iat = toSeconds(ctx.now())
  return {
    iss: ctx.config.baseUrl,
    iat,
    exp: capExpiry(iat + lifetimeOf(ctx, subject.client, 'idToken'), subject),
    sub: subject.userId,
    aud: subject.client.clientId,
    nonce: nonce || undefined,
    at_hash,
    acr: subject.claims.acr ?? acrOf(subject.amr),
    sid: subject.sessionId,
    auth_time: toSeconds(subject.authTime),
    amr: subject.amr,
    act: actOf(subject),
    ...toUserClaims(subject.user, subject.client.userinfoInIdToken ? subject.scopes : [], subject.claims.idToken),
  }
}

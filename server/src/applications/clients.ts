import { timingSafeEqual } from 'node:crypto'
import type { Ctx } from '../context.ts'
import type { ClientKind, ClientOrigin } from '../db/tables.ts'
import { thumbprintOf } from '../lib/public-keys.ts'
import { fingerprintOf, hashSecret } from '../lib/secrets.ts'
import type { SigningAlgorithm } from '../lib/signer.ts'
import { isUriLike } from './clients/addresses.ts'
import { consoleAddresses } from './clients/console.ts'
import { type ClientSettings, isClientId } from './clients/rules.ts'
import {
  findClientByClientId,
  findClientWithOrigin,
  findClientWithPostLogoutUri,
  findClientWithRedirectUri,
} from './clients/store.ts'
import type { ClientDocument } from './documents/metadata.ts'
import { isAcceptedDocumentUrl } from './documents/url.ts'

/** A client with all that a request needs to know of it, also of its application and tenant. */
export interface Client extends ClientSettings {
  id: string
  clientId: string
  origin: ClientOrigin
  /** Its document, if it was read for this request and differs from what is stored. */
  changedDocument?: ClientDocument
  applicationId: string
  applicationName: string
  /** A first-party application, for which no consent is requested. */
  trusted: boolean
  /** The client of the console. */
  builtIn: boolean
  kind: ClientKind
  /** The tenant that a MACHINE client acts for; undefined for the instance. */
  tenantId: string | undefined
  tenantSlug: string | undefined
  /** When the tenant was suspended and last reactivated. */
  suspension: { suspendedAt: Date | null; reactivatedAt: Date | null } | undefined
  secrets: { id: string; hash: Buffer }[]
  /** How its tokens are signed; a later one only while the ones before it have no active key. */
  signingAlgorithms: SigningAlgorithm[]
  /** Token lifetimes in seconds; undefined for the default of the instance. */
  lifetimes: {
    accessToken: number | undefined
    idToken: number | undefined
    refreshTokenIdle: number | undefined
    refreshToken: number | undefined
  }
  /** Tokens that it obtained until then by token exchange are not valid. */
  exchangeEndedAt: Date | null
  createdAt: Date
}

export const hasKeys = ({ jwks, jwksUri }: Pick<Client, 'jwks' | 'jwksUri'>): boolean =>
  jwks !== null || jwksUri !== null

/** Also finds disabled clients. One that is described by a document is found as soon as a user has allowed it. */
export async function findClient(ctx: Ctx, clientId: string): Promise<Client | undefined> {
  if (!(isClientId(clientId) || isAcceptedDocumentUrl(ctx.config, clientId))) return undefined
  return ctx.cache.getOrLoad(`client:${clientId}`, async () => {
    const value = await loadClient(ctx, clientId)
    if (!value) return undefined
    const tenant = value.tenantId === undefined ? [] : [`tenant:${value.tenantId}`]
    return { value, subjects: [`client:${value.id}`, `application:${value.applicationId}`, ...tenant] }
  })
}

async function loadClient(ctx: Ctx, clientId: string): Promise<Client | undefined> {
  const stored = await findClientByClientId(ctx.db, clientId)
  if (!stored) return undefined
  const { updatedAt, applicationSlug, ...withLifetimes } = stored
  const { accessTokenTtl, idTokenTtl, refreshTokenIdleTtl, refreshTokenTtl, ...withSuspension } = withLifetimes
  const { tenantSuspendedAt: suspendedAt, tenantReactivatedAt: reactivatedAt, ...rest } = withSuspension
  const { signingAlgorithm, previousSigningAlgorithm: previous, ...client } = rest
  return {
    ...client,
    trusted: stored.trusted && stored.origin === 'ADMIN',
    ...(stored.builtIn && consoleAddresses(ctx.config)),
    tenantId: stored.tenantId ?? undefined,
    tenantSlug: stored.tenantSlug ?? undefined,
    suspension: stored.tenantId === null ? undefined : { suspendedAt, reactivatedAt },
    secrets: stored.secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'hex') })),
    signingAlgorithms: previous === null ? [signingAlgorithm] : [signingAlgorithm, previous],
    lifetimes: {
      accessToken: accessTokenTtl ?? undefined,
      idToken: idTokenTtl ?? undefined,
      refreshTokenIdle: refreshTokenIdleTtl ?? undefined,
      refreshToken: refreshTokenTtl ?? undefined,
    },
  }
}

/** Finds the presented secret. All secrets are compared in constant time, so that timing leaks nothing. */
export function findSecret(
  { secrets, tokenEndpointAuthMethod }: Client,
  presented: string,
): { id: string } | undefined {
  if (tokenEndpointAuthMethod !== 'client_secret') return undefined
  const hash = hashSecret(presented)
  const [match] = secrets.filter((secret) => timingSafeEqual(secret.hash, hash))
  return match && { id: match.id }
}

/**
 * The ids of the credentials that the client may use now: its secrets, its keys by thumbprint (RFC 7638), or the place
 * of its keys.
 */
export function credentialIdsOf({ tokenEndpointAuthMethod, secrets, jwks, jwksUri }: Client): string[] {
  if (tokenEndpointAuthMethod === 'client_secret') return secrets.map(({ id }) => id)
  if (tokenEndpointAuthMethod === 'none') return []
  return jwksUri === null ? (jwks?.keys ?? []).map(thumbprintOf) : [fingerprintOf(jwksUri)]
}

/** FAPI 2.0 §5.4.1: the client signs nothing with RS256. */
export const mayUseAlgorithm = ({ securityProfile }: Client, algorithm: string): boolean =>
  securityProfile !== 'FAPI2' || algorithm !== 'RS256'

/** Whether an enabled client lists this origin. */
export async function isKnownOrigin(ctx: Ctx, origin: string): Promise<boolean> {
  if (!isUriLike(origin)) return false
  const known = await ctx.cache.getOrLoad(`origin:${origin}`, async () => {
    const client = await findClientWithOrigin(ctx.db, origin)
    return client && { value: true, subjects: [`client:${client.id}`] }
  })
  return known ?? false
}

/** Whether an enabled client of an administrator lists this post-logout redirect URI. */
export async function isKnownPostLogoutUri(ctx: Ctx, uri: string): Promise<boolean> {
  return isUriLike(uri) && (await findClientWithPostLogoutUri(ctx.db, uri)) !== undefined
}

/** Whether an enabled client of an administrator lists this redirect URI. */
export async function isKnownRedirectUri(ctx: Ctx, uri: string): Promise<boolean> {
  return isUriLike(uri) && (await findClientWithRedirectUri(ctx.db, uri)) !== undefined
}

import { timingSafeEqual } from 'node:crypto'
import type { Ctx } from '../context.ts'
import type { ClientKind, PkceMethod } from '../db/tables.ts'
import { type Eventual, whenThere } from '../lib/eventual.ts'
import { hashSecret } from '../lib/secrets.ts'
import { isAddressLike } from './clients/addresses.ts'
import { consoleAddresses } from './clients/console.ts'
import { isClientId } from './clients/rules.ts'
import {
  findClientByClientId,
  findClientWithOrigin,
  findClientWithPostLogoutUri,
  findClientWithRedirectUri,
} from './clients/store.ts'

/** A client as those who deal with it need it. */
export interface Client {
  id: string
  clientId: string
  applicationId: string
  applicationName: string
  /** The application is ours: nobody is asked for consent. */
  trusted: boolean
  kind: ClientKind
  name: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  allowedOrigins: string[]
  scopes: string[]
  /** The tenant a machine acts for; undefined: the instance. */
  tenantId: string | undefined
  tenantSlug: string | undefined
  /** Of that tenant: since when it is suspended, and when it last ceased to be. */
  suspension: { suspendedAt: Date | null; reactivatedAt: Date | null } | undefined
  requireNonce: boolean
  pkceMethods: PkceMethod[]
  disabled: boolean
  secrets: { id: string; hash: Buffer }[]
  /** Lifetimes of the application's own, in seconds; undefined: the instance's. */
  lifetimes: {
    accessToken: number | undefined
    idToken: number | undefined
    refreshTokenIdle: number | undefined
    refreshToken: number | undefined
  }
}

/** The client of this client_id, also when it is disabled. */
export function findClient(ctx: Ctx, clientId: string): Eventual<Client | undefined> {
  if (!isClientId(clientId)) return undefined
  return ctx.memory.recall(`client:${clientId}`, async () => {
    const value = await loadClient(ctx, clientId)
    if (!value) return undefined
    const tenant = value.tenantId === undefined ? [] : [`tenant:${value.tenantId}`]
    return { value, subjects: [`client:${value.id}`, `application:${value.applicationId}`, ...tenant] }
  })
}

async function loadClient(ctx: Ctx, clientId: string): Promise<Client | undefined> {
  const stored = await findClientByClientId(ctx.db, clientId)
  if (!stored) return undefined
  const { createdAt, updatedAt, applicationSlug, builtIn, ...kept } = stored
  const { accessTokenTtl, idTokenTtl, refreshTokenIdleTtl, refreshTokenTtl, ...named } = kept
  const { tenantSuspendedAt: suspendedAt, tenantReactivatedAt: reactivatedAt, ...client } = named
  return {
    ...client,
    ...(builtIn && consoleAddresses(ctx.config)),
    tenantId: stored.tenantId ?? undefined,
    tenantSlug: stored.tenantSlug ?? undefined,
    suspension: stored.tenantId === null ? undefined : { suspendedAt, reactivatedAt },
    secrets: stored.secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'hex') })),
    lifetimes: {
      accessToken: accessTokenTtl ?? undefined,
      idToken: idTokenTtl ?? undefined,
      refreshTokenIdle: refreshTokenIdleTtl ?? undefined,
      refreshToken: refreshTokenTtl ?? undefined,
    },
  }
}

/** Which of the client's secrets this is. Every one is compared, in a time that tells nothing. */
export function findSecret({ secrets }: Client, presented: string): { id: string } | undefined {
  const hash = hashSecret(presented)
  const [match] = secrets.filter((secret) => timingSafeEqual(secret.hash, hash))
  return match && { id: match.id }
}

/** Whether some enabled client lists this origin. */
export function knowsOrigin(ctx: Ctx, origin: string): Eventual<boolean> {
  if (!isAddressLike(origin)) return false
  const known = ctx.memory.recall(`origin:${origin}`, async () => {
    const client = await findClientWithOrigin(ctx.db, origin)
    return client && { value: true, subjects: [`client:${client.id}`] }
  })
  return whenThere(known, (yes) => yes ?? false)
}

/** Whether some enabled client lists this address as one to go to after a logout. */
export async function knowsPostLogoutUri(ctx: Ctx, uri: string): Promise<boolean> {
  return isAddressLike(uri) && (await findClientWithPostLogoutUri(ctx.db, uri)) !== undefined
}

/** Whether some enabled client lists this address as one to go to after a sign-in. */
export async function knowsRedirectUri(ctx: Ctx, uri: string): Promise<boolean> {
  return isAddressLike(uri) && (await findClientWithRedirectUri(ctx.db, uri)) !== undefined
}

import type { Ctx } from '../context.ts'
import { isUriLike } from './clients/addresses.ts'
import type { Client } from './clients.ts'
import { findResourceByUri } from './resources/store.ts'

/** An API for which clients request tokens (RFC 8707). */
export interface Resource {
  id: string
  applicationId: string
  name: string
  /** The audience of its tokens. */
  uri: string
  scopes: string[]
  /** The client ids of the clients of other applications that may use it. */
  allowedClients: string[]
  /** Clients that no administrator registered may use it. */
  allowDynamicClients: boolean
  createdAt: Date
}

/** The resource with exactly this URI. */
export async function findResource(ctx: Ctx, uri: string): Promise<Resource | undefined> {
  if (!isUriLike(uri)) return undefined
  return ctx.cache.getOrLoad(`resource:${uri}`, async () => {
    const value = await findResourceByUri(ctx.db, uri)
    return value && { value, subjects: [`resource:${value.id}`] }
  })
}

/** The clients of its own application may use a resource, and those of others that it allows. */
export const mayUseResource = (
  { applicationId, clientId, origin }: Pick<Client, 'applicationId' | 'clientId' | 'origin'>,
  resource: Pick<Resource, 'applicationId' | 'allowedClients' | 'allowDynamicClients'>,
): boolean =>
  applicationId === resource.applicationId ||
  resource.allowedClients.includes(clientId) ||
  (origin !== 'ADMIN' && resource.allowDynamicClients)

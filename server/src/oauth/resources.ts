import { PERSONAL_SCOPES } from '../applications/clients/rules.ts'
import type { Client } from '../applications/clients.ts'
import { findResource, mayUseResource, type Resource } from '../applications/resources.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import type { TokenResource } from './issue-tokens.ts'

/**
 * Resource indicators (RFC 8707). A token for a resource has its URI as audience and only scopes of the resource. A
 * grant is bound to the resource of its authorization request.
 */

/** The resource that a client requests. An unknown one and one that the client may not use are refused alike. */
export async function requireResource(ctx: Ctx, client: Client, uri: string): Promise<Resource> {
  const resource = await findResource(ctx, uri)
  if (resource && mayUseResource(client, resource)) return resource
  throw invalidTarget('The resource is not one that this client may request tokens for.', {
    resource: uri,
    problem: resource ? 'client not allowed' : 'unknown resource',
  })
}

/** `facts` are logged only. */
export const invalidTarget = (description: string, facts?: Record<string, unknown>): OAuthError =>
  new OAuthError('invalid_target', description, facts && { facts })

/** A device gets tokens for the application only. A resource that was ignored would widen what its token is good for. */
export function refuseResource(requested: string | undefined): void {
  if (requested === undefined) return
  throw invalidTarget('The device authorization grant supports no resource.', { resource: requested })
}

/** The scopes that have a meaning in a grant for the resource: its own, and those for the client itself. */
export const scopesWithin = (scopes: string[], resource: Pick<Resource, 'scopes'> | undefined): string[] =>
  resource ? scopes.filter((scope) => PERSONAL_SCOPES.includes(scope) || resource.scopes.includes(scope)) : scopes

/**
 * The scopes that a client may request. A client that no administrator registered lists none of an API: the resource
 * decides which there are, and the user which the client gets.
 */
export const scopesOpenTo = (
  { scopes, origin }: Pick<Client, 'scopes' | 'origin'>,
  resource: Pick<Resource, 'scopes'> | undefined,
): string[] => (origin === 'ADMIN' || !resource ? scopes : [...scopes, ...resource.scopes])

/** The columns of a grant that say what it is for. Null for a grant without a resource. */
export interface GrantResource {
  resource_id: string | null
  resource_uri: string | null
  resource_scopes: string[] | null
  resource_application_id: string | null
  resource_allows_client: boolean
}

/** The resource of a grant that its client may still use; null if it may not any more. */
export function findGrantResource(grant: GrantResource, applicationId: string): TokenResource | undefined | null {
  const { resource_id, resource_uri: uri, resource_scopes: scopes, resource_application_id: owner } = grant
  if (resource_id === null) return undefined
  if (uri === null || scopes === null || owner === null) return null
  return owner === applicationId || grant.resource_allows_client ? { uri, scopes, applicationId: owner } : null
}

/** RFC 8707 §2.2: a token request may name the resource of the grant, and no other. */
export function requireGrantResource({ resource_uri }: GrantResource, requested: string | undefined): void {
  if (requested === undefined || requested === resource_uri) return
  throw invalidTarget('The resource is not the one of the authorization request.', {
    resource: requested,
    expected: resource_uri ?? 'none',
  })
}

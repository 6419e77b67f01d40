import type { Client } from '../applications/clients.ts'
import { findResource, mayUseResource } from '../applications/resources.ts'
import type { Ctx } from '../context.ts'
import { type AccessClaims, latestIssueTime } from './access-claims.ts'
import type { TokenResource } from './issue-tokens.ts'
import type { LiveGrantRow } from './store.ts'

/** What an access token is for. */
export interface TokenTarget {
  applicationId: string
  /** Without an id it is the resource of the grant. */
  resource: { id?: string; scopes: string[] } | undefined
}

interface PersonTarget {
  grant: LiveGrantRow
  /** The resource of the grant. */
  granted: TokenResource | undefined
  actors: Client[]
  claims: AccessClaims
}

/** What the token of a user is for; undefined if its client may not, or no longer, have tokens for it. */
export async function findPersonTarget(
  ctx: Ctx,
  { grant, granted, actors: [actor], claims }: PersonTarget,
): Promise<TokenTarget | undefined> {
  if (actor) return findClientTarget(ctx, actor, claims)
  if (claims.aud !== (granted?.uri ?? grant.application_id)) return undefined
  return { applicationId: granted?.applicationId ?? grant.application_id, resource: granted }
}

/** What a token without a grant of its client is for: the application of the client, or a resource that it may use. */
export async function findClientTarget(
  ctx: Ctx,
  client: Client,
  claims: AccessClaims,
): Promise<TokenTarget | undefined> {
  const { applicationId } = client
  if (claims.aud === applicationId) return { applicationId, resource: undefined }
  const resource = await findResource(ctx, claims.aud)
  // A resource that was deleted and registered again does not revive old tokens.
  if (!resource || !mayUseResource(client, resource) || resource.createdAt >= latestIssueTime(claims)) return undefined
  return { applicationId: resource.applicationId, resource }
}

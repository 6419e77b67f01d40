import { type Client, findClient } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { type AccessClaims, earliestIssueTime, latestIssueTime } from './access-claims.ts'

/** A client of a third-party application has only the access that the user consented to, so it exchanges nothing. */
export const mayExchange = ({ tokenExchange, trusted }: Client): boolean => tokenExchange && trusted

/**
 * The clients of the claim `act`, the current actor first; empty for a token that was not exchanged. Undefined if one of
 * them has ended or may no longer exchange tokens.
 */
export async function findActors(ctx: Ctx, claims: AccessClaims): Promise<Client[] | undefined> {
  const clients = await Promise.all(claims.actors.map((clientId) => findClient(ctx, clientId)))
  const actors = clients.flatMap((client) => (client && isActive(client, claims) ? client : []))
  return actors.length === claims.actors.length ? actors : undefined
}

/** A client that was deleted and registered again, or disabled and enabled again, does not revive old tokens. */
const isActive = (client: Client, claims: AccessClaims): boolean =>
  mayExchange(client) && !client.disabled && client.createdAt < latestIssueTime(claims) && !hasEnded(client, claims)

/** A token of the same second counts as older: it may have been obtained with the credential that was deleted. */
const hasEnded = ({ exchangeEndedAt }: Client, claims: AccessClaims): boolean =>
  exchangeEndedAt !== null && earliestIssueTime(claims) <= exchangeEndedAt

import type { FastifyRequest } from 'fastify'
import type { Client } from '../../applications/clients.ts'
import { type Actor, record, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Hint } from '../id-token-hint.ts'
import { deleteGrant, deleteGrantsOfSession, type GrantRow } from './store.ts'

/** An authorization that ends before its time: why, by which client, and which kind of token showed it. */
export interface Ending {
  action: 'session.token_revoked' | 'session.token_reused'
  grant: Pick<GrantRow, 'id' | 'user_id' | 'session_id'>
  client: Client
  kind: 'code' | 'refresh_token'
  request: FastifyRequest
}

/** Who shows a token, and names its client, may end it. */
export const asClient = ({ clientId }: Client): Actor => ({ kind: 'client', id: clientId })

/** Ends an authorization with every token of it; of several who do it at once, one writes it down. */
export async function endGrant(ctx: Ctx, { action, grant, client, kind, request }: Ending): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteGrant(tx, grant.id))) return
    // Who has used it a second time is not known: the service itself ends it.
    const actor = action === 'session.token_reused' ? SYSTEM : asClient(client)
    await record(ctx, tx, {
      ...{ action, actor, clientId: client.clientId, userId: grant.user_id, request },
      details: { kind, sessionId: grant.session_id },
    })
  })
}

/** Ends every authorization that a client has from a session, when it shows an ID token of that session. */
export async function endGrantsOfSession(
  ctx: Ctx,
  { client, hint, request }: { client: Client; hint: Hint; request: FastifyRequest },
): Promise<void> {
  const { sessionId, userId } = hint
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteGrantsOfSession(tx, { sessionId, clientId: client.id }))) return
    await record(ctx, tx, {
      ...{ action: 'session.token_revoked', actor: asClient(client), clientId: client.clientId },
      ...{ userId, request, details: { kind: 'id_token', sessionId } },
    })
  })
  await ctx.changes.settle()
}

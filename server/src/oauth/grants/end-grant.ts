import type { FastifyRequest } from 'fastify'
import type { Client } from '../../applications/clients.ts'
import { type Actor, recordAuditEvent, SYSTEM } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { IdTokenHint } from '../id-token-hint.ts'
import { deleteGrant, deleteGrantsOfSession, type GrantRow } from './store.ts'

/** A grant that is revoked: the reason, the client, and the kind of token that was presented. */
export interface GrantEnd {
  action: 'session.token_revoked' | 'session.token_reused'
  grant: Pick<GrantRow, 'id' | 'user_id' | 'session_id'>
  client: Client
  kind: 'code' | 'refresh_token'
  request: FastifyRequest
}

export const clientActor = ({ clientId }: Client): Actor => ({ kind: 'client', id: clientId })

/** Revokes a grant with all its tokens. Of concurrent calls, one records the audit event. */
export async function endGrant(ctx: Ctx, { action, grant, client, kind, request }: GrantEnd): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteGrant(tx, grant.id))) return
    // Nobody knows who reused the token, so the actor is the service.
    const actor = action === 'session.token_reused' ? SYSTEM : clientActor(client)
    await recordAuditEvent(ctx, tx, {
      action,
      actor,
      clientId: client.clientId,
      userId: grant.user_id,
      request,
      details: { kind, sessionId: grant.session_id },
    })
  })
}

/** Revokes all grants that a client has from the session of an ID token hint. */
export async function endGrantsOfSession(
  ctx: Ctx,
  { client, hint, request }: { client: Client; hint: IdTokenHint; request: FastifyRequest },
): Promise<void> {
  const { sessionId, userId } = hint
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteGrantsOfSession(tx, { sessionId, clientId: client.id }))) return
    await recordAuditEvent(ctx, tx, {
      action: 'session.token_revoked',
      actor: clientActor(client),
      clientId: client.clientId,
      userId,
      request,
      details: { kind: 'id_token', sessionId },
    })
  })
  await ctx.changes.waitUntilCurrent()
}

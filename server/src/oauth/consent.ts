import type { FastifyRequest } from 'fastify'
import type { Client } from '../applications/clients.ts'
import { recordAuditEvent, userActor } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { upsertConsent } from './store.ts'

export interface ConsentInput {
  userId: string
  /** Undefined for a user without a tenant. */
  tenantId: string | undefined
  scopes: string[]
  client: Client
  request: FastifyRequest
}

/** Stores and audits the user's consent to a third-party application. */
export async function grantConsent(ctx: Ctx, tx: Tx, input: ConsentInput): Promise<void> {
  const { userId, tenantId, scopes, client, request } = input
  const { applicationId, clientId } = client
  await upsertConsent(tx, { userId, applicationId, tenantId }, { scopes, granted_at: ctx.now() })
  await recordAuditEvent(ctx, tx, {
    action: 'user.consented',
    actor: userActor(userId),
    userId,
    clientId,
    request,
    ...(tenantId !== undefined && { tenantId }),
    details: { applicationId, scopes },
  })
}

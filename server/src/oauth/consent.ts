import type { FastifyRequest } from 'fastify'
import type { Client } from '../applications/clients.ts'
import { person, record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { putConsent } from './store.ts'

export interface Consent {
  userId: string
  /** In which tenant; undefined: in none. */
  tenantId: string | undefined
  scopes: string[]
  client: Client
  request: FastifyRequest
}

/** Somebody allows an application of others what it asks for. */
export async function consent(ctx: Ctx, given: Consent): Promise<void> {
  const { userId, tenantId, scopes, client, request } = given
  const { applicationId, clientId } = client
  await ctx.db.transaction().execute(async (tx) => {
    await putConsent(tx, { userId, applicationId, tenantId }, { scopes, granted_at: ctx.now() })
    await record(ctx, tx, {
      ...{ action: 'user.consented', actor: person(userId), userId, clientId, request },
      ...(tenantId !== undefined && { tenantId }),
      details: { applicationId, scopes },
    })
  })
}

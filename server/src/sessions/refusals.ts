import type { FastifyRequest } from 'fastify'
import { record, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import type { Journey } from './journey.ts'

/** How somebody wanted to sign in. */
export type Way = 'password' | 'passkey' | 'sso' | 'totp' | 'recovery_code'

/** Somebody who could not be signed in. */
export interface Refusal {
  action?: 'session.refused' | 'session.second_factor_refused'
  request: FastifyRequest
  /** One of those in the catalogue. */
  reason: string
  method: Way
  /** Whose account was meant, if it is anybody's. */
  userId?: string | undefined
  /** As it was typed: only what is an address is kept, for it may be a password in the wrong field. */
  email?: string | undefined
  provider?: string
  /** Where they were going. */
  journey?: Journey | undefined
  /** Where they were already. */
  clientId?: string | undefined
}

/**
 * Writes down that somebody could not be signed in. It is one statement whether or not there is such an account, so
 * that the time it takes tells nothing. Who it was is not known, so nobody is named as the one who did it.
 */
export async function noteRefusal(ctx: Ctx, refusal: Refusal): Promise<void> {
  const { action = 'session.refused', request, reason, method, userId, provider, journey } = refusal
  const email = parseEmail(refusal.email ?? '')
  await record(ctx, ctx.db, {
    ...{ action, actor: SYSTEM, request, clientId: journey?.clientId ?? refusal.clientId },
    ...(userId !== undefined && { userId }),
    details: { reason, method, ...(provider !== undefined && { provider }) },
    personal: email === undefined ? {} : { email },
  })
}

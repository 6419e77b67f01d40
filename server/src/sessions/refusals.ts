import type { FastifyRequest } from 'fastify'
import { recordAuditEvent, SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { parseEmail } from '../lib/email.ts'
import type { LoginTransaction } from './login-transaction.ts'

export type SignInMethod = 'password' | 'passkey' | 'sso' | 'email_code' | 'totp' | 'recovery_code'

export interface RefusedSignIn {
  action?: 'session.refused' | 'session.second_factor_refused'
  request: FastifyRequest
  /** A reason of the audit event catalog. */
  reason: string
  method: SignInMethod
  /** The account, if it exists. */
  userId?: string | undefined
  /** As typed. Only a valid address is stored, because it may be a password in the wrong field. */
  email?: string | undefined
  provider?: string
  login?: LoginTransaction | undefined
  /** The client, if there is no login transaction. */
  clientId?: string | undefined
}

/**
 * Records a refused sign-in. It takes one statement whether or not the account exists, so that the response time
 * discloses nothing. The actor is the service, because the caller is not authenticated.
 */
export async function recordRefusedSignIn(ctx: Ctx, refusal: RefusedSignIn): Promise<void> {
  const { action = 'session.refused', request, reason, method, userId, provider, login } = refusal
  const email = parseEmail(refusal.email ?? '')
  await recordAuditEvent(ctx, ctx.db, {
    action,
    actor: SYSTEM,
    request,
    clientId: login?.clientId ?? refusal.clientId,
    ...(userId !== undefined && { userId }),
    details: { reason, method, ...(provider !== undefined && { provider }) },
    personal: email === undefined ? {} : { email },
  })
}

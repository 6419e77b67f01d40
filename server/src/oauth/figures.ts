import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { toAppError } from '../http/errors.ts'
import type { Eventual } from '../lib/eventual.ts'
import { defineCounter } from '../lib/figures.ts'

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials', 'other'] as const

/** As the client is told, but for what is no word of OAuth's. */
const OUTCOMES = [
  ...['issued', 'invalid_request', 'invalid_client', 'invalid_grant', 'unauthorized_client'],
  ...['unsupported_grant_type', 'invalid_scope', 'limited', 'unavailable', 'failed'],
]

export const TOKEN_REQUESTS = defineCounter({
  name: 'latchkey_token_requests_total',
  help: 'Requests for tokens by grant type, and what they were answered',
  labels: { grant_type: GRANT_TYPES, outcome: OUTCOMES },
})

export const REUSE = defineCounter({
  name: 'latchkey_reuse_detected_total',
  help: 'Codes and refresh tokens that were shown a second time, so that all that came of them was ended',
  labels: { kind: ['authorization_code', 'refresh_token'] },
})

type GrantType = (typeof GRANT_TYPES)[number]

export const countIssued = ({ figures }: Ctx, grant_type: GrantType): void =>
  figures.count(TOKEN_REQUESTS, { grant_type, outcome: 'issued' })

/** Counts how a request for tokens ends. What is asked for in other words is one kind. */
export async function countTokenRequest<T>(
  ctx: Ctx,
  grantType: string | undefined,
  answer: () => Eventual<T>,
): Promise<T> {
  const grant_type = GRANT_TYPES.find((known) => known === grantType) ?? 'other'
  try {
    const issued = await answer()
    countIssued(ctx, grant_type)
    return issued
  } catch (error) {
    ctx.figures.count(TOKEN_REQUESTS, { grant_type, outcome: outcomeOf(error) })
    throw error
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof OAuthError) return error.code
  const { code, status } = toAppError(error)
  if (code === 'RATE_LIMITED') return 'limited'
  if (code === 'UNAVAILABLE') return 'unavailable'
  return status < 500 ? 'invalid_request' : 'failed'
}

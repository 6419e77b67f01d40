import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { toAppError } from '../http/errors/errors.ts'
import { defineCounter } from '../lib/metrics/metrics.ts'
import { DEVICE_CODE_GRANT, TOKEN_EXCHANGE_GRANT } from './schema.ts'
import { TOKEN_ERRORS } from './token-errors.ts'

const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'device_code',
  'token_exchange',
  'other',
] as const

/** The labels of grant types that are URNs. */
const LABELS = new Map([
  [DEVICE_CODE_GRANT, 'device_code'],
  [TOKEN_EXCHANGE_GRANT, 'token_exchange'],
])

/** OAuth error codes, and outcomes that OAuth has no code for. */
const OUTCOMES = [...['issued', 'limited', 'unavailable', 'failed'], ...TOKEN_ERRORS]

export const TOKEN_REQUESTS = defineCounter({
  name: 'latchkey_token_requests_total',
  help: 'Token requests by grant type and outcome',
  labels: { grant_type: GRANT_TYPES, outcome: OUTCOMES },
})

export const TOKEN_REUSE = defineCounter({
  name: 'latchkey_reuse_detected_total',
  help: 'Reused authorization codes and refresh tokens whose grants were revoked',
  labels: { kind: ['authorization_code', 'refresh_token'] },
})

type GrantType = (typeof GRANT_TYPES)[number]

export const countIssued = ({ metrics }: Ctx, grant_type: GrantType): void =>
  metrics.count(TOKEN_REQUESTS, { grant_type, outcome: 'issued' })

/** Counts a token request by its outcome. Unknown grant types share one label. */
export async function countTokenRequest<T>(
  ctx: Ctx,
  grantType: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const name = LABELS.get(grantType ?? '') ?? grantType
  const grant_type = GRANT_TYPES.find((known) => known === name) ?? 'other'
  try {
    const issued = await work()
    countIssued(ctx, grant_type)
    return issued
  } catch (error) {
    ctx.metrics.count(TOKEN_REQUESTS, { grant_type, outcome: outcomeOf(error) })
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

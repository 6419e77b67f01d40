import { AddressRefused, type Guard } from './guard.ts'
import { sendRequest } from './request.ts'

const TIMEOUT_MS = 15_000
/** The response body is read and discarded up to this size, so that the receiver sees no aborted connection. */
const MAX_RESPONSE_BYTES = 64 * 1024

export interface Message {
  url: string
  headers: Record<string, string>
  body: string
}

export interface PostResult {
  status: number
  retryAfter: string | undefined
}

/** Posts a message to a URL of a user. Without `readsBody` the response is complete with its header. */
export async function post(
  guard: Guard,
  message: Message,
  { stop, readsBody = true }: { stop: AbortSignal; readsBody?: boolean },
): Promise<PostResult> {
  const limits = { stop, timeoutMs: TIMEOUT_MS, maxResponseBytes: readsBody ? MAX_RESPONSE_BYTES : 0 }
  const { status, headers } = await sendRequest(guard, { method: 'POST', ...message }, limits)
  return { status, retryAfter: headers['retry-after'] }
}

const TLS_PROBLEM = /^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|EPROTO|HOSTNAME_MISMATCH)/

/** Who sees the error. */
export type ErrorAudience = 'operator' | 'tenant'

/**
 * The stable error code of a failed request. It reveals nothing about the internal network: a tenant sees the same
 * code for a name with a private address as for a name that does not exist.
 */
export function toErrorCode(error: unknown, reader: ErrorAudience): string {
  if (error instanceof AddressRefused) {
    return error.isIpLiteral || reader === 'operator' ? 'address_refused' : 'connection'
  }
  const { name = '', code = '' } = error as { name?: string; code?: string | number }
  if (name === 'TimeoutError') return 'timeout'
  return TLS_PROBLEM.test(String(code)) ? 'tls' : 'connection'
}

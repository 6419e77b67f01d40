import type { FastifyRequest } from 'fastify'
import { OAuthError } from '../errors.ts'
import { requestLog } from '../http/server/request-log.ts'
import { readBasic } from './client-auth.ts'

/** A caller may send any text of any length. */
const MAX_LOGGED_LENGTH = 200

/** Logs what was refused and why, so that an operator sees which registered value a request did not match. */
export function logRefusal(request: FastifyRequest, clientId: string | undefined, error: OAuthError): void {
  const facts = Object.fromEntries(Object.entries(error.facts ?? {}).map(([name, value]) => [name, shorten(value)]))
  const { code, message } = error
  // An unknown id may be a secret in the wrong field.
  const known = error.facts?.problem === 'unknown_client' ? undefined : shorten(clientId)
  requestLog(request).info({ clientId: known, error: code, reason: message, ...facts }, 'request refused')
}

const MAX_LOGGED_VALUES = 10

function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_LOGGED_VALUES).map(shorten)
  return typeof value === 'string' ? value.slice(0, MAX_LOGGED_LENGTH) : value
}

/** Logs a request of a client that is refused. A device that waits is not. */
export async function loggingRefusals<T>(
  request: FastifyRequest,
  clientId: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof OAuthError && error.code !== 'authorization_pending')
      logRefusal(request, clientId ?? clientIdOfBasic(request), error)
    throw error
  }
}

function clientIdOfBasic(request: FastifyRequest): string | undefined {
  try {
    return readBasic(request)?.clientId
  } catch {
    return undefined
  }
}

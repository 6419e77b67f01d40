import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../../applications/clients.ts'
import type { Ctx } from '../../context.ts'
import type { Db } from '../../db/open.ts'
import { AppError, OAuthError, type OAuthErrorCode } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { type Fields, toFields } from '../../lib/fields.ts'
import { hashSecret } from '../../lib/secrets.ts'
import { LOGIN_MAX_AGE_MS } from '../../sessions/login-transaction.ts'
import { logRefusal } from '../refusals.ts'
import { findPushedRequest, usePushedRequest } from './store.ts'

export const REQUEST_URI_PREFIX = 'urn:ietf:params:oauth:request_uri:'

/** Only requests of the same client can be unsealed. */
export const sealPurpose = (clientId: string): string => `pushed request of ${clientId}`

/** The parameters of an authorization request. */
export interface AuthorizationParameters {
  fields: Fields
  /** The hash of the request_uri as base64url, if the parameters were pushed. */
  pushed?: string | undefined
  /** They come from a request object that the client signed. */
  signed?: boolean | undefined
  /** The client signed a request object that is not valid. */
  refusal?: OAuthError
}

/**
 * Replaces a reference to a pushed request by the pushed parameters, and ignores all others (RFC 9126 §4). Reading does
 * not use it up, so that a page can be reloaded: `usePushed` does, when the client gets a response.
 */
export async function resolvePushed(
  ctx: Ctx,
  request: FastifyRequest,
  fields: Fields,
): Promise<AuthorizationParameters> {
  const uri = fields.get('request_uri')
  if (!uri?.startsWith(REQUEST_URI_PREFIX)) return { fields }
  const clientId = fields.get('client_id')
  if (fields.repeated.length > 0 || fields.get('request') !== undefined) {
    throw refuse(request, clientId, { code: 'invalid_request', problem: 'other_parameters' })
  }
  const client = clientId === undefined ? undefined : await findClient(ctx, clientId)
  const hash = hashSecret(uri)
  const found = await findPushedRequest(ctx.db, hash)
  const read = readFound(ctx, client, found)
  if ('problem' in read) throw refuse(request, client?.clientId, { code: 'invalid_request_uri', problem: read.problem })
  return { fields: toFields(read.parameters), pushed: hash.toString('base64url') }
}

type Found = Awaited<ReturnType<typeof findPushedRequest>>

function readFound(
  { keys, now }: Ctx,
  client: Client | undefined,
  found: Found,
): { parameters: Record<string, string> } | { problem: string } {
  if (!found) return { problem: 'unknown_request_uri' }
  if (found.client_id !== client?.id) return { problem: 'other_client' }
  if (found.sealed_parameters === null) return { problem: 'used' }
  if (found.expires_at <= now()) return { problem: 'expired' }
  try {
    return { parameters: JSON.parse(keys.unseal(sealPurpose(client.id), found.sealed_parameters)) }
  } catch {
    // The encryption key was removed.
    return { problem: 'sealed_with_another_key' }
  }
}

/**
 * Uses up a pushed request. Only one of several responses to it reaches the client. All others are an error page, because
 * the client may have asked for nothing.
 */
export async function usePushed(
  { now }: Ctx,
  db: Db,
  { pushed, client, httpRequest }: { pushed: string; client: Client; httpRequest: FastifyRequest },
): Promise<void> {
  const keptUntil = new Date(now().getTime() + LOGIN_MAX_AGE_MS)
  const hash = Buffer.from(pushed, 'base64url')
  if (await usePushedRequest(db, { hash, clientId: client.id, keptUntil })) return
  throw refuse(httpRequest, client.clientId, { code: 'invalid_request_uri', problem: 'used' })
}

/** The page does not say which problem it is, so that it discloses nothing about the requests of others. */
function refuse(
  request: FastifyRequest,
  clientId: string | undefined,
  { code, problem }: { code: OAuthErrorCode; problem: string },
): AppError {
  logRefusal(request, clientId, new OAuthError(code, 'The request_uri cannot be used.', { facts: { problem } }))
  return new AppError('INVALID_REQUEST', {
    message: t('This sign-in request has expired or was used before. Go back to the application and start again.'),
  })
}

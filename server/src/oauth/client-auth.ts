import type { FastifyRequest } from 'fastify'
import { type Client, findClient, findSecret } from '../applications/clients.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { readAuthorization } from '../http/request/authorization.ts'
import { decodeField } from '../lib/fields.ts'
import { authenticateByAssertion, hasAssertion } from './client-assertion/authenticate.ts'
import { invalidClient, type Refusal, recordFailure, recordRefusal, refuseWhenBlocked } from './client-refusals.ts'
import type { Proof } from './dpop/request-proof.ts'

interface Credentials {
  clientId: string
  secret: string | undefined
  method: 'basic' | 'post' | 'none'
}

/** Public clients have no credential. */
export interface AuthenticatedClient {
  client: Client
  request: FastifyRequest
  /** The secret or key that was used. Tokens of machine clients are valid only as long as it exists. */
  credentialId: string | undefined
}

/** The client of a token request, with the proof that the request has. */
export interface TokenRequester extends AuthenticatedClient {
  proof: Proof | undefined
}

type Form = Record<string, string | undefined>

/** Authenticates the client of a token request by exactly one method (RFC 6749 §2.3). */
export const authenticateClient = (ctx: Ctx, request: FastifyRequest, form: Form): Promise<AuthenticatedClient> =>
  hasAssertion(form)
    ? authenticateWithKey(ctx, request, form)
    : authenticateWith(ctx, request, readCredentials(request, form))

/** Authenticates a client by an assertion. Every refusal is invalid_client with the status 401 (RFC 7521 §4.2.1). */
async function authenticateWithKey(ctx: Ctx, request: FastifyRequest, form: Form): Promise<AuthenticatedClient> {
  if (form.client_secret !== undefined || readBasic(request)) throw severalMethods()
  const { client, credentialId } = await authenticateByAssertion(ctx, request, form)
  await requireEnabled(ctx, request, client, () =>
    invalidClient(false, { status: 401, clientId: client.clientId, problem: 'disabled' }),
  )
  return { client, request, credentialId }
}

const severalMethods = () => new OAuthError('invalid_request', 'The client authenticates in two ways at once.')

/** Authenticates a client with credentials that were already parsed. */
export async function authenticateWith(
  ctx: Ctx,
  request: FastifyRequest,
  { clientId, secret, method }: Credentials,
): Promise<AuthenticatedClient> {
  const client = await findClient(ctx, clientId)
  if (client?.kind === 'SPA' && secret === undefined && !client.disabled)
    return { client, request, credentialId: undefined }
  const match = await checkSecret(ctx, request, { client, secret })
  if (!client || !match) throw invalidClient(method === 'basic', { problem: failureReason(client, secret) })
  await requireEnabled(ctx, request, client, () => invalidClient(method === 'basic', { problem: 'disabled' }))
  return { client, request, credentialId: match.id }
}

/** Checked after the credentials, so that nothing is disclosed to others. */
async function requireEnabled(ctx: Ctx, request: FastifyRequest, client: Client, refusal: () => OAuthError) {
  if (client.disabled) {
    await recordRefusal(ctx, request, { client, reason: 'disabled' })
    throw refusal()
  }
  if (client.suspension && client.suspension.suspendedAt !== null) {
    throw new OAuthError('unauthorized_client', 'The tenant of this client is suspended.')
  }
}

/** An unknown client_id counts as one client. */
interface PresentedSecret {
  client: Client | undefined
  secret: string | undefined
}

/**
 * Returns the secret that matches, if any. Wrong secrets are counted; beyond the limit secrets are refused without a
 * check.
 */
export async function checkSecret(
  ctx: Ctx,
  request: FastifyRequest,
  { client, secret }: PresentedSecret,
): Promise<{ id: string } | undefined> {
  // A public client has no secret, so failures must not lock it out.
  if (client?.kind === 'SPA') return undefined
  refuseWhenBlocked(ctx, request, client)
  const match = client && secret !== undefined ? findSecret(client, secret) : undefined
  if (!match) await recordFailure(ctx, request, { client, reason: failureReason(client, secret) })
  return match
}

function failureReason(client: Client | undefined, secret: string | undefined): Refusal['reason'] {
  if (!client) return 'unknown_client'
  if (secret === undefined) return 'no_secret'
  return client.tokenEndpointAuthMethod === 'client_secret' ? 'wrong_secret' : 'wrong_method'
}

function readCredentials(request: FastifyRequest, form: Form): Credentials {
  const basic = readBasic(request)
  const { client_id, client_secret } = form
  if (!basic) {
    if (client_id === undefined) throw new OAuthError('invalid_request', 'The parameter client_id is missing.')
    return {
      clientId: client_id,
      secret: client_secret,
      method: client_secret === undefined ? 'none' : 'post',
    }
  }
  if (client_secret !== undefined) throw severalMethods()
  if (client_id !== undefined && client_id !== basic.clientId) {
    throw new OAuthError('invalid_request', 'The Authorization header and client_id name different clients.')
  }
  return { ...basic, method: 'basic' }
}

/** The credentials of HTTP Basic, each form-urlencoded (RFC 6749 §2.3.1); undefined without such a header. */
export function readBasic(request: FastifyRequest): { clientId: string; secret: string } | undefined {
  const header = readAuthorization(request)
  if (header === null) throw invalidClient(true)
  // Other schemes are not handled here.
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  const encoded = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(header)?.[1]
  if (encoded === undefined) throw invalidClient(true)
  const [id, ...rest] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  const clientId = decodeField(id ?? '')
  const secret = decodeField(rest.join(':'))
  if (rest.length === 0 || clientId === undefined || secret === undefined) throw invalidClient(true)
  return { clientId, secret }
}

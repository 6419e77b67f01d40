import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../applications/clients.ts'
import { recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret } from '../lib/secrets.ts'
import { toAccessClaims } from './access-claims.ts'
import { type AssertionForm, hasAssertion } from './client-assertion/authenticate.ts'
import { authenticateClient, checkSecret, readBasic } from './client-auth.ts'
import { clientActor, endGrant } from './grants/end-grant.ts'
import { findGrantByRefreshToken } from './grants/store.ts'
import { loggingRefusals } from './refusals.ts'
import { insertRevokedToken } from './store.ts'

interface RevokeForm extends AssertionForm {
  token: string
  client_secret?: string | undefined
}

/**
 * Revokes a token (RFC 7009). The secret is optional: whoever holds the token may revoke it. The response is the same
 * whether or not anything was revoked.
 */
export async function revoke(ctx: Ctx, request: FastifyRequest, form: RevokeForm): Promise<{ success: boolean }> {
  const client = await findRevokingClient(ctx, request, form)
  // token_type_hint is not needed: only access tokens contain a dot.
  const revokeToken = form.token.includes('.') ? revokeAccessToken : revokeRefreshToken
  if (client && (await revokeToken(ctx, { client, request }, form.token))) await ctx.changes.waitUntilCurrent()
  return { success: true }
}

/** The requesting client; undefined if it does not exist or its secret is wrong. A wrong assertion is an error. */
async function findRevokingClient(ctx: Ctx, request: FastifyRequest, form: RevokeForm): Promise<Client | undefined> {
  if (hasAssertion(form)) {
    const { client } = await loggingRefusals(request, form.client_id, () =>
      authenticateClient(ctx, request, { ...form }),
    )
    return client
  }
  const { clientId, secret } = readCredentials(request, form)
  const client = clientId === undefined ? undefined : await findClient(ctx, clientId)
  if (!client || secret === undefined) return client
  return (await checkSecret(ctx, request, { client, secret })) ? client : undefined
}

function readCredentials(
  request: FastifyRequest,
  { client_id, client_secret }: RevokeForm,
): { clientId: string | undefined; secret: string | undefined } {
  try {
    const basic = readBasic(request)
    if (!basic) return { clientId: client_id, secret: client_secret }
    const isContradictory = client_secret !== undefined || (client_id !== undefined && client_id !== basic.clientId)
    return isContradictory ? { clientId: undefined, secret: undefined } : basic
  } catch (error) {
    // A malformed header counts as a wrong secret.
    if (error instanceof OAuthError) return { clientId: undefined, secret: undefined }
    throw error
  }
}

interface RevokeRequest {
  client: Client
  request: FastifyRequest
}

/** Revokes the whole token family. Returns false for a token of another client. */
async function revokeRefreshToken(ctx: Ctx, { client, request }: RevokeRequest, token: string): Promise<boolean> {
  const grant = await findGrantByRefreshToken(ctx.db, hashSecret(token))
  if (grant?.client_id !== client.id) return false
  await endGrant(ctx, { action: 'session.token_revoked', grant, client, kind: 'refresh_token', request })
  return true
}

async function revokeAccessToken(ctx: Ctx, { client, request }: RevokeRequest, token: string): Promise<boolean> {
  const claims = toAccessClaims(await ctx.signer.verify('at+jwt', token))
  if (claims?.client_id !== client.clientId) return false
  const { jti, exp, sub, sid } = claims
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await insertRevokedToken(tx, { jti, expires_at: new Date(exp * 1000) }))) return
    await recordAuditEvent(ctx, tx, {
      action: 'session.token_revoked',
      actor: clientActor(client),
      clientId: client.clientId,
      request,
      // The token of a machine client has no user and no session.
      ...(sid === undefined ? {} : { userId: sub }),
      details: { kind: 'access_token', ...(sid !== undefined && { sessionId: sid }) },
    })
  })
  return true
}

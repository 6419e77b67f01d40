import type { FastifyRequest } from 'fastify'
import { type Client, findClient } from '../applications/clients.ts'
import { record } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { OAuthError } from '../errors.ts'
import { hashSecret } from '../lib/secrets.ts'
import { toAccessClaims } from './access-tokens.ts'
import { checkSecret, readBasic } from './client-auth.ts'
import { asClient, endGrant } from './grants/ending.ts'
import { findGrantByRefreshToken } from './grants/store.ts'
import { insertRevokedToken } from './store.ts'

interface RevokeForm {
  token: string
  client_id?: string
  client_secret?: string
}

/**
 * Ends a token (RFC 7009). Who holds it and names its client may end it: that is the safe direction. The answer is
 * the same whether or not anything happened.
 */
export async function revoke(
  ctx: Ctx,
  request: FastifyRequest,
  form: RevokeForm,
): Promise<{ success: boolean }> {
  const client = await findRevoker(ctx, request, form)
  // The hint is not needed: the two kinds of token cannot be mistaken for each other.
  const end = form.token.includes('.') ? endAccessToken : endRefreshToken
  if (client && (await end(ctx, { client, request }, form.token))) await ctx.changes.settle()
  return { success: true }
}

/** The client that asks; undefined when it shows a wrong secret, or does not exist. */
async function findRevoker(ctx: Ctx, request: FastifyRequest, form: RevokeForm): Promise<Client | undefined> {
  const { clientId, secret } = readShown(request, form)
  const client = clientId === undefined ? undefined : await findClient(ctx, clientId)
  if (!client || secret === undefined) return client
  return (await checkSecret(ctx, request, { client, secret })) ? client : undefined
}

function readShown(
  request: FastifyRequest,
  { client_id, client_secret }: RevokeForm,
): { clientId: string | undefined; secret: string | undefined } {
  try {
    const basic = readBasic(request)
    if (!basic) return { clientId: client_id, secret: client_secret }
    const contradicts =
      client_secret !== undefined || (client_id !== undefined && client_id !== basic.clientId)
    return contradicts ? { clientId: undefined, secret: undefined } : basic
  } catch (error) {
    // An unreadable header shows a secret that is not right.
    if (error instanceof OAuthError) return { clientId: undefined, secret: undefined }
    throw error
  }
}

interface Revoker {
  client: Client
  request: FastifyRequest
}

/** A refresh token takes its family along. Says whether it is the client's own. */
async function endRefreshToken(ctx: Ctx, { client, request }: Revoker, token: string): Promise<boolean> {
  const grant = await findGrantByRefreshToken(ctx.db, hashSecret(token))
  if (grant?.client_id !== client.id) return false
  await endGrant(ctx, { action: 'session.token_revoked', grant, client, kind: 'refresh_token', request })
  return true
}

async function endAccessToken(ctx: Ctx, { client, request }: Revoker, token: string): Promise<boolean> {
  const claims = toAccessClaims(await ctx.signer.verify('at+jwt', token))
  if (claims?.client_id !== client.clientId) return false
  const { jti, exp, sub, sid } = claims
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await insertRevokedToken(tx, { jti, expires_at: new Date(exp * 1000) }))) return
    await record(ctx, tx, {
      ...{ action: 'session.token_revoked', actor: asClient(client), clientId: client.clientId, request },
      // A token of a machine is of no session and nobody.
      ...(sid === undefined ? {} : { userId: sub }),
      details: { kind: 'access_token', ...(sid !== undefined && { sessionId: sid }) },
    })
  })
  return true
}

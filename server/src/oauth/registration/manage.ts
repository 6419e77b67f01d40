import type { FastifyRequest } from 'fastify'
import { getLockedClient } from '../../applications/clients/locked.ts'
import { isRegisteredRedirectUri } from '../../applications/clients/loopback.ts'
import { removeClientWithApplication } from '../../applications/clients/own-application.ts'
import { changeClient, getClient } from '../../applications/clients/registration.ts'
import { findClient, findSecret } from '../../applications/clients.ts'
import { changeApplication } from '../../applications/service.ts'
import type { AuditSource } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { retryOnDeadlock } from '../../db/errors.ts'
import { countAgainstLimit, type RateLimit } from '../../db/limiter.ts'
import { AppError, OAuthError } from '../../errors.ts'
import { loggingRefusals } from '../refusals.ts'
import { invalidToken, requireRegistration } from './access.ts'
import { checkSettings } from './checks.ts'
import { toInformation } from './information.ts'
import { type Members, readMetadata } from './metadata.ts'
import type { ClientInformation } from './schema.ts'
import { forgetConsentedScopes, updateRegistration } from './store.ts'

/** Of one client: each update is an entry in the audit log. */
const UPDATES: RateLimit = { name: 'client-registration-updates', max: 30, seconds: 3600 }

/** The client configuration endpoint (RFC 7592 §2): a client reads, updates and deletes its registration. */
export const readRegistration = (ctx: Ctx, request: FastifyRequest, clientId: string): Promise<ClientInformation> =>
  manage(request, async () => {
    const registration = await requireRegistration(ctx, request, clientId)
    return toInformation(ctx, await getClient(ctx, registration.id), registration)
  })

/** Replaces all metadata; members that are left out get their defaults. */
export const updateClientRegistration = (
  ctx: Ctx,
  request: FastifyRequest,
  { clientId, members }: { clientId: string; members: Members },
): Promise<ClientInformation> =>
  manage(request, async () => {
    const registration = await requireRegistration(ctx, request, clientId)
    if (registration.changedByOperator) throw changedByOperator()
    await requireOwnCredentials(ctx, clientId, members)
    const { settings, postsSecret } = readMetadata(members)
    checkSettings(ctx, settings, registration.redirectHosts)
    const { id, applicationId } = registration
    const { kind: _, ...change } = settings
    const { tokenEndpointAuthMethod } = await getClient(ctx, id)
    if (change.tokenEndpointAuthMethod !== tokenEndpointAuthMethod) throw fixedMethod()
    await countAgainstLimit(ctx.db, UPDATES, id)
    const source = sourceOf(clientId, request)
    const client = await ctx.db.transaction().execute(async (tx) => {
      // The application is locked before the client, as for a deletion.
      await changeApplication(ctx, tx, { id: applicationId, change: { name: settings.name }, source })
      const { redirectUris } = await getLockedClient(tx, id)
      const changed = await changeClient(ctx, tx, { id, change, source })
      if (!(await updateRegistration(tx, id, postsSecret))) throw changedByOperator()
      // The consent page named the address that the user goes on to.
      const isElsewhere = settings.redirectUris.some((uri) => !isRegisteredRedirectUri(redirectUris, uri))
      if (isElsewhere) await forgetConsentedScopes(tx, applicationId)
      return changed
    })
    await ctx.changes.waitUntilCurrent()
    return toInformation(ctx, client, { ...registration, postsSecret })
  })

/** Deletes the client with its tokens. */
export const deleteClientRegistration = (ctx: Ctx, request: FastifyRequest, clientId: string): Promise<void> =>
  manage(request, async () => {
    const { id, applicationId } = await requireRegistration(ctx, request, clientId)
    const source = sourceOf(clientId, request)
    await retryOnDeadlock(() =>
      ctx.db.transaction().execute((tx) => removeClientWithApplication(ctx, tx, { id, applicationId, source })),
    )
    await ctx.changes.waitUntilCurrent()
  })

/** RFC 7592 §2.2 allows to refuse an update. This one would undo what the administrator changed. */
const changedByOperator = () =>
  new OAuthError('access_denied', 'An administrator has changed this client, so only an administrator may update it.')

/** Another method would need other credentials. */
const fixedMethod = () =>
  new OAuthError(
    'invalid_client_metadata',
    'The member token_endpoint_auth_method cannot change, except between client_secret_basic and client_secret_post.',
  )

const sourceOf = (clientId: string, request: FastifyRequest): AuditSource => ({
  actor: { kind: 'client', id: clientId },
  request,
})

/** A client that was deleted meanwhile is answered like an unknown one. */
const manage = <T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> =>
  loggingRefusals(request, undefined, async () => {
    try {
      return await work()
    } catch (error) {
      const isGone = error instanceof AppError && ['CLIENT_NOT_FOUND', 'APPLICATION_NOT_FOUND'].includes(error.code)
      throw isGone ? invalidToken() : error
    }
  })

/** RFC 7592 §2.2: an update names the client, and may only repeat its secret. */
async function requireOwnCredentials(ctx: Ctx, clientId: string, members: Members): Promise<void> {
  const { client_id, client_secret } = members
  if (client_id !== clientId) {
    throw new OAuthError('invalid_client_metadata', 'The member client_id must be the id of the client.')
  }
  if (client_secret === undefined || client_secret === null) return
  const client = await findClient(ctx, clientId)
  if (typeof client_secret !== 'string' || !client || !findSecret(client, client_secret)) {
    throw new OAuthError('invalid_client_metadata', 'The member client_secret must be the secret of the client.')
  }
}

import { randomBytes } from 'node:crypto'
import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { ClientKind, ClientOrigin } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../../http/routing/pagination.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, newId } from '../../lib/ids.ts'
import { markOperatorChange } from '../operator-changes-store.ts'
import { authenticationProblems, keySourceProblems, outgoingNetworks } from './authentication-rules.ts'
import { type ClientFilter, type ClientOrder, countClients, listClients } from './lists-store.ts'
import { getLockedClient, toClientRef } from './locked.ts'
import { logoutProblems } from './logout-rules.ts'
import {
  CLIENT_ID_RULE,
  CLIENT_SETTINGS,
  type ClientSettings,
  defaultSettings,
  isClientId,
  settingsProblems,
} from './rules.ts'
import { createSecret, newClientSecret, type SecretHolder, validateChosenSecret } from './secrets.ts'
import { applicationProblem, impliedSettings, profileProblems } from './security-profile.ts'
import {
  deleteClient,
  findClientById,
  insertClient,
  lockApplicationForReference,
  lockSigningAlgorithm,
  lockTenantForReference,
  type StoredClient,
  updateClient,
} from './store.ts'

export type { StoredClient }

export interface NewClient extends Partial<ClientSettings> {
  applicationId: string
  kind: ClientKind
  name: string
  /** Generated when left out. */
  clientId?: string | undefined
  tenantId?: string | null | undefined
}

/** Whether the secret of a new client is generated, omitted, or chosen by the operator. */
export type SecretChoice = 'generated' | 'none' | { chosen: string }

const MAX_LISTED = 10_000
const BASE32_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** 120 random bits, so that ids are unique and cannot be guessed. */
const newClientId = () =>
  `lk_${[...randomBytes(24)].map((byte) => BASE32_ALPHABET.charAt(byte % BASE32_ALPHABET.length)).join('')}`

interface RegistrationOptions {
  secret?: SecretChoice
  /** Not part of the draft, because an administrator must not choose it. */
  origin?: ClientOrigin
  /** The token with which it registered itself. */
  registrationTokenId?: string | undefined
  source: AuditSource
}

/** A generated secret is returned here and cannot be read again. */
export async function registerClient(
  ctx: Ctx,
  tx: Tx,
  draft: NewClient,
  { secret = 'generated', origin = 'ADMIN', registrationTokenId, source }: RegistrationOptions,
): Promise<{ client: StoredClient; clientSecret: string | null }> {
  const { applicationId, kind, clientId = newClientId(), tenantId = null } = draft
  const settings = completeSettings(ctx, draft, origin)
  const clientSecret = chooseSecret(ctx, { kind, ...settings }, secret)
  await requireReferences(tx, { applicationId, tenantId })
  await requireSuitableApplication(tx, applicationId, settings)
  const id = newId()
  const now = ctx.now()
  const inserted = await insertClient(tx, {
    id,
    client_id: clientId,
    origin,
    application_id: applicationId,
    kind,
    name: settings.name,
    redirect_uris: settings.redirectUris,
    post_logout_redirect_uris: settings.postLogoutRedirectUris,
    allowed_origins: settings.allowedOrigins,
    scopes: settings.scopes,
    tenant_id: tenantId,
    require_nonce: settings.requireNonce,
    userinfo_in_id_token: settings.userinfoInIdToken,
    pkce_methods: settings.pkceMethods,
    response_modes: settings.responseModes,
    require_pushed_requests: settings.requirePushedRequests,
    require_signed_requests: settings.requireSignedRequests,
    require_dpop: settings.requireDpop,
    device_flow: settings.deviceFlow,
    token_exchange: settings.tokenExchange,
    token_endpoint_auth_method: settings.tokenEndpointAuthMethod,
    jwks: settings.jwks && JSON.stringify(settings.jwks),
    jwks_uri: settings.jwksUri,
    security_profile: settings.securityProfile,
    backchannel_logout_uri: settings.backchannelLogoutUri,
    disabled: settings.disabled,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) throw new AppError('CLIENT_ID_TAKEN')
  if (clientSecret !== null) await createSecret(ctx, tx, id, clientSecret)
  const client = await getStoredClient(tx, id)
  const token = registrationTokenId === undefined ? {} : { registrationTokenId }
  const details = { ...toClientRef(client), after: toAuditState(client), ...token }
  await recordAuditEvent(ctx, tx, { action: 'client.registered', ...source, details })
  return { client, clientSecret }
}

/** The state of a client in an audit event. */
const toAuditState = (client: StoredClient) => ({
  kind: client.kind,
  ...(client.origin !== 'ADMIN' && { origin: client.origin }),
  tenantId: client.tenantId,
  ...pickSettings(client),
  secretIds: client.secrets.map(({ id }) => id),
})

/** The settings of a new client with defaults. Throws one error that lists every invalid field. */
export function completeSettings(
  { config }: Ctx,
  draft: Omit<NewClient, 'applicationId'>,
  origin: ClientOrigin = 'ADMIN',
): ClientSettings {
  const { kind, clientId, tenantId } = draft
  const settings = {
    ...defaultSettings(kind),
    ...impliedSettings(kind, draft),
    ...pickSettings(draft),
    name: draft.name.trim(),
  }
  throwIfInvalid([
    checkField(clientId === undefined || isClientId(clientId), 'clientId', t(CLIENT_ID_RULE)),
    checkField(kind === 'MACHINE' || typeof tenantId !== 'string', 'tenantId', t('is for MACHINE clients only')),
    ...settingsProblems(kind, settings),
    ...keySourceProblems(outgoingNetworks(config, origin), settings),
    ...logoutProblems(outgoingNetworks(config, origin), kind, settings),
    ...authenticationProblems(kind, settings),
    ...profileProblems(kind, settings),
  ])
  return settings
}

function chooseSecret(ctx: Ctx, client: SecretHolder, choice: SecretChoice): string | null {
  if (typeof choice === 'object') {
    validateChosenSecret(ctx, client, choice.chosen)
    return choice.chosen
  }
  return choice === 'none' || client.tokenEndpointAuthMethod !== 'client_secret' ? null : newClientSecret()
}

/** Locks both against deletion until the client that refers to them is stored. */
async function requireReferences(
  tx: Tx,
  { applicationId, tenantId }: { applicationId: string; tenantId: string | null },
): Promise<void> {
  const application = isId(applicationId) && (await lockApplicationForReference(tx, applicationId))
  const tenant = tenantId === null || (isId(tenantId) && (await lockTenantForReference(tx, tenantId)))
  throwIfInvalid([
    checkField(application, 'applicationId', t('is not the id of an application')),
    checkField(tenant, 'tenantId', t('is not the id of a tenant')),
  ])
}

/** The application of a client with a security profile must have a suitable algorithm, now and until the commit. */
async function requireSuitableApplication(tx: Tx, applicationId: string, settings: ClientSettings): Promise<void> {
  if (settings.securityProfile === 'NONE') return
  throwIfInvalid([applicationProblem(settings, await lockSigningAlgorithm(tx, applicationId))])
}

/** Locks and changes a client. A change without effect is not recorded. */
export async function changeClient(
  ctx: Ctx,
  tx: Tx,
  { id, change: requested, source }: { id: string; change: Partial<ClientSettings>; source: AuditSource },
): Promise<StoredClient> {
  const explicit = pickSettings(requested)
  requireAnyField(explicit)
  const client = await getLockedClient(tx, id)
  const change = { ...impliedSettings(client.kind, explicit), ...explicit }
  throwIfInvalid([
    ...settingsProblems(client.kind, change),
    ...keySourceProblems(outgoingNetworks(ctx.config, client.origin), change),
    ...logoutProblems(outgoingNetworks(ctx.config, client.origin), client.kind, change),
  ])
  const before = pickSettings(client)
  const after = { ...before, ...change, name: (change.name ?? client.name).trim() }
  const settings = { ...client, ...change }
  throwIfInvalid([...authenticationProblems(client.kind, settings), ...profileProblems(client.kind, settings)])
  await requireSuitableApplication(tx, client.applicationId, settings)
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return client
  const details = { ...toClientRef(client), ...changes }
  await recordAuditEvent(ctx, tx, { action: 'client.changed', ...source, details })
  await updateClient(tx, id, { ...after, updatedAt: ctx.now() })
  if (client.origin === 'REGISTRATION') await markOperatorChange(tx, { column: 'id', id, actorId: source.actor.id })
  return getStoredClient(tx, id)
}

/** Copies only the settings, and none that is undefined. */
function pickSettings(object: Partial<ClientSettings>): Partial<ClientSettings> {
  const names = CLIENT_SETTINGS.filter((name) => object[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}

/** Deletes a client with its secrets and tokens. */
export async function removeClient(ctx: Ctx, id: string, source: AuditSource): Promise<void> {
  await ctx.db.transaction().execute((tx) => removeClientInTx(ctx, tx, { id, source }))
  await ctx.changes.waitUntilCurrent()
}

/** For callers that already have a transaction. */
export async function removeClientInTx(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  const client = await getLockedClient(tx, id)
  const details = { ...toClientRef(client), before: toAuditState(client) }
  await recordAuditEvent(ctx, tx, { action: 'client.deleted', ...source, details })
  await deleteClient(tx, id)
}

export const getClient = (ctx: Ctx, id: string): Promise<StoredClient> => getStoredClient(ctx.db, id)

async function getStoredClient(db: Db, id: string): Promise<StoredClient> {
  const client = isId(id) ? await findClientById(db, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  return client
}

/** Sorted by creation, oldest first, by default. */
export async function getClientPage(
  ctx: Ctx,
  { page, limit, sort = 'createdAt', ...filter }: PageRequest & ClientFilter & { sort?: ClientOrder },
): Promise<{ clients: StoredClient[]; pagination: Pagination }> {
  const request = { page, limit }
  // An invalid id matches nothing and would be a type error in SQL.
  if ([filter.applicationId, filter.tenantId].some((id) => id !== undefined && !isId(id))) {
    return { clients: [], pagination: describePage(request, 0) }
  }
  const [clients, total] = await Promise.all([
    listClients(ctx.db, filter, { ...toRange(request), sort }),
    countClients(ctx.db, filter),
  ])
  return { clients, pagination: describePage(request, total) }
}

/** Oldest first, for the command line. */
export const listAllClients = (ctx: Ctx): Promise<StoredClient[]> =>
  listClients(ctx.db, {}, { sort: 'createdAt', offset: 0, limit: MAX_LISTED })

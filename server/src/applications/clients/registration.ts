import { randomBytes } from 'node:crypto'
import { findChanges } from '../../audit/changes.ts'
import { record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { ClientKind } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../../http/pagination.ts'
import { isId, newId } from '../../lib/ids.ts'
import { demand, refuseNothing, refuseProblems } from '../../lib/problems.ts'
import { type ClientFilter, type ClientOrder, countClients, listClients } from './lists/store.ts'
import { getLocked, namesOf } from './locked.ts'
import {
  CLIENT_ID_RULE,
  type ClientSettings,
  defaultSettings,
  isClientId,
  SETTINGS,
  settingsProblems,
} from './rules.ts'
import { checkChosenSecret, giveSecret, newClientSecret } from './secrets.ts'
import {
  deleteClient,
  findClientById,
  holdApplication,
  holdTenant,
  insertClient,
  type StoredClient,
  updateClient,
} from './store.ts'

export interface NewClient extends Partial<ClientSettings> {
  applicationId: string
  kind: ClientKind
  name: string
  /** Made up when left out. */
  clientId?: string | undefined
  tenantId?: string | null | undefined
}

/** How a new client comes by its secret: made up and shown once, an operator's own, or not yet. */
export type SecretOrigin = 'generated' | 'none' | { chosen: string }

const MOST_LISTED = 10_000
const SMALL = 'abcdefghijklmnopqrstuvwxyz234567'

/** 120 bits of chance, so that nobody stumbles upon another's. */
const newClientId = () =>
  `lk_${[...randomBytes(24)].map((byte) => SMALL.charAt(byte % SMALL.length)).join('')}`

/** Registers a client. The secret, if it was made up here, can be read from the answer and never again. */
export async function registerClient(
  ctx: Ctx,
  tx: Tx,
  draft: NewClient,
  { origin = 'generated', source }: { origin?: SecretOrigin; source: Source },
): Promise<{ client: StoredClient; clientSecret: string | null }> {
  const { applicationId, kind, clientId = newClientId(), tenantId = null } = draft
  const settings = completeSettings(draft)
  const clientSecret = chooseSecret(ctx, kind, origin)
  await requireReferences(tx, { applicationId, tenantId })
  const id = newId()
  const now = ctx.now()
  const inserted = await insertClient(tx, {
    id,
    client_id: clientId,
    application_id: applicationId,
    kind,
    name: settings.name,
    redirect_uris: settings.redirectUris,
    post_logout_redirect_uris: settings.postLogoutRedirectUris,
    allowed_origins: settings.allowedOrigins,
    scopes: settings.scopes,
    tenant_id: tenantId,
    require_nonce: settings.requireNonce,
    pkce_methods: settings.pkceMethods,
    disabled: settings.disabled,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) throw new AppError('CLIENT_ID_TAKEN')
  if (clientSecret !== null) await giveSecret(ctx, tx, id, clientSecret)
  const client = await getStored(tx, id)
  const details = { ...namesOf(client), after: stateOf(client) }
  await record(ctx, tx, { action: 'client.registered', ...source, details })
  return { client, clientSecret }
}

/** What the log tells of a client as a whole. */
const stateOf = (client: StoredClient) => ({
  ...{ kind: client.kind, tenantId: client.tenantId, ...pickSettings(client) },
  secretIds: client.secrets.map(({ id }) => id),
})

/** All settings of a new client, or one error that names every field at fault. */
export function completeSettings(draft: Omit<NewClient, 'applicationId'>): ClientSettings {
  const { kind, clientId, tenantId } = draft
  const settings = { ...defaultSettings(kind), ...pickSettings(draft), name: draft.name.trim() }
  refuseProblems([
    demand(clientId === undefined || isClientId(clientId), 'clientId', CLIENT_ID_RULE),
    demand(kind === 'MACHINE' || typeof tenantId !== 'string', 'tenantId', 'is for MACHINE clients only'),
    ...settingsProblems(kind, settings),
  ])
  return settings
}

function chooseSecret(ctx: Ctx, kind: ClientKind, origin: SecretOrigin): string | null {
  if (typeof origin !== 'object') return origin === 'none' || kind === 'SPA' ? null : newClientSecret()
  checkChosenSecret(ctx, kind, origin.chosen)
  return origin.chosen
}

/** Both must be there, and stay until the client that refers to them is. */
async function requireReferences(
  tx: Tx,
  { applicationId, tenantId }: { applicationId: string; tenantId: string | null },
): Promise<void> {
  const application = isId(applicationId) && (await holdApplication(tx, applicationId))
  const tenant = tenantId === null || (isId(tenantId) && (await holdTenant(tx, tenantId)))
  refuseProblems([
    demand(application, 'applicationId', 'names no application'),
    demand(tenant, 'tenantId', 'names no tenant'),
  ])
}

/** Changes a client that nobody else changes meanwhile. What is as it should be is left alone. */
export async function changeClient(
  ctx: Ctx,
  tx: Tx,
  { id, change: wanted, source }: { id: string; change: Partial<ClientSettings>; source: Source },
): Promise<StoredClient> {
  const change = pickSettings(wanted)
  refuseNothing(change)
  const client = await getLocked(tx, id)
  refuseProblems(settingsProblems(client.kind, change))
  const before = pickSettings(client)
  const after = { ...before, ...change, name: (change.name ?? client.name).trim() }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return client
  const details = { ...namesOf(client), ...changes }
  await record(ctx, tx, { action: 'client.changed', ...source, details })
  await updateClient(tx, id, { ...after, updatedAt: ctx.now() })
  return getStored(tx, id)
}

/** The settings that are given; nothing else of the object, and nothing that is undefined. */
function pickSettings(given: Partial<ClientSettings>): Partial<ClientSettings> {
  const known = SETTINGS.filter((name) => given[name] !== undefined)
  return Object.fromEntries(known.map((name) => [name, given[name]]))
}

/** With the client goes everything it was given. */
export async function removeClient(ctx: Ctx, id: string, source: Source): Promise<void> {
  await ctx.db.transaction().execute((tx) => dropClient(ctx, tx, { id, source }))
  await ctx.changes.settle()
}

/** The same in a transaction that does more. */
export async function dropClient(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const client = await getLocked(tx, id)
  const details = { ...namesOf(client), before: stateOf(client) }
  await record(ctx, tx, { action: 'client.deleted', ...source, details })
  await deleteClient(tx, id)
}

export const getClient = (ctx: Ctx, id: string): Promise<StoredClient> => getStored(ctx.db, id)

async function getStored(db: Db, id: string): Promise<StoredClient> {
  const client = isId(id) ? await findClientById(db, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  return client
}

/** One page of the clients that are looked for, the oldest first unless said. */
export async function pageOfClients(
  ctx: Ctx,
  { page, limit, sort = 'createdAt', ...filter }: PageRequest & ClientFilter & { sort?: ClientOrder },
): Promise<{ clients: StoredClient[]; pagination: Pagination }> {
  const request = { page, limit }
  // What is no id is nobody's.
  if ([filter.applicationId, filter.tenantId].some((id) => id !== undefined && !isId(id))) {
    return { clients: [], pagination: describePage(request, 0) }
  }
  const [clients, total] = await Promise.all([
    listClients(ctx.db, filter, { ...toRange(request), sort }),
    countClients(ctx.db, filter),
  ])
  return { clients, pagination: describePage(request, total) }
}

/** For an operator's eyes: all of them, oldest first. */
export const listEveryClient = (ctx: Ctx): Promise<StoredClient[]> =>
  listClients(ctx.db, {}, { sort: 'createdAt', offset: 0, limit: MOST_LISTED })

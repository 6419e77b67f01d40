import { randomBytes } from 'node:crypto'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { ClientKind } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../../http/pagination.ts'
import { isId, newId } from '../../lib/ids.ts'
import { demand, refuseNothing, refuseProblems } from '../../lib/problems.ts'
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
  countClients,
  deleteClient,
  findClientById,
  holdApplication,
  holdTenant,
  insertClient,
  listClients,
  lockClient,
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
  origin: SecretOrigin = 'generated',
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
  return { client: await getStored(tx, id), clientSecret }
}

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

export async function changeClient(
  ctx: Ctx,
  tx: Tx,
  id: string,
  wanted: Partial<ClientSettings>,
): Promise<StoredClient> {
  const change = pickSettings(wanted)
  refuseNothing(change)
  const client = isId(id) ? await lockClient(tx, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  refuseProblems(settingsProblems(client.kind, change))
  await updateClient(tx, id, { ...change, name: change.name?.trim(), updatedAt: ctx.now() })
  return getStored(tx, id)
}

/** The settings that are given; nothing else of the object, and nothing that is undefined. */
function pickSettings(given: Partial<ClientSettings>): Partial<ClientSettings> {
  const known = SETTINGS.filter((name) => given[name] !== undefined)
  return Object.fromEntries(known.map((name) => [name, given[name]]))
}

/** With the client goes everything it was given. */
export async function removeClient(ctx: Ctx, id: string): Promise<void> {
  if (!isId(id) || !(await deleteClient(ctx.db, id))) throw new AppError('CLIENT_NOT_FOUND')
  await ctx.changes.settle()
}

export const getClient = (ctx: Ctx, id: string): Promise<StoredClient> => getStored(ctx.db, id)

async function getStored(db: Db, id: string): Promise<StoredClient> {
  const client = isId(id) ? await findClientById(db, id) : undefined
  if (!client) throw new AppError('CLIENT_NOT_FOUND')
  return client
}

/** One page of all clients, or of those of one application. */
export async function pageOfClients(
  ctx: Ctx,
  { applicationId, ...request }: PageRequest & { applicationId?: string | undefined },
): Promise<{ clients: StoredClient[]; pagination: Pagination }> {
  if (applicationId !== undefined && !isId(applicationId)) {
    return { clients: [], pagination: describePage(request, 0) }
  }
  const [clients, total] = await Promise.all([
    listClients(ctx.db, applicationId, toRange(request)),
    countClients(ctx.db, applicationId),
  ])
  return { clients, pagination: describePage(request, total) }
}

/** For an operator's eyes: all of them, oldest first. */
export const listEveryClient = (ctx: Ctx): Promise<StoredClient[]> =>
  listClients(ctx.db, undefined, { offset: 0, limit: MOST_LISTED })

import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import { AppError } from '../../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../../http/routing/pagination.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../../lib/field-validation.ts'
import { isId, newId } from '../../lib/ids.ts'
import { lockApplicationForReference } from '../clients/store.ts'
import { RESOURCE_SETTINGS, type ResourceSettings, resourceProblems } from './rules.ts'
import {
  countResources,
  deleteResource,
  findResourceById,
  insertResource,
  listResources,
  lockClientsForReference,
  lockResource,
  type ResourceFilter,
  type ResourceOrder,
  type StoredResource,
  setResourceClients,
  updateResource,
} from './store.ts'

export interface NewResource extends Partial<ResourceSettings> {
  applicationId: string
  uri: string
  name: string
}

/** The URI and the application of a resource never change, because issued tokens depend on them. */
export async function registerResource(
  ctx: Ctx,
  tx: Tx,
  draft: NewResource,
  source: AuditSource,
): Promise<StoredResource> {
  const { applicationId, uri } = draft
  const settings = completeResource(draft)
  const exists = isId(applicationId) && (await lockApplicationForReference(tx, applicationId))
  throwIfInvalid([checkField(exists, 'applicationId', t('is not the id of an application'))])
  const clientIds = await requireClients(tx, settings.allowedClients)
  const id = newId()
  const now = ctx.now()
  const inserted = await insertResource(tx, {
    id,
    application_id: applicationId,
    name: settings.name,
    uri,
    scopes: settings.scopes,
    allow_dynamic_clients: settings.allowDynamicClients,
    created_at: now,
    updated_at: now,
  })
  if (!inserted) throw new AppError('RESOURCE_URI_TAKEN')
  await setResourceClients(tx, id, clientIds)
  const resource = await getStoredResource(tx, id)
  const details = { ...toResourceRef(resource), after: pickSettings(resource) }
  await recordAuditEvent(ctx, tx, { action: 'resource.registered', ...source, details })
  return resource
}

/** The settings of a new resource with defaults. Throws one error that lists every invalid field. */
export function completeResource(draft: Omit<NewResource, 'applicationId'>): ResourceSettings {
  const defaults = { scopes: [], allowedClients: [], allowDynamicClients: false }
  const settings = { ...defaults, ...pickSettings(draft), name: draft.name.trim() }
  throwIfInvalid(resourceProblems({ ...settings, uri: draft.uri }))
  return settings
}

const toResourceRef = ({ id, uri, applicationId }: StoredResource) => ({ id, uri, applicationId })

/** Copies only the settings, and none that is undefined. */
function pickSettings(object: Partial<ResourceSettings>): Partial<ResourceSettings> {
  const names = RESOURCE_SETTINGS.filter((name) => object[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, object[name]]))
}

async function requireClients(tx: Tx, clientIds: string[]): Promise<string[]> {
  const found = await lockClientsForReference(tx, clientIds)
  throwIfInvalid(
    clientIds.map((clientId, index) =>
      checkField(found.has(clientId), `allowedClients.${index}`, t('is not the id of a client')),
    ),
  )
  return [...found.values()]
}

/** Locks and changes a resource. A change without effect is not recorded. */
export async function changeResource(
  ctx: Ctx,
  tx: Tx,
  { id, change: requested, source }: { id: string; change: Partial<ResourceSettings>; source: AuditSource },
): Promise<StoredResource> {
  const change = pickSettings(requested)
  requireAnyField(change)
  throwIfInvalid(resourceProblems(change))
  const resource = await getLockedResource(tx, id)
  const { name, scopes, allowDynamicClients } = { ...resource, ...change }
  const allowedClients = change.allowedClients?.toSorted() ?? resource.allowedClients
  const after = { name: name.trim(), scopes, allowedClients, allowDynamicClients }
  const changes = findChanges<Record<string, unknown>>(pickSettings(resource), after)
  if (!changes) return resource
  if (change.allowedClients) await setResourceClients(tx, id, await requireClients(tx, change.allowedClients))
  const details = { ...toResourceRef(resource), ...changes }
  await recordAuditEvent(ctx, tx, { action: 'resource.changed', ...source, details })
  await updateResource(tx, id, { ...after, updatedAt: ctx.now() })
  return getStoredResource(tx, id)
}

async function getLockedResource(tx: Tx, id: string): Promise<StoredResource> {
  const resource = isId(id) ? await lockResource(tx, id) : undefined
  if (!resource) throw new AppError('RESOURCE_NOT_FOUND')
  return resource
}

/** Deletes a resource and the grants for it, which ends their tokens. */
export async function removeResource(ctx: Ctx, id: string, source: AuditSource): Promise<void> {
  await ctx.db.transaction().execute((tx) => removeResourceInTx(ctx, tx, { id, source }))
  await ctx.changes.waitUntilCurrent()
}

/** For callers that already have a transaction. */
export async function removeResourceInTx(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  const resource = await getLockedResource(tx, id)
  const details = { ...toResourceRef(resource), before: pickSettings(resource) }
  await recordAuditEvent(ctx, tx, { action: 'resource.deleted', ...source, details })
  await deleteResource(tx, id)
}

export const getResource = (ctx: Ctx, id: string): Promise<StoredResource> => getStoredResource(ctx.db, id)

async function getStoredResource(db: Db, id: string): Promise<StoredResource> {
  const resource = isId(id) ? await findResourceById(db, id) : undefined
  if (!resource) throw new AppError('RESOURCE_NOT_FOUND')
  return resource
}

/** The most that the command lists. */
const MAX_LISTED = 10_000

/** The oldest come first. */
export const listAllResources = (ctx: Ctx): Promise<StoredResource[]> =>
  listResources(ctx.db, {}, { sort: 'createdAt', offset: 0, limit: MAX_LISTED })

/** Sorted by creation, oldest first, by default. */
export async function getResourcePage(
  ctx: Ctx,
  { page, limit, sort = 'createdAt', ...filter }: PageRequest & ResourceFilter & { sort?: ResourceOrder },
): Promise<{ resources: StoredResource[]; pagination: Pagination }> {
  const request = { page, limit }
  // An invalid id matches nothing and would be a type error in SQL.
  if (filter.applicationId !== undefined && !isId(filter.applicationId)) {
    return { resources: [], pagination: describePage(request, 0) }
  }
  const [resources, total] = await Promise.all([
    listResources(ctx.db, filter, { ...toRange(request), sort }),
    countResources(ctx.db, filter),
  ])
  return { resources, pagination: describePage(request, total) }
}

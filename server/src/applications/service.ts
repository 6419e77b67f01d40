import { findChanges } from '../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { setActor } from '../db/actor.ts'
import { isUniqueViolation, retryOnDeadlock } from '../db/errors.ts'
import type { Tx } from '../db/open.ts'
import { AppError } from '../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../http/routing/pagination.ts'
import { t } from '../languages/translate.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../lib/field-validation.ts'
import { isId, newId } from '../lib/ids.ts'
import { isSlug, nameRule, parseName, slugRule, slugWithSuffix, toSlug } from '../lib/names.ts'
import { DEFAULT_ALGORITHM } from '../lib/signer.ts'
import { ALGORITHM_RULE } from './clients/security-profile.ts'
import { markOperatorChange } from './operator-changes-store.ts'
import { requestKeyFor } from './signing-algorithm.ts'
import {
  type Application,
  type ApplicationOrder,
  countApplications,
  deleteApplication,
  findApplication,
  findApplicationBySlug,
  hasFapiClient,
  insertApplication,
  listApplications,
  lockAndCountDependents,
  lockApplication,
  SLUG_CONSTRAINT,
  updateApplication,
} from './store.ts'

/** Applications: the software that users sign in to. An application has OAuth clients and is the audience of their tokens. */

export type { Application }

export type ApplicationSettings = Omit<Application, 'id' | 'createdAt' | 'updatedAt'>

/** The slug of an application that is created without one. */
export const toApplicationSlug = (name: string): string => toSlug(name.trim(), 'application')

export type NewApplication = { name: string } & Partial<ApplicationSettings>

export async function createApplication(
  ctx: Ctx,
  tx: Tx,
  draft: NewApplication,
  source: AuditSource,
): Promise<Application> {
  validateApplication(draft)
  const { slug, ...rest } = draft
  const name = draft.name.trim()
  const preferredSlug = slug ?? toApplicationSlug(name)
  const { signingAlgorithm = DEFAULT_ALGORITHM } = rest
  const now = ctx.now()
  const id = newId()
  const insert = (slug: string) =>
    insertApplication(tx, {
      id,
      slug,
      name,
      trusted: rest.trusted ?? true,
      email_codes: rest.emailCodes ?? false,
      signing_algorithm: signingAlgorithm,
      licensing_mode: rest.licensingMode ?? 'PER_SEAT',
      access_token_ttl: rest.accessTokenTtl ?? null,
      id_token_ttl: rest.idTokenTtl ?? null,
      refresh_token_idle_ttl: rest.refreshTokenIdleTtl ?? null,
      refresh_token_ttl: rest.refreshTokenTtl ?? null,
      created_at: now,
      updated_at: now,
    })
  // Only a generated slug may be changed to make it unique.
  const created =
    (await insert(preferredSlug)) ?? (slug ? undefined : await insert(slugWithSuffix(preferredSlug, id.slice(-6))))
  if (!created) throw new AppError('SLUG_TAKEN')
  await requestKeyFor(tx, signingAlgorithm)
  const details = { applicationId: id, after: toAuditState(created) }
  await recordAuditEvent(ctx, tx, { action: 'application.created', ...source, details })
  return created
}

const toAuditState = ({ id, createdAt, updatedAt, ...settings }: Application): ApplicationSettings => settings

/** Locks and changes an application. A change without effect is not recorded. */
export async function changeApplication(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: Partial<ApplicationSettings>; source: AuditSource },
): Promise<Application> {
  requireAnyField(change)
  validateApplication(change)
  const application = isId(id) ? await lockApplication(tx, id) : undefined
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  const before = toAuditState(application)
  const after = { ...before, ...change, name: (change.name ?? before.name).trim() }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return application
  if (after.signingAlgorithm === 'RS256' && before.signingAlgorithm !== 'RS256') {
    throwIfInvalid([checkField(!(await hasFapiClient(tx, application.id)), 'signingAlgorithm', t(ALGORITHM_RULE))])
  }
  const details = { applicationId: application.id, ...changes }
  await recordAuditEvent(ctx, tx, { action: 'application.changed', ...source, details })
  if (after.signingAlgorithm !== before.signingAlgorithm) await requestKeyFor(tx, after.signingAlgorithm)
  await markOperatorChange(tx, { column: 'application_id', id: application.id, actorId: source.actor.id })
  try {
    return await updateApplication(tx, id, { ...after, updatedAt: ctx.now() })
  } catch (error) {
    throw isUniqueViolation(error, SLUG_CONSTRAINT) ? new AppError('SLUG_TAKEN', { cause: error }) : error
  }
}

export async function getApplication(ctx: Ctx, id: string): Promise<Application> {
  const application = isId(id) ? await findApplication(ctx.db, id) : undefined
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  return application
}

export const findApplicationNamed = (ctx: Ctx, slug: string): Promise<Application | undefined> =>
  findApplicationBySlug(ctx.db, slug)

interface ApplicationFilter {
  search?: string | undefined
  /** Oldest first by default. */
  sort?: ApplicationOrder | undefined
}

export async function getApplicationPage(
  ctx: Ctx,
  { search, sort = 'createdAt', ...request }: PageRequest & ApplicationFilter,
): Promise<{ applications: Application[]; pagination: Pagination }> {
  const [applications, total] = await Promise.all([
    listApplications(ctx.db, { ...toRange(request), search, sort }),
    countApplications(ctx.db, search),
  ])
  return { applications, pagination: describePage(request, total) }
}

/** Deletes an application with its clients and their tokens. */
export async function removeApplication(ctx: Ctx, id: string, source: AuditSource): Promise<void> {
  await retryOnDeadlock(() => ctx.db.transaction().execute((tx) => removeApplicationInTx(ctx, tx, { id, source })))
  await ctx.changes.waitUntilCurrent()
}

/** For callers that already have a transaction. */
export async function removeApplicationInTx(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: AuditSource },
): Promise<void> {
  const dependents = isId(id) ? await lockAndCountDependents(tx, id) : undefined
  const application = dependents && (await findApplication(tx, id))
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  const { clients, licenseTypes } = dependents
  const details = { applicationId: application.id, before: toAuditState(application), clients, licenseTypes }
  await recordAuditEvent(ctx, tx, { action: 'application.deleted', ...source, details })
  const { kind, id: actorId } = source.actor
  // The license ledger records who revoked the seats.
  if (kind !== 'system' && actorId !== undefined) await setActor(tx, actorId, kind)
  await deleteApplication(tx, id)
}

export function validateApplication({ name, slug }: { name?: string | undefined; slug?: string | undefined }): void {
  throwIfInvalid([
    checkField(name === undefined || parseName(name) !== undefined, 'name', nameRule()),
    checkField(slug === undefined || isSlug(slug), 'slug', slugRule()),
  ])
}

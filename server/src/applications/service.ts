import { findChanges } from '../audit/changes.ts'
import { record, type Source } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { nameActor } from '../db/actor.ts'
import type { Tx } from '../db/open.ts'
import { isTaken, yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../http/pagination.ts'
import { isId, newId } from '../lib/ids.ts'
import { isSlug, NAME_RULE, parseName, SLUG_RULE, slugFrom, slugWithSuffix } from '../lib/names.ts'
import { demand, refuseNothing, refuseProblems } from '../lib/problems.ts'
import {
  type Application,
  type ApplicationOrder,
  countApplications,
  countBelongings,
  deleteApplication,
  findApplication,
  findApplicationBySlug,
  insertApplication,
  listApplications,
  lockApplication,
  SLUG_CONSTRAINT,
  updateApplication,
} from './store.ts'

/**
 * Applications: the software that people sign in to. Each has clients, through which it does so, and is the
 * audience of their tokens.
 */

export type ApplicationSettings = Omit<Application, 'id' | 'createdAt' | 'updatedAt'>

export type NewApplication = { name: string } & Partial<ApplicationSettings>

export async function createApplication(
  ctx: Ctx,
  tx: Tx,
  draft: NewApplication,
  source: Source,
): Promise<Application> {
  checkApplication(draft)
  const { slug, ...rest } = draft
  const name = draft.name.trim()
  const wish = slug ?? slugFrom(name, 'application')
  const now = ctx.now()
  const id = newId()
  const insert = (slug: string) =>
    insertApplication(tx, {
      id,
      slug,
      name,
      trusted: rest.trusted ?? true,
      licensing_mode: rest.licensingMode ?? 'PER_SEAT',
      access_token_ttl: rest.accessTokenTtl ?? null,
      id_token_ttl: rest.idTokenTtl ?? null,
      refresh_token_idle_ttl: rest.refreshTokenIdleTtl ?? null,
      refresh_token_ttl: rest.refreshTokenTtl ?? null,
      created_at: now,
      updated_at: now,
    })
  // A slug that we made up ourselves must not be in anybody's way: the end of an id tells it from its like.
  const made = (await insert(wish)) ?? (slug ? undefined : await insert(slugWithSuffix(wish, id.slice(-6))))
  if (!made) throw new AppError('SLUG_TAKEN')
  const details = { applicationId: id, after: stateOf(made) }
  await record(ctx, tx, { action: 'application.created', ...source, details })
  return made
}

const stateOf = ({ id, createdAt, updatedAt, ...settings }: Application): ApplicationSettings => settings

/** Changes an application that nobody else changes meanwhile. What is as it should be is left alone. */
export async function changeApplication(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: Partial<ApplicationSettings>; source: Source },
): Promise<Application> {
  refuseNothing(change)
  checkApplication(change)
  const application = isId(id) ? await lockApplication(tx, id) : undefined
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  const before = stateOf(application)
  const after = { ...before, ...change, name: (change.name ?? before.name).trim() }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return application
  const details = { applicationId: application.id, ...changes }
  await record(ctx, tx, { action: 'application.changed', ...source, details })
  try {
    return await updateApplication(tx, id, { ...after, updatedAt: ctx.now() })
  } catch (error) {
    throw isTaken(error, SLUG_CONSTRAINT) ? new AppError('SLUG_TAKEN', { cause: error }) : error
  }
}

export async function getApplication(ctx: Ctx, id: string): Promise<Application> {
  const application = isId(id) ? await findApplication(ctx.db, id) : undefined
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  return application
}

export const findApplicationNamed = (ctx: Ctx, slug: string): Promise<Application | undefined> =>
  findApplicationBySlug(ctx.db, slug)

/** Which applications are wanted, and in which order: the oldest first unless said. */
interface ApplicationWish {
  search?: string | undefined
  sort?: ApplicationOrder | undefined
}

export async function pageOfApplications(
  ctx: Ctx,
  { search, sort = 'createdAt', ...request }: PageRequest & ApplicationWish,
): Promise<{ applications: Application[]; pagination: Pagination }> {
  const [applications, total] = await Promise.all([
    listApplications(ctx.db, { ...toRange(request), search, sort }),
    countApplications(ctx.db, search),
  ])
  return { applications, pagination: describePage(request, total) }
}

/** With the application go its clients, and with them everything they were given. */
export async function removeApplication(ctx: Ctx, id: string, source: Source): Promise<void> {
  await yielding(() => ctx.db.transaction().execute((tx) => dropApplication(ctx, tx, { id, source })))
  await ctx.changes.settle()
}

/** The same in a transaction that does more. */
export async function dropApplication(
  ctx: Ctx,
  tx: Tx,
  { id, source }: { id: string; source: Source },
): Promise<void> {
  const belongings = isId(id) ? await countBelongings(tx, id) : undefined
  const application = belongings && (await findApplication(tx, id))
  if (!application) throw new AppError('APPLICATION_NOT_FOUND')
  const details = { applicationId: application.id, before: stateOf(application), ...belongings }
  await record(ctx, tx, { action: 'application.deleted', ...source, details })
  const { kind, id: actorId } = source.actor
  // The ledger tells who took the seats away.
  if (kind !== 'system' && actorId !== undefined) await nameActor(tx, actorId, kind)
  await deleteApplication(tx, id)
}

export function checkApplication({
  name,
  slug,
}: {
  name?: string | undefined
  slug?: string | undefined
}): void {
  refuseProblems([
    demand(name === undefined || parseName(name) !== undefined, 'name', NAME_RULE),
    demand(slug === undefined || isSlug(slug), 'slug', SLUG_RULE),
  ])
}

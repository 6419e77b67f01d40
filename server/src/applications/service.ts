import type { Ctx } from '../context.ts'
import type { Db, Tx } from '../db/open.ts'
import { isTaken, yielding } from '../db/violations.ts'
import { AppError } from '../errors.ts'
import { describePage, type PageRequest, type Pagination, toRange } from '../http/pagination.ts'
import { isId, newId } from '../lib/ids.ts'
import { isSlug, NAME_RULE, parseName, SLUG_RULE, slugFrom, slugWithSuffix } from '../lib/names.ts'
import { demand, refuseNothing, refuseProblems } from '../lib/problems.ts'
import {
  type Application,
  countApplications,
  deleteApplication,
  findApplication,
  findApplicationBySlug,
  insertApplication,
  listApplications,
  SLUG_CONSTRAINT,
  updateApplication,
} from './store.ts'

/**
 * Applications: the software that people sign in to. Each has clients, through which it does so, and is the
 * audience of their tokens.
 */

export type ApplicationSettings = Omit<Application, 'id' | 'createdAt' | 'updatedAt'>

export type NewApplication = { name: string } & Partial<ApplicationSettings>

export async function createApplication(ctx: Ctx, tx: Tx, draft: NewApplication): Promise<Application> {
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
  return made
}

export async function changeApplication(
  ctx: Ctx,
  db: Db,
  id: string,
  change: Partial<ApplicationSettings>,
): Promise<Application> {
  refuseNothing(change)
  checkApplication(change)
  const update = { ...change, name: change.name?.trim(), updatedAt: ctx.now() }
  try {
    const changed = isId(id) ? await updateApplication(db, id, update) : undefined
    if (!changed) throw new AppError('APPLICATION_NOT_FOUND')
    return changed
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

export async function pageOfApplications(
  ctx: Ctx,
  request: PageRequest,
): Promise<{ applications: Application[]; pagination: Pagination }> {
  const [applications, total] = await Promise.all([
    listApplications(ctx.db, toRange(request)),
    countApplications(ctx.db),
  ])
  return { applications, pagination: describePage(request, total) }
}

/** With the application go its clients, and with them everything they were given. */
export async function removeApplication(ctx: Ctx, id: string): Promise<void> {
  if (!isId(id) || !(await yielding(() => deleteApplication(ctx.db, id)))) {
    throw new AppError('APPLICATION_NOT_FOUND')
  }
  await ctx.changes.settle()
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

import { findChanges } from '../../audit/changes.ts'
import { record, type Source } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicenseTypeStatus } from '../../db/tables.ts'
import { isTaken, orGone } from '../../db/violations.ts'
import { AppError } from '../../errors.ts'
import { NO_ID, newId, toId } from '../../lib/ids.ts'
import { isSlug, NAME_RULE, parseName, SLUG_RULE } from '../../lib/names.ts'
import { demand, refuseNothing, refuseProblems } from '../../lib/problems.ts'
import { isPlainLine } from '../../lib/text.ts'
import { requireApplicationId } from '../application-id.ts'
import {
  findLicenseType,
  insertLicenseType,
  isApplication,
  type LicenseType,
  listLicenseTypes,
  lockLicenseType,
  updateLicenseType,
} from './store.ts'

/** Licence types: what may be sold of an application, and what each lets people do. */

export interface TypeSettings {
  slug: string
  name: string
  description: string | null
  features: Features
  displayOrder: number
  status: LicenseTypeStatus
}

export type NewType = Pick<TypeSettings, 'slug' | 'name'> & Partial<TypeSettings>

const MOST_FEATURES = 200
/** Of all keys together: they stand in access tokens, which proxies refuse when they are long. */
const LONGEST_FEATURES = 4_000
const FEATURE = /^[A-Za-z0-9][\w.:-]{0,99}$/
export const isFeatureKey = (text: string): boolean => FEATURE.test(text)

export function checkType({ slug, name, features }: Partial<TypeSettings>): void {
  const keys = Object.keys(features ?? {})
  refuseProblems([
    name === undefined
      ? undefined
      : demand(parseName(name) !== undefined && isPlainLine(name), 'name', NAME_RULE),
    slug === undefined ? undefined : demand(isSlug(slug), 'slug', SLUG_RULE),
    demand(keys.length <= MOST_FEATURES, 'features', `must not be more than ${MOST_FEATURES}`),
    demand(keys.every(isFeatureKey), 'features', 'must have keys of letters, digits and . : _ -'),
    demand(
      keys.join('').length <= LONGEST_FEATURES,
      'features',
      `must have keys of at most ${LONGEST_FEATURES} characters together`,
    ),
  ])
}

/** The id of an application; INVALID_APPLICATION_ID when what was said is none. */
async function getApplicationId(db: Db, said: unknown): Promise<string> {
  const id = requireApplicationId(said)
  if (!(await isApplication(db, id))) throw new AppError('INVALID_APPLICATION_ID')
  return id
}

export async function typesOf(ctx: Ctx, applicationId: unknown): Promise<LicenseType[]> {
  return listLicenseTypes(ctx.db, await getApplicationId(ctx.db, applicationId))
}

export async function createType(
  ctx: Ctx,
  tx: Tx,
  { draft, source, ...of }: { applicationId: unknown; draft: NewType; source: Source },
): Promise<LicenseType> {
  checkType(draft)
  const applicationId = await getApplicationId(tx, of.applicationId)
  const now = ctx.now()
  const { slug, name, description = null, features = {}, displayOrder = 0, status = 'ACTIVE' } = draft
  const type = await orGone(
    'INVALID_APPLICATION_ID',
    insertLicenseType(tx, {
      id: newId(),
      application_id: applicationId,
      slug,
      name: name.trim(),
      description,
      features: JSON.stringify(features),
      display_order: displayOrder,
      status,
      created_at: now,
      updated_at: now,
    }),
  )
  if (!type) throw new AppError('SLUG_TAKEN')
  const details = { licenseTypeId: type.id, applicationId, after: stateOf(type) }
  await record(ctx, tx, { action: 'license_type.created', ...source, details })
  return type
}

export const stateOf = ({ slug, name, description, features, display_order, status }: LicenseType) => ({
  slug,
  name,
  description,
  features,
  displayOrder: display_order,
  status,
})

export async function changeType(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: Partial<TypeSettings>; source: Source },
): Promise<LicenseType> {
  refuseNothing(change)
  checkType(change)
  const type = await lockLicenseType(tx, toId(id) ?? NO_ID)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  const before = stateOf(type)
  const after = { ...before, ...change, name: (change.name ?? before.name).trim() }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return type
  const details = { licenseTypeId: type.id, applicationId: type.application_id, ...changes }
  await record(ctx, tx, { action: 'license_type.changed', ...source, details })
  const { displayOrder, features, ...rest } = after
  try {
    return await updateLicenseType(tx, type.id, {
      ...rest,
      features: JSON.stringify(features),
      display_order: displayOrder,
      updated_at: ctx.now(),
    })
  } catch (error) {
    throw isTaken(error, 'license_types_slug_key') ? new AppError('SLUG_TAKEN', { cause: error }) : error
  }
}

export const getType = async (db: Db, id: string): Promise<LicenseType> => {
  const type = await findLicenseType(db, toId(id) ?? NO_ID)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  return type
}

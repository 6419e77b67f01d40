import { findChanges } from '../../audit/changes.ts'
import { type AuditSource, recordAuditEvent } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import { isUniqueViolation, rejectIfReferenceGone } from '../../db/errors.ts'
import type { Db, Tx } from '../../db/open.ts'
import type { Features, LicenseTypeStatus } from '../../db/tables.ts'
import { AppError } from '../../errors.ts'
import { t } from '../../languages/translate.ts'
import { checkField, requireAnyField, throwIfInvalid } from '../../lib/field-validation.ts'
import { NIL_ID, newId, toId } from '../../lib/ids.ts'
import { isSlug, nameRule, parseName, slugRule } from '../../lib/names.ts'
import { isPlainLine } from '../../lib/text.ts'
import { requireApplicationId } from '../application-id.ts'
import {
  findLicenseType,
  insertLicenseType,
  isLicensableApplication,
  type LicenseType,
  listLicenseTypes,
  lockLicenseType,
  updateLicenseType,
} from './store.ts'

/** License types: the tiers of an application that can be sold, each with its features. */

export interface LicenseTypeSettings {
  slug: string
  name: string
  description: string | null
  features: Features
  displayOrder: number
  status: LicenseTypeStatus
}

export type NewLicenseType = Pick<LicenseTypeSettings, 'slug' | 'name'> & Partial<LicenseTypeSettings>

const MAX_FEATURES = 200
/** Total length of all keys. They are part of access tokens, and proxies refuse long headers. */
const MAX_FEATURE_KEYS_LENGTH = 4_000
const FEATURE_KEY = /^[A-Za-z0-9][\w.:-]{0,99}$/
export const isFeatureKey = (text: string): boolean => FEATURE_KEY.test(text)

export function validateLicenseType({ slug, name, features }: Partial<LicenseTypeSettings>): void {
  const keys = Object.keys(features ?? {})
  throwIfInvalid([
    name === undefined ? undefined : checkField(parseName(name) !== undefined && isPlainLine(name), 'name', nameRule()),
    slug === undefined ? undefined : checkField(isSlug(slug), 'slug', slugRule()),
    checkField(keys.length <= MAX_FEATURES, 'features', t('must not be more than {max}', { max: MAX_FEATURES })),
    checkField(keys.every(isFeatureKey), 'features', t('must have keys of letters, digits and . : _ -')),
    checkField(
      keys.join('').length <= MAX_FEATURE_KEYS_LENGTH,
      'features',
      t('must have keys of at most {max} characters together', { max: MAX_FEATURE_KEYS_LENGTH }),
    ),
  ])
}

/** Throws INVALID_APPLICATION_ID unless the value is the id of an application. */
async function getApplicationId(db: Db, value: unknown): Promise<string> {
  const id = requireApplicationId(value)
  if (!(await isLicensableApplication(db, id))) throw new AppError('INVALID_APPLICATION_ID')
  return id
}

export async function listApplicationLicenseTypes(ctx: Ctx, applicationId: unknown): Promise<LicenseType[]> {
  return listLicenseTypes(ctx.db, await getApplicationId(ctx.db, applicationId))
}

export async function createLicenseType(
  ctx: Ctx,
  tx: Tx,
  { draft, source, ...owner }: { applicationId: unknown; draft: NewLicenseType; source: AuditSource },
): Promise<LicenseType> {
  validateLicenseType(draft)
  const applicationId = await getApplicationId(tx, owner.applicationId)
  const now = ctx.now()
  const { slug, name, description = null, features = {}, displayOrder = 0, status = 'ACTIVE' } = draft
  const type = await rejectIfReferenceGone(
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
  const details = { licenseTypeId: type.id, applicationId, after: toAuditState(type) }
  await recordAuditEvent(ctx, tx, { action: 'license_type.created', ...source, details })
  return type
}

export const toAuditState = ({ slug, name, description, features, display_order, status }: LicenseType) => ({
  slug,
  name,
  description,
  features,
  displayOrder: display_order,
  status,
})

export async function changeLicenseType(
  ctx: Ctx,
  tx: Tx,
  { id, change, source }: { id: string; change: Partial<LicenseTypeSettings>; source: AuditSource },
): Promise<LicenseType> {
  requireAnyField(change)
  validateLicenseType(change)
  const type = await lockLicenseType(tx, toId(id) ?? NIL_ID)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  const before = toAuditState(type)
  const after = { ...before, ...change, name: (change.name ?? before.name).trim() }
  const changes = findChanges<Record<string, unknown>>(before, after)
  if (!changes) return type
  const details = { licenseTypeId: type.id, applicationId: type.application_id, ...changes }
  await recordAuditEvent(ctx, tx, { action: 'license_type.changed', ...source, details })
  const { displayOrder, features, ...rest } = after
  try {
    return await updateLicenseType(tx, type.id, {
      ...rest,
      features: JSON.stringify(features),
      display_order: displayOrder,
      updated_at: ctx.now(),
    })
  } catch (error) {
    throw isUniqueViolation(error, 'license_types_slug_key') ? new AppError('SLUG_TAKEN', { cause: error }) : error
  }
}

export const getLicenseType = async (db: Db, id: string): Promise<LicenseType> => {
  const type = await findLicenseType(db, toId(id) ?? NIL_ID)
  if (!type) throw new AppError('LICENSE_TYPE_NOT_FOUND')
  return type
}

import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import {
  describeCascade,
  describeFields,
  findDifference,
  listDeclared,
  requireUniqueKeys,
  withEntryContext,
} from '../declaration/compare.ts'
import type { Change, Entry, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { description, displayOrder } from './admin-schema.ts'
import { removeLicenseType } from './catalog/removal.ts'
import { changeLicenseType, createLicenseType, type NewLicenseType, validateLicenseType } from './catalog/service.ts'
import { type DeclaredTypeRow, listDeclaredTypes, listTypeKeys, listTypeRemovals } from './declare/store.ts'
import { exportTypes } from './export-store.ts'

const DeclaredType = Type.Object(
  {
    application: Type.String(),
    slug: Type.String(),
    name: Type.String(),
    description,
    features: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
    displayOrder: Type.Optional(displayOrder),
    status: Type.Optional(Type.Enum(['ACTIVE', 'ARCHIVED'])),
  },
  { additionalProperties: false },
)
type DeclaredType = Static<typeof DeclaredType>

const SETTINGS = ['name', 'description', 'features', 'displayOrder', 'status'] as const

export const licenseTypesSection: Section = {
  key: 'licenseTypes',
  entry: DeclaredType,
  keys: ['application', 'slug'],
  refersTo: { applications: { slug: 'application' } },
  async plan(ctx, entries, { declaration }) {
    const declared = (entries as DeclaredType[]).map((entry) => ({ ...entry, name: entry.name.trim() }))
    requireUniqueKeys('license type', declared.map(toName))
    for (const entry of declared) {
      await withEntryContext(`license type ${toName(entry)}`, () => validateLicenseType(entry))
    }
    const current = await listDeclaredTypes(ctx.db)
    const declaredApplications = new Set(listDeclared(declaration, 'applications', 'slug'))
    return declared.flatMap((entry) => {
      const application = current.applications.get(entry.application)
      if (!application && !declaredApplications.has(entry.application)) {
        throw new OperatorError(`The license type ${toName(entry)} belongs to an application that does not exist.`)
      }
      const type = application && current.types.get(toName(entry))
      return type ? planTypeChange(ctx, entry, type) : [planTypeCreation(ctx, entry)]
    })
  },
  planRemoval,
  listKeys: ({ db }) => listTypeKeys(db),
  export: ({ db }) => exportTypes(db),
}

const toName = ({ application, slug }: { application: string; slug: string }) => `${application}/${slug}`

/** An ARCHIVED type is created as ACTIVE and archived last: it accepts no new subscriptions afterwards. */
function planTypeCreation(ctx: Ctx, { application, status, ...rest }: DeclaredType): Change {
  const entry = { application, ...rest, ...(status && { status }) }
  const draft: NewLicenseType = rest
  let id = ''
  return {
    action: 'create',
    subject: `license type ${toName(entry)}`,
    fields: describeFields(entry, SETTINGS),
    async apply(tx) {
      const { applications } = await listDeclaredTypes(tx)
      const applicationId = applications.get(application) ?? ''
      id = (await createLicenseType(ctx, tx, { applicationId, draft, source: OPERATOR_SOURCE })).id
    },
    async finish(tx) {
      if (status !== 'ARCHIVED') return
      await changeLicenseType(ctx, tx, { id, change: { status }, source: OPERATOR_SOURCE })
    },
  }
}

function planTypeChange(ctx: Ctx, entry: DeclaredType, type: DeclaredTypeRow): Change[] {
  const { change, fields } = findDifference(type, entry, SETTINGS)
  if (fields.length === 0) return []
  const apply: Change['apply'] = async (tx) => {
    await changeLicenseType(ctx, tx, { id: type.id, change, source: OPERATOR_SOURCE })
  }
  return [{ action: 'update', subject: `license type ${toName(entry)}`, fields, apply }]
}

async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const names = entries.map(({ application, slug }) => `${application}/${slug}`)
  const removals = await listTypeRemovals(ctx.db, names)
  return removals.map(({ id, name, ...counts }) => ({
    action: 'delete',
    subject: `license type ${name}`,
    fields: describeCascade(counts),
    apply: (tx) => removeLicenseType(ctx, tx, { id, source: OPERATOR_SOURCE }),
  }))
}

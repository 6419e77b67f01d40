import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import {
  describeFields,
  describeLoss,
  findDifference,
  inEntry,
  listDeclared,
  refuseTwice,
} from '../declaration/compare.ts'
import type { Change, Entry, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { description, displayOrder } from './admin-schema.ts'
import { removeType } from './catalogue/removal.ts'
import { changeType, checkType, createType, type NewType } from './catalogue/service.ts'
import { type DeclaredTypeRow, listDeclaredTypes, listLeavingTypes, listTypeKeys } from './declare/store.ts'
import { exportTypes } from './export/store.ts'

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
    refuseTwice('licence type', declared.map(nameOf))
    for (const entry of declared) await inEntry(`licence type ${nameOf(entry)}`, () => checkType(entry))
    const known = await listDeclaredTypes(ctx.db)
    const coming = new Set(listDeclared(declaration, 'applications', 'slug'))
    return declared.flatMap((entry) => {
      const application = known.applications.get(entry.application)
      if (!application && !coming.has(entry.application)) {
        throw new OperatorError(`The licence type ${nameOf(entry)} is of an application that there is not.`)
      }
      const type = application && known.types.get(nameOf(entry))
      return type ? planTypeChange(ctx, entry, type) : [planType(ctx, entry)]
    })
  },
  planRemoval,
  listKeys: ({ db }) => listTypeKeys(db),
  export: ({ db }) => exportTypes(db),
}

const nameOf = ({ application, slug }: { application: string; slug: string }) => `${application}/${slug}`

/** A type that is sold no more is archived when the subscriptions that there still are have been made. */
function planType(ctx: Ctx, { application, status, ...rest }: DeclaredType): Change {
  const entry = { application, ...rest, ...(status && { status }) }
  const draft: NewType = rest
  let id = ''
  return {
    action: 'create',
    subject: `licence type ${nameOf(entry)}`,
    fields: describeFields(entry, SETTINGS),
    async apply(tx) {
      const { applications } = await listDeclaredTypes(tx)
      const applicationId = applications.get(application) ?? ''
      id = (await createType(ctx, tx, { applicationId, draft, source: OPERATOR })).id
    },
    async finish(tx) {
      if (status === 'ARCHIVED') await changeType(ctx, tx, { id, change: { status }, source: OPERATOR })
    },
  }
}

function planTypeChange(ctx: Ctx, entry: DeclaredType, type: DeclaredTypeRow): Change[] {
  const { change, fields } = findDifference(type, entry, SETTINGS)
  if (fields.length === 0) return []
  const apply: Change['apply'] = async (tx) => {
    await changeType(ctx, tx, { id: type.id, change, source: OPERATOR })
  }
  return [{ action: 'update', subject: `licence type ${nameOf(entry)}`, fields, apply }]
}

async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const names = entries.map(({ application, slug }) => `${application}/${slug}`)
  const leaving = await listLeavingTypes(ctx.db, names)
  return leaving.map(({ id, name, ...counts }) => ({
    action: 'delete',
    subject: `licence type ${name}`,
    fields: describeLoss(counts),
    apply: (tx) => removeType(ctx, tx, { id, source: OPERATOR }),
  }))
}

import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import { describeFields, findDifference, inEntry, refuseTwice } from '../declaration/compare.ts'
import type { Change, Section } from '../declaration/section.ts'
import { exportApplications } from './declare/export.ts'
import { planApplicationRemoval } from './declare/removal.ts'
import { listApplicationKeys } from './declare/store.ts'
import { applicationFields } from './schema.ts'
import { changeApplication, checkApplication, createApplication } from './service.ts'
import { listApplicationsBySlug } from './store.ts'

const DeclaredApplication = Type.Object(
  { slug: Type.String(), name: Type.String(), ...Type.Partial(Type.Object(applicationFields)).properties },
  { additionalProperties: false },
)
type DeclaredApplication = Static<typeof DeclaredApplication>

const APPLICATION_SETTINGS = [
  'name',
  ...(Object.keys(applicationFields) as (keyof typeof applicationFields)[]),
] as const

export const applicationsSection: Section = {
  key: 'applications',
  entry: DeclaredApplication,
  keys: ['slug'],
  async plan(ctx, entries) {
    const declared = (entries as DeclaredApplication[]).map((entry) => ({
      ...entry,
      name: entry.name.trim(),
    }))
    const slugs = declared.map(({ slug }) => slug)
    refuseTwice('application', slugs)
    for (const entry of declared) await inEntry(`application ${entry.slug}`, () => checkApplication(entry))
    const existing = new Map(
      (await listApplicationsBySlug(ctx.db, slugs)).map((found) => [found.slug, found]),
    )
    return declared.flatMap((entry): Change[] => {
      const subject = `application ${entry.slug}`
      const application = existing.get(entry.slug)
      if (!application) {
        const apply: Change['apply'] = async (tx) => void (await createApplication(ctx, tx, entry, OPERATOR))
        return [{ action: 'create', subject, fields: describeFields(entry, APPLICATION_SETTINGS), apply }]
      }
      const { change, fields } = findDifference(application, entry, APPLICATION_SETTINGS)
      if (fields.length === 0) return []
      const apply: Change['apply'] = async (tx) =>
        void (await changeApplication(ctx, tx, { id: application.id, change, source: OPERATOR }))
      return [{ action: 'update', subject, fields, apply }]
    })
  },
  planRemoval: planApplicationRemoval,
  listKeys: ({ db }) => listApplicationKeys(db),
  export: exportApplications,
}

import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import { brandWithin } from '../branding/applications.ts'
import { type Look, readLook } from '../branding/rules.ts'
import { looksOf } from '../branding/service.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { describeFields, findDifference, inEntry, refuseTwice } from '../declaration/compare.ts'
import type { Change, Section } from '../declaration/section.ts'
import { exportApplications } from './declare/export.ts'
import { planApplicationRemoval } from './declare/removal.ts'
import { listApplicationKeys } from './declare/store.ts'
import { applicationFields } from './schema.ts'
import {
  type ApplicationSettings,
  changeApplication,
  checkApplication,
  createApplication,
} from './service.ts'
import { listApplicationsBySlug } from './store.ts'

const Text = Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])

/** A logo is no text to be written into a file: it stays as it is. */
const DeclaredBranding = Type.Object(
  { displayName: Type.Optional(Text), color: Type.Optional(Text) },
  { additionalProperties: false },
)

const DeclaredApplication = Type.Object(
  {
    ...{ slug: Type.String(), name: Type.String() },
    ...Type.Partial(Type.Object(applicationFields)).properties,
    branding: Type.Optional(DeclaredBranding),
  },
  { additionalProperties: false },
)
type DeclaredApplication = Static<typeof DeclaredApplication>

const APPLICATION_SETTINGS = [
  'name',
  ...(Object.keys(applicationFields) as (keyof typeof applicationFields)[]),
  'branding',
] as const

export const applicationsSection: Section = {
  key: 'applications',
  entry: DeclaredApplication,
  keys: ['slug'],
  async plan(ctx, entries) {
    const slugs = (entries as DeclaredApplication[]).map(({ slug }) => slug)
    refuseTwice('application', slugs)
    const declared = await Promise.all(
      (entries as DeclaredApplication[]).map((entry) =>
        inEntry(`application ${entry.slug}`, () => readEntry(entry)),
      ),
    )
    const existing = await findDeclared(ctx, slugs)
    return declared.flatMap((entry): Change[] => {
      const subject = `application ${entry.slug}`
      const application = existing.get(entry.slug)
      if (!application) {
        const apply: Change['apply'] = (tx) => makeApplication(ctx, tx, entry)
        return [{ action: 'create', subject, fields: describeFields(entry, APPLICATION_SETTINGS), apply }]
      }
      const { change, fields } = findDifference(application, entry, APPLICATION_SETTINGS)
      if (fields.length === 0) return []
      const apply: Change['apply'] = (tx) => alterApplication(ctx, tx, { id: application.id, change })
      return [{ action: 'update', subject, fields, apply }]
    })
  },
  planRemoval: planApplicationRemoval,
  listKeys: ({ db }) => listApplicationKeys(db),
  export: exportApplications,
}

/** An entry as it would be kept, or what is wrong with it. */
function readEntry({ branding, ...entry }: DeclaredApplication) {
  checkApplication(entry)
  return { ...entry, name: entry.name.trim(), ...(branding && { branding: readLook(branding) }) }
}
type ReadEntry = ReturnType<typeof readEntry>

async function findDeclared({ db }: Ctx, slugs: string[]) {
  const found = await listApplicationsBySlug(db, slugs)
  const lookOf = await looksOf(
    db,
    found.map(({ id }) => id),
  )
  return new Map(found.map((one) => [one.slug, { ...one, branding: lookOf(one.id) }]))
}

async function makeApplication(ctx: Ctx, tx: Tx, { branding, ...entry }: ReadEntry): Promise<void> {
  const { id } = await createApplication(ctx, tx, entry, OPERATOR)
  if (branding) await brandWithin(ctx, tx, { applicationId: id, wish: branding, source: OPERATOR })
}

async function alterApplication(
  ctx: Ctx,
  tx: Tx,
  { id, change }: { id: string; change: Partial<ApplicationSettings> & { branding?: Look } },
): Promise<void> {
  const { branding, ...settings } = change
  if (Object.keys(settings).length > 0) {
    await changeApplication(ctx, tx, { id, change: settings, source: OPERATOR })
  }
  if (branding) await brandWithin(ctx, tx, { applicationId: id, wish: branding, source: OPERATOR })
}

import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import { setApplicationBrandingInTx } from '../branding/applications.ts'
import { Theme } from '../branding/branding-body.ts'
import { type BrandSettings, parseBrandSettings } from '../branding/rules.ts'
import { loadBrandSettings } from '../branding/service.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import { describeFields, findDifference, requireUniqueKeys, withEntryContext } from '../declaration/compare.ts'
import type { Change, Section } from '../declaration/section.ts'
import { exportApplications } from './declare/export.ts'
import { planApplicationRemoval } from './declare/removal.ts'
import { listApplicationKeys } from './declare/store.ts'
import { applicationFields } from './schema.ts'
import { type ApplicationSettings, changeApplication, createApplication, validateApplication } from './service.ts'
import { listApplicationsBySlug } from './store.ts'

const Text = Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])

/** Without the logo, which is binary: a declaration never changes it. */
const DeclaredBranding = Type.Object(
  {
    displayName: Type.Optional(Text),
    color: Type.Optional(Text),
    theme: Type.Optional(Type.Union([Theme, Type.Null()])),
  },
  { additionalProperties: false },
)

const DeclaredApplication = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
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
    requireUniqueKeys('application', slugs)
    const declared = await Promise.all(
      (entries as DeclaredApplication[]).map((entry) =>
        withEntryContext(`application ${entry.slug}`, () => parseEntry(entry)),
      ),
    )
    const existing = await findExisting(ctx, slugs)
    return declared.flatMap((entry): Change[] => {
      const subject = `application ${entry.slug}`
      const application = existing.get(entry.slug)
      if (!application) {
        const apply: Change['apply'] = (tx) => createDeclared(ctx, tx, entry)
        return [{ action: 'create', subject, fields: describeFields(entry, APPLICATION_SETTINGS), apply }]
      }
      const { change, fields } = findDifference(application, entry, APPLICATION_SETTINGS)
      if (fields.length === 0) return []
      const apply: Change['apply'] = (tx) => updateDeclared(ctx, tx, { id: application.id, change })
      return [{ action: 'update', subject, fields, apply }]
    })
  },
  planRemoval: planApplicationRemoval,
  listKeys: ({ db }) => listApplicationKeys(db),
  export: exportApplications,
}

/** The entry in the form in which it is stored. Throws when it is invalid. */
function parseEntry({ branding, ...entry }: DeclaredApplication) {
  validateApplication(entry)
  return { ...entry, name: entry.name.trim(), ...(branding && { branding: parseBrandSettings(branding) }) }
}
type ParsedEntry = ReturnType<typeof parseEntry>

async function findExisting({ db }: Ctx, slugs: string[]) {
  const applications = await listApplicationsBySlug(db, slugs)
  const brandSettingsOf = await loadBrandSettings(
    db,
    applications.map(({ id }) => id),
  )
  return new Map(
    applications.map((application) => [
      application.slug,
      { ...application, branding: brandSettingsOf(application.id) },
    ]),
  )
}

async function createDeclared(ctx: Ctx, tx: Tx, { branding, ...entry }: ParsedEntry): Promise<void> {
  const { id } = await createApplication(ctx, tx, entry, OPERATOR_SOURCE)
  if (branding)
    await setApplicationBrandingInTx(ctx, tx, { applicationId: id, input: branding, source: OPERATOR_SOURCE })
}

async function updateDeclared(
  ctx: Ctx,
  tx: Tx,
  { id, change }: { id: string; change: Partial<ApplicationSettings> & { branding?: BrandSettings } },
): Promise<void> {
  const { branding, ...settings } = change
  if (Object.keys(settings).length > 0) {
    await changeApplication(ctx, tx, { id, change: settings, source: OPERATOR_SOURCE })
  }
  if (branding)
    await setApplicationBrandingInTx(ctx, tx, { applicationId: id, input: branding, source: OPERATOR_SOURCE })
}

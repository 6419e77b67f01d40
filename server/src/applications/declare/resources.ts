import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import {
  describeFields,
  findDifference,
  listDeclared,
  requireUniqueKeys,
  withEntryContext,
} from '../../declaration/compare.ts'
import type { Change, Entry, PlanContext, Section } from '../../declaration/section.ts'
import { OperatorError } from '../../errors.ts'
import { changeResource, completeResource, registerResource, removeResourceInTx } from '../resources/registration.ts'
import { RESOURCE_SETTINGS } from '../resources/rules.ts'
import { resourceFields } from '../resources/schema.ts'
import { listResourcesByUri, type StoredResource } from '../resources/store.ts'
import { listApplicationsBySlug } from '../store.ts'
import { listResourceKeys } from './store.ts'

const DeclaredResource = Type.Object(
  {
    uri: Type.String(),
    /** The slug of its application. */
    application: Type.String(),
    name: Type.String(),
    ...Type.Partial(Type.Object(resourceFields)).properties,
  },
  { additionalProperties: false },
)
type DeclaredResource = Static<typeof DeclaredResource>

export const resourcesSection: Section = {
  key: 'resources',
  entry: DeclaredResource,
  keys: ['uri'],
  refersTo: { applications: { slug: 'application' } },
  async plan(ctx, entries, { declaration }) {
    const declared = (entries as DeclaredResource[]).map(normalize)
    const uris = declared.map(({ uri }) => uri)
    requireUniqueKeys('resource', uris)
    await requireApplications(ctx, declared, declaration)
    const existing = new Map((await listResourcesByUri(ctx.db, uris)).map((resource) => [resource.uri, resource]))
    const changes: Change[] = []
    for (const entry of declared) {
      const resource = existing.get(entry.uri)
      const plan = () => (resource ? planUpdate(ctx, resource, entry) : planCreation(ctx, entry))
      changes.push(...(await withEntryContext(`resource ${entry.uri}`, plan)))
    }
    return changes
  },
  planRemoval: planResourceRemoval,
  listKeys: ({ db }) => listResourceKeys(db),
  export: exportResources,
}

/** In the form in which it is stored, so that a repeated run changes nothing. */
const normalize = (entry: DeclaredResource): DeclaredResource => ({
  ...entry,
  name: entry.name.trim(),
  ...(entry.allowedClients && { allowedClients: entry.allowedClients.toSorted() }),
})

async function requireApplications(
  { db }: Ctx,
  entries: DeclaredResource[],
  declaration: PlanContext['declaration'],
): Promise<void> {
  const stored = await listApplicationsBySlug(
    db,
    entries.map(({ application }) => application),
  )
  const known = [...stored.map(({ slug }) => slug), ...listDeclared(declaration, 'applications', 'slug')]
  const orphan = entries.find(({ application }) => !known.includes(application))
  if (!orphan) return
  throw new OperatorError(
    `The resource ${orphan.uri} is of application ${orphan.application}, but there is no such application.`,
  )
}

function planCreation(ctx: Ctx, { application, ...entry }: DeclaredResource): Change[] {
  completeResource(entry)
  return [
    {
      action: 'create',
      subject: `resource ${entry.uri}`,
      fields: describeFields({ ...entry, application }, ['application', ...RESOURCE_SETTINGS]),
      async apply(tx) {
        const [owner] = await listApplicationsBySlug(tx, [application])
        if (!owner) throw new OperatorError(`There is no application ${application}.`)
        await registerResource(ctx, tx, { ...entry, applicationId: owner.id }, OPERATOR_SOURCE)
      },
    },
  ]
}

function planUpdate(ctx: Ctx, resource: StoredResource, entry: DeclaredResource): Change[] {
  if (resource.applicationSlug !== entry.application) {
    throw new OperatorError(
      `The application of resource ${entry.uri} is ${resource.applicationSlug} and cannot become ${entry.application}.`,
    )
  }
  completeResource({ ...resource, ...entry })
  const { change, fields } = findDifference(resource, entry, RESOURCE_SETTINGS)
  if (fields.length === 0) return []
  const apply: Change['apply'] = async (tx) => {
    await changeResource(ctx, tx, { id: resource.id, change, source: OPERATOR_SOURCE })
  }
  return [{ action: 'update', subject: `resource ${entry.uri}`, fields, apply }]
}

async function planResourceRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const uris = entries.map(({ uri }) => String(uri))
  const resources = await listResourcesByUri(ctx.db, uris)
  return resources
    .toSorted((a, b) => (a.uri < b.uri ? -1 : 1))
    .map(({ id, uri, applicationSlug }) => ({
      action: 'delete',
      subject: `resource ${uri}`,
      fields: [`of ${applicationSlug}; the tokens for it end`],
      apply: (tx) => removeResourceInTx(ctx, tx, { id, source: OPERATOR_SOURCE }),
    }))
}

async function* exportResources({ db }: Ctx): AsyncGenerator<Entry> {
  const uris = (await listResourceKeys(db)).map(({ uri }) => String(uri))
  const byUri = new Map((await listResourcesByUri(db, uris)).map((resource) => [resource.uri, resource]))
  for (const uri of uris) {
    const resource = byUri.get(uri)
    if (!resource) continue
    const settings = Object.fromEntries(RESOURCE_SETTINGS.map((name) => [name, resource[name]]))
    yield { uri, application: resource.applicationSlug, ...settings }
  }
}

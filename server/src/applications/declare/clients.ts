import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import {
  describeFields,
  describeHidden,
  findDifference,
  listDeclared,
  requireUniqueKeys,
  withEntryContext,
} from '../../declaration/compare.ts'
import type { Change, Declaration, Section } from '../../declaration/section.ts'
import { OperatorError } from '../../errors.ts'
import { changeClient, completeSettings, registerClient } from '../clients/registration.ts'
import { CLIENT_SETTINGS } from '../clients/rules.ts'
import { addSecretInTx, importSecretHashes, MAX_SECRETS, validateChosenSecret } from '../clients/secrets.ts'
import { impliedSettings } from '../clients/security-profile.ts'
import { listClientsByClientId, listTenantsBySlug, type StoredClient } from '../clients/store.ts'
import { ClientKind, clientFields } from '../schema.ts'
import { listApplicationsBySlug } from '../store.ts'
import { exportClients } from './export.ts'
import { planClientRemoval } from './removal.ts'
import { listClientKeys } from './store.ts'

const DeclaredClient = Type.Object(
  {
    clientId: Type.String(),
    /** The slug of its application. */
    application: Type.String(),
    kind: ClientKind,
    name: Type.String(),
    ...Type.Partial(Type.Object(clientFields)).properties,
    /** The slug of the tenant that a MACHINE client acts for. */
    tenant: Type.Optional(Type.String()),
    /** Only used for a client without a secret. An existing secret is kept. */
    secret: Type.Optional(Type.String()),
    /** Only used for a new client, instead of a secret: the hashes from the export of another instance. */
    secretHashes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: MAX_SECRETS, uniqueItems: true }),
    ),
  },
  { additionalProperties: false },
)
type DeclaredClient = Static<typeof DeclaredClient>

export const clientsSection: Section = {
  key: 'clients',
  entry: DeclaredClient,
  keys: ['clientId'],
  refersTo: { applications: { slug: 'application' }, tenants: { slug: 'tenant' } },
  async plan(ctx, entries, { declaration }) {
    const declared = (entries as DeclaredClient[]).map((entry) => ({ ...entry, name: entry.name.trim() }))
    const clientIds = declared.map(({ clientId }) => clientId)
    requireUniqueKeys('client', clientIds)
    await requireReferences(ctx, declared, declaration)
    const existing = new Map(
      (await listClientsByClientId(ctx.db, clientIds)).map((client) => [client.clientId, client]),
    )
    const changes: Change[] = []
    for (const entry of declared) {
      const client = existing.get(entry.clientId)
      const plan = () => (client ? planUpdate(ctx, client, entry) : planCreation(ctx, entry))
      changes.push(...(await withEntryContext(`client ${entry.clientId}`, plan)))
    }
    return changes
  },
  planRemoval: planClientRemoval,
  listKeys: ({ db }) => listClientKeys(db),
  export: exportClients,
}

/** The application and the tenant of a client must exist or be declared too. */
async function requireReferences(ctx: Ctx, entries: DeclaredClient[], declaration: Declaration): Promise<void> {
  const applications = await listApplicationsBySlug(
    ctx.db,
    entries.map(({ application }) => application),
  )
  const tenants = await listTenantsBySlug(
    ctx.db,
    entries.flatMap(({ tenant = [] }) => tenant),
  )
  const known = {
    application: [...applications.map(({ slug }) => slug), ...listDeclared(declaration, 'applications', 'slug')],
    tenant: [...tenants.map(({ slug }) => slug), ...listDeclared(declaration, 'tenants', 'slug')],
  }
  for (const entry of entries) {
    for (const kind of ['application', 'tenant'] as const) {
      const slug = entry[kind]
      if (slug === undefined || known[kind].includes(slug)) continue
      throw new OperatorError(`The client ${entry.clientId} is of ${kind} ${slug}, but there is no such ${kind}.`)
    }
  }
}

function planCreation(ctx: Ctx, declared: DeclaredClient): Change[] {
  const { application, tenant, secret, secretHashes = [], ...entry } = declared
  const { kind } = entry
  const { tokenEndpointAuthMethod } = completeSettings(ctx, { ...entry, tenantId: tenant })
  if (secret !== undefined) validateChosenSecret(ctx, { kind, tokenEndpointAuthMethod }, secret)
  requireOneSecret(declared)
  const hasNoSecret = secret === undefined && secretHashes.length === 0 && tokenEndpointAuthMethod === 'client_secret'
  return [
    {
      action: 'create',
      subject: `client ${entry.clientId}`,
      fields: [
        ...describeFields(declared, ['kind', 'application', 'tenant', ...CLIENT_SETTINGS]),
        ...(hasNoSecret ? ['without a secret'] : describeHidden(declared, ['secret', 'secretHashes'])),
      ],
      async apply(tx) {
        const draft = {
          ...entry,
          applicationId: await getId('application', application, listApplicationsBySlug(tx, [application])),
          tenantId: tenant && (await getId('tenant', tenant, listTenantsBySlug(tx, [tenant]))),
        }
        const choice = secret === undefined ? 'none' : { chosen: secret }
        const { client } = await registerClient(ctx, tx, draft, { secret: choice, source: OPERATOR_SOURCE })
        await importSecretHashes(ctx, tx, client.id, secretHashes)
      },
    },
  ]
}

function requireOneSecret({ clientId, kind, secret, secretHashes = [] }: DeclaredClient): void {
  if (secretHashes.length === 0) return
  if (secret !== undefined)
    throw new OperatorError(`The client ${clientId} is declared with a secret and secretHashes: remove one of them.`)
  if (kind === 'SPA') throw new OperatorError(`The client ${clientId} is an SPA: a browser cannot keep a secret.`)
}

async function getId(kind: string, slug: string, query: Promise<{ id: string }[]>): Promise<string> {
  const [row] = await query
  if (!row) throw new OperatorError(`There is no ${kind} ${slug}.`)
  return row.id
}

function planUpdate(ctx: Ctx, client: StoredClient, entry: DeclaredClient): Change[] {
  requireSameIdentity(client, entry)
  // Omitted fields keep their values, so the rules are checked on the merged settings.
  const desired = { ...impliedSettings(client.kind, entry), ...entry }
  const { tokenEndpointAuthMethod } = completeSettings(ctx, { ...client, ...desired }, client.origin)
  const { change, fields } = findDifference(client, desired, CLIENT_SETTINGS)
  const firstSecret = client.secrets.length === 0 ? entry.secret : undefined
  if (firstSecret !== undefined) {
    validateChosenSecret(ctx, { kind: client.kind, tokenEndpointAuthMethod }, firstSecret)
  }
  if (fields.length === 0 && firstSecret === undefined) return []
  return [
    {
      action: 'update',
      subject: `client ${client.clientId}`,
      fields: [...fields, ...(firstSecret === undefined ? [] : describeHidden(entry, ['secret']))],
      async apply(tx) {
        if (fields.length > 0) await changeClient(ctx, tx, { id: client.id, change, source: OPERATOR_SOURCE })
        if (firstSecret !== undefined)
          await addSecretInTx(ctx, tx, { client, secret: firstSecret, source: OPERATOR_SOURCE })
      },
    },
  ]
}

/** The kind, the application and the tenant of a client never change, because issued tokens depend on them. */
function requireSameIdentity(client: StoredClient, { kind, application, tenant }: DeclaredClient): void {
  const identity = [
    ['kind', client.kind, kind],
    ['application', client.applicationSlug, application],
    ['tenant', client.tenantSlug ?? 'none', tenant ?? 'none'],
  ] as const
  const difference = identity.find(([, current, declared]) => current !== declared)
  if (!difference) return
  const [field, current, declared] = difference
  throw new OperatorError(
    `The ${field} of client ${client.clientId} is ${current} and cannot become ${declared}. Register another client.`,
  )
}

import { type Static, Type } from 'typebox'
import { OPERATOR } from '../../audit/record.ts'
import type { Ctx } from '../../context.ts'
import {
  describeFields,
  findDifference,
  hidden,
  inEntry,
  listDeclared,
  refuseTwice,
} from '../../declaration/compare.ts'
import type { Change, Declaration, Section } from '../../declaration/section.ts'
import { OperatorError } from '../../errors.ts'
import { changeClient, completeSettings, registerClient } from '../clients/registration.ts'
import { SETTINGS } from '../clients/rules.ts'
import { addTo, checkChosenSecret, keepSecretHashes, MOST_SECRETS } from '../clients/secrets.ts'
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
    /** The slug of the tenant a machine acts for. */
    tenant: Type.Optional(Type.String()),
    /** Given to a client that has none. One that has a secret keeps it. */
    secret: Type.Optional(Type.String()),
    /** Given to a client that is new, instead of a secret: what another instance has kept of its secrets. */
    secretHashes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: MOST_SECRETS, uniqueItems: true }),
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
    refuseTwice('client', clientIds)
    await requireReferences(ctx, declared, declaration)
    const existing = new Map(
      (await listClientsByClientId(ctx.db, clientIds)).map((client) => [client.clientId, client]),
    )
    const changes: Change[] = []
    for (const entry of declared) {
      const client = existing.get(entry.clientId)
      const plan = () => (client ? planUpdate(ctx, client, entry) : planCreation(ctx, entry))
      changes.push(...(await inEntry(`client ${entry.clientId}`, plan)))
    }
    return changes
  },
  planRemoval: planClientRemoval,
  listKeys: ({ db }) => listClientKeys(db),
  export: exportClients,
}

/** What a client belongs to must be here, or be declared too. */
async function requireReferences(
  ctx: Ctx,
  entries: DeclaredClient[],
  declaration: Declaration,
): Promise<void> {
  const applications = await listApplicationsBySlug(
    ctx.db,
    entries.map(({ application }) => application),
  )
  const tenants = await listTenantsBySlug(
    ctx.db,
    entries.flatMap(({ tenant = [] }) => tenant),
  )
  const known = {
    application: [
      ...applications.map(({ slug }) => slug),
      ...listDeclared(declaration, 'applications', 'slug'),
    ],
    tenant: [...tenants.map(({ slug }) => slug), ...listDeclared(declaration, 'tenants', 'slug')],
  }
  for (const entry of entries) {
    for (const kind of ['application', 'tenant'] as const) {
      const slug = entry[kind]
      if (slug === undefined || known[kind].includes(slug)) continue
      throw new OperatorError(
        `The client ${entry.clientId} is of ${kind} ${slug}, but there is no such ${kind}.`,
      )
    }
  }
}

function planCreation(ctx: Ctx, declared: DeclaredClient): Change[] {
  const { application, tenant, secret, secretHashes = [], ...entry } = declared
  const { kind } = entry
  completeSettings({ ...entry, tenantId: tenant })
  if (secret !== undefined) checkChosenSecret(ctx, kind, secret)
  requireOneSecret(declared)
  const silent = secret === undefined && secretHashes.length === 0 && kind !== 'SPA'
  return [
    {
      action: 'create',
      subject: `client ${entry.clientId}`,
      fields: [
        ...describeFields(declared, ['kind', 'application', 'tenant', ...SETTINGS]),
        ...(silent ? ['without a secret'] : hidden(declared, ['secret', 'secretHashes'])),
      ],
      async apply(tx) {
        const draft = {
          ...entry,
          applicationId: await getId('application', application, listApplicationsBySlug(tx, [application])),
          tenantId: tenant && (await getId('tenant', tenant, listTenantsBySlug(tx, [tenant]))),
        }
        const origin = secret === undefined ? 'none' : { chosen: secret }
        const { client } = await registerClient(ctx, tx, draft, { origin, source: OPERATOR })
        await keepSecretHashes(ctx, tx, client.id, secretHashes)
      },
    },
  ]
}

function requireOneSecret({ clientId, kind, secret, secretHashes = [] }: DeclaredClient): void {
  if (secretHashes.length === 0) return
  if (secret !== undefined)
    throw new OperatorError(`The client ${clientId} is declared with a secret and secretHashes: one will do.`)
  if (kind === 'SPA')
    throw new OperatorError(`The client ${clientId} is an SPA: what runs in a browser cannot keep a secret.`)
}

async function getId(kind: string, slug: string, found: Promise<{ id: string }[]>): Promise<string> {
  const [thing] = await found
  if (!thing) throw new OperatorError(`There is no ${kind} ${slug}.`)
  return thing.id
}

function planUpdate(ctx: Ctx, client: StoredClient, entry: DeclaredClient): Change[] {
  refuseMove(client, entry)
  // What the entry leaves out stays as it is, so the whole is judged with it.
  completeSettings({ ...client, ...entry })
  const { change, fields } = findDifference(client, entry, SETTINGS)
  const first = client.secrets.length === 0 ? entry.secret : undefined
  if (first !== undefined) checkChosenSecret(ctx, client.kind, first)
  if (fields.length === 0 && first === undefined) return []
  return [
    {
      action: 'update',
      subject: `client ${client.clientId}`,
      fields: [...fields, ...(first === undefined ? [] : hidden(entry, ['secret']))],
      async apply(tx) {
        if (fields.length > 0) await changeClient(ctx, tx, { id: client.id, change, source: OPERATOR })
        if (first !== undefined) await addTo(ctx, tx, { client, secret: first, source: OPERATOR })
      },
    },
  ]
}

/** What a client is and whose it is are fixed: tokens in the world rely on it. */
function refuseMove(client: StoredClient, { kind, application, tenant }: DeclaredClient): void {
  const moves = [
    ['kind', client.kind, kind],
    ['application', client.applicationSlug, application],
    ['tenant', client.tenantSlug ?? 'none', tenant ?? 'none'],
  ] as const
  const move = moves.find(([, now, then]) => now !== then)
  if (!move) return
  const [field, now, then] = move
  throw new OperatorError(
    `The ${field} of client ${client.clientId} is ${now} and cannot become ${then}. Register another client.`,
  )
}

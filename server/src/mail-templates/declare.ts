import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import {
  describeFields,
  findDifference,
  listDeclared,
  requireUniqueKeys,
  withEntryContext,
} from '../declaration/compare.ts'
import type { Change, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import type { MailEdits } from '../mail/design-store.ts'
import { isMailKind, type MailKind } from '../mail/kinds.ts'
import { EDITED_FIELDS, NO_EDITS, parseEdits } from './rules.ts'
import { listKindsOf, loadDefaults, setMailTemplate, type TemplateOwner } from './service.ts'
import { findTenantId, listTemplates, listTenantTemplates, lockTemplates, toEntry } from './store.ts'

const Text = Type.Optional(Type.Union([Type.String({ maxLength: 40_000 }), Type.Null()]))
const texts = { subject: Text, heading: Text, text: Text, button: Text }

const DeclaredTemplate = Type.Object({ kind: Type.String(), ...texts }, { additionalProperties: false })
type DeclaredTemplate = Static<typeof DeclaredTemplate>

const DeclaredTenantTemplate = Type.Object(
  { tenant: Type.String(), kind: Type.String(), ...texts },
  { additionalProperties: false },
)
type DeclaredTenantTemplate = Static<typeof DeclaredTenantTemplate>

/** The texts of the mails of the instance. A text that an entry leaves out stays as it is; null is the default. */
export const mailTemplatesSection: Section = {
  key: 'mailTemplates',
  entry: DeclaredTemplate,
  keys: ['kind'],
  async plan(ctx, entries) {
    const declared = entries as DeclaredTemplate[]
    requireUniqueKeys(
      'mail template',
      declared.map(({ kind }) => kind),
    )
    const current = new Map((await listTemplates(ctx.db, undefined)).map((template) => [template.kind, template]))
    const changes: Change[] = []
    for (const entry of declared) {
      const subject = `mail template ${entry.kind}`
      const planned = { ctx, subject, entry, current: current.get(entry.kind), isOfTenant: false }
      changes.push(...(await planEntry(planned, async () => undefined)))
    }
    return changes
  },
  planRemoval: async (ctx, entries) => {
    const declared = entries.map(({ kind }) => String(kind))
    const stored = (await listTemplates(ctx.db, undefined)).filter(({ kind }) => declared.includes(kind))
    return stored.map(({ kind }) => planReset(ctx, kind, { subject: `mail template ${kind}`, owner: undefined }))
  },
  listKeys: async ({ db }) => (await listTemplates(db, undefined)).map(({ kind }) => ({ kind })),
  async *export({ db }) {
    const stored = await listTemplates(db, undefined)
    for (const { kind, ...edits } of stored.toSorted((a, b) => (a.kind < b.kind ? -1 : 1))) {
      yield toEntry({ kind }, edits)
    }
  },
}

const toName = ({ tenant, kind }: { tenant?: unknown; kind?: unknown }) => `${tenant} ${kind}`

/** The texts of the mails of tenants. Tenants edit them themselves, so those that are not declared are kept. */
export const tenantMailTemplatesSection: Section = {
  key: 'tenantMailTemplates',
  entry: DeclaredTenantTemplate,
  keys: ['tenant', 'kind'],
  refersTo: { tenants: { slug: 'tenant' } },
  async plan(ctx, entries, { declaration }) {
    const declared = entries as DeclaredTenantTemplate[]
    requireUniqueKeys('mail template of tenant', declared.map(toName))
    const stored = await listTenantTemplates(
      ctx.db,
      declared.map(({ tenant }) => tenant),
    )
    const current = new Map(stored.map((template) => [toName(template), template]))
    const declaredTenants = new Set(listDeclared(declaration, 'tenants', 'slug'))
    const changes: Change[] = []
    for (const { tenant, ...entry } of declared) {
      const subject = `mail template ${tenant} ${entry.kind}`
      if (!declaredTenants.has(tenant) && (await findTenantId(ctx.db, tenant)) === undefined) {
        throw new OperatorError(`The ${subject} belongs to a tenant that does not exist.`)
      }
      const planned = { ctx, subject, entry, current: current.get(`${tenant} ${entry.kind}`), isOfTenant: true }
      changes.push(...(await planEntry(planned, async (tx) => ({ tenantId: (await findTenantId(tx, tenant)) ?? '' }))))
    }
    return changes
  },
  planRemoval: async (ctx, entries) => {
    const names = new Set(entries.map(toName))
    const stored = await listTenantTemplates(
      ctx.db,
      entries.map(({ tenant }) => String(tenant)),
    )
    return stored
      .filter((template) => names.has(toName(template)))
      .map(({ tenant, tenantId, kind }) =>
        planReset(ctx, kind, { subject: `mail template ${tenant} ${kind}`, owner: { tenantId } }),
      )
  },
  async *export({ db }) {
    for (const { tenant, tenantId: _, kind, ...edits } of await listTenantTemplates(db)) {
      yield toEntry({ tenant, kind }, edits)
    }
  },
}

interface PlannedEntry {
  ctx: Ctx
  subject: string
  entry: DeclaredTemplate
  current: MailEdits | undefined
  isOfTenant: boolean
}

async function planEntry(
  { ctx, subject, entry, current, isOfTenant }: PlannedEntry,
  findOwner: (tx: Parameters<Change['apply']>[0]) => Promise<TemplateOwner>,
): Promise<Change[]> {
  const kind = requireDeclaredKind(subject, entry.kind, isOfTenant)
  const defaults = (await loadDefaults(ctx.db, isOfTenant ? { tenantId: '' } : undefined))(kind)
  const before = current ?? NO_EDITS
  const parsed = await withEntryContext(subject, () => parseEdits(kind, { ...before, ...entry }, defaults))
  const declared = Object.fromEntries(EDITED_FIELDS.filter((f) => entry[f] !== undefined).map((f) => [f, parsed[f]]))
  const { fields } = findDifference<MailEdits, (typeof EDITED_FIELDS)[number]>(before, declared, EDITED_FIELDS)
  if (fields.length === 0) return []
  return [
    {
      action: current ? 'update' : 'create',
      subject,
      fields: current ? fields : describeFields(declared, EDITED_FIELDS),
      async apply(tx) {
        await lockTemplates(tx)
        await setMailTemplate(ctx, tx, { owner: await findOwner(tx), kind, input: parsed, source: OPERATOR_SOURCE })
      },
    },
  ]
}

function requireDeclaredKind(subject: string, kind: string, isOfTenant: boolean): MailKind {
  const kinds = listKindsOf(isOfTenant ? { tenantId: '' } : undefined)
  if (isMailKind(kind) && kinds.includes(kind)) return kind
  throw new OperatorError(`The ${subject} is not valid: kind must be one of ${kinds.join(', ')}.`)
}

const planReset = (ctx: Ctx, kind: string, { subject, owner }: { subject: string; owner: TemplateOwner }): Change => ({
  action: 'delete',
  subject,
  fields: [],
  async apply(tx) {
    if (!isMailKind(kind)) return
    await lockTemplates(tx)
    await setMailTemplate(ctx, tx, { owner, kind, input: {}, source: OPERATOR_SOURCE })
  },
})

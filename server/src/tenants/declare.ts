import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import { OPERATOR } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import {
  describeFields,
  describeLoss,
  describeStep,
  findDifference,
  inEntry,
  listDeclared,
  refuseLeaving,
  refuseTwice,
} from '../declaration/compare.ts'
import type { Change, Declaration, Entry as Declared, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { groupBy } from '../lib/group-by.ts'
import { listLeavingTenants, streamTenants } from './declare/store.ts'
import { enrol, type NewMember } from './enrolment.ts'
import { changeTenant, checkTenant, createTenant, removeTenant } from './service.ts'
import { mergeSettings, type Settings } from './settings.ts'
import { listMembers, listTenantsBySlug, listUserIdsByEmail, type Member, type Tenant } from './store.ts'
import { setSuspended } from './suspension.ts'

const DeclaredTenant = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    mfaPolicy: Type.Optional(Type.Enum(['OPTIONAL', 'REQUIRED'])),
    /** Its branding may be shown before the sign-in. */
    brandingApproved: Type.Optional(Type.Boolean()),
    /** Nobody can act for it. */
    suspended: Type.Optional(Type.Boolean()),
    /** Merged into those there are: what is not named stays, and what is null goes. */
    settings: Type.Optional(Type.Unsafe<Settings>({ type: 'object' })),
    /** Members who are not listed are left alone. */
    members: Type.Optional(
      Type.Array(
        Type.Object(
          {
            email: Type.String(),
            role: Type.Enum(['owner', 'admin', 'member']),
            /** ACTIVE unless said. */
            status: Type.Optional(Type.Enum(['ACTIVE', 'SUSPENDED'])),
          },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
)
type Entry = Omit<Static<typeof DeclaredTenant>, 'members'> & { members: NewMember[] }

export const tenantsSection: Section = {
  key: 'tenants',
  entry: DeclaredTenant,
  keys: ['slug'],
  async plan(ctx, entries, { declaration, absent }) {
    const declared = (entries as Static<typeof DeclaredTenant>[]).map(toEntry)
    const slugs = declared.map(({ slug }) => slug)
    refuseTwice('tenant', slugs)
    for (const entry of declared) {
      await inEntry(`tenant ${entry.slug}`, () => {
        checkTenant(entry)
        mergeSettings({}, entry.settings ?? {})
      })
    }
    for (const { slug, members } of declared)
      refuseLeaving(absent, emailsOf(members), (email) => `makes ${email} a member of tenant ${slug}`)
    await requireUsers(ctx, declared, declaration)
    const existing = new Map((await listTenantsBySlug(ctx.db, slugs)).map((tenant) => [tenant.slug, tenant]))
    const ids = [...existing.values()].map(({ id }) => id)
    const members = groupBy(await listMembers(ctx.db, ids), ({ tenantId }) => tenantId)
    return declared.flatMap((entry) => {
      const tenant = existing.get(entry.slug)
      if (!tenant) return planCreation(ctx, entry)
      return planUpdate(ctx, entry, { tenant, present: members.get(tenant.id) ?? [] })
    })
  },
  planRemoval,
  export: ({ db }) => streamTenants(db),
}

function toEntry({ members = [], ...tenant }: Static<typeof DeclaredTenant>): Entry {
  const canonical = members.map(({ email, role, status = 'ACTIVE' }) => ({
    email: parseEmail(email) ?? email,
    role,
    status,
  }))
  refuseTwice(`member of tenant ${tenant.slug}:`, emailsOf(canonical))
  return { ...tenant, name: tenant.name.trim(), members: canonical }
}

const emailsOf = (members: NewMember[]) => members.map(({ email }) => email)

/** Whoever is to be a member must be here, or be declared too. */
async function requireUsers(ctx: Ctx, entries: Entry[], declaration: Declaration): Promise<void> {
  const coming = listDeclared(declaration, 'users', 'email').map((email) => parseEmail(email) ?? email)
  const emails = entries.flatMap(({ members }) => emailsOf(members))
  const here = (await listUserIdsByEmail(ctx.db, emails)).map(({ email }) => email)
  const known = new Set([...coming, ...here])
  const stranger = emails.find((email) => !known.has(email))
  if (stranger)
    throw new OperatorError(`The declaration makes ${stranger} a member, but there is no such user.`)
}

const planCreation = (ctx: Ctx, entry: Entry): Change[] => [
  {
    action: 'create',
    subject: `tenant ${entry.slug}`,
    fields: [
      ...describeFields(entry, ['name', 'mfaPolicy', 'brandingApproved', 'suspended']),
      ...describeFields(entry.settings ?? {}, Object.keys(entry.settings ?? {})).map(
        (line) => `settings.${line}`,
      ),
      ...entry.members.map((member) => describeMember(undefined, member)),
    ],
    async apply(tx) {
      const { id: tenantId } = await createTenant(ctx, tx, entry, OPERATOR)
      const { brandingApproved } = entry
      if (brandingApproved) {
        await changeTenant(ctx, tx, { id: tenantId, change: { brandingApproved }, source: OPERATOR })
      }
      await enrol(ctx, tx, { tenantId, members: entry.members, source: OPERATOR })
    },
    finish: (tx) => settleSuspension(ctx, tx, entry),
  },
]

/** A tenant is closed when all the rest is done, and opened again so too. */
async function settleSuspension(ctx: Ctx, tx: Tx, { slug, suspended }: Entry): Promise<void> {
  const [tenant] = suspended === undefined ? [] : await listTenantsBySlug(tx, [slug])
  if (!tenant || suspended === undefined) return
  await setSuspended(ctx, tx, { id: tenant.id, suspended, source: OPERATOR })
}

function planUpdate(
  ctx: Ctx,
  entry: Entry,
  { tenant, present }: { tenant: Tenant; present: Member[] },
): Change[] {
  const { change, fields } = findDifference(stateOf(tenant), entry, ['name', 'mfaPolicy', 'brandingApproved'])
  const closing = findDifference(stateOf(tenant), entry, ['suspended'])
  const settings = planSettings(tenant.settings, entry.settings)
  const standing = new Map(present.map((member) => [member.email, member]))
  const movers = entry.members.filter(({ email, role, status }) => {
    const member = standing.get(email)
    return member?.role !== role || member.status !== status
  })
  const lines = [...fields, ...settings]
  if (lines.length + closing.fields.length + movers.length === 0) return []
  return [
    {
      action: 'update',
      subject: `tenant ${tenant.slug}`,
      fields: [
        ...[...lines, ...closing.fields],
        ...movers.map((member) => describeMember(standing.get(member.email), member)),
      ],
      async apply(tx) {
        const whole = { ...change, ...(entry.settings && { settings: entry.settings }) }
        if (lines.length > 0) await changeTenant(ctx, tx, { id: tenant.id, change: whole, source: OPERATOR })
        await enrol(ctx, tx, { tenantId: tenant.id, members: movers, source: OPERATOR })
      },
      finish: (tx) => settleSuspension(ctx, tx, entry),
    },
  ]
}

const stateOf = ({ name, mfa_policy, branding_approved, suspended_at }: Tenant) => ({
  name,
  mfaPolicy: mfa_policy,
  brandingApproved: branding_approved,
  suspended: suspended_at !== null,
})

/** The settings that change, each by its own name. */
function planSettings(before: Settings, declared: Settings = {}): string[] {
  const after = mergeSettings(before, declared)
  const names = Object.keys(declared).filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return names.map((name) => describeStep(`settings.${name}`, before[name] ?? null, after[name] ?? null))
}

function describeMember(before: Member | undefined, { email, role, status }: NewMember): string {
  if (before) return `${email}: ${before.role} ${before.status} → ${role} ${status}`
  return `${role} ${email}${status === 'ACTIVE' ? '' : ` ${status}`}`
}

/** With a tenant goes all that is its own; the people stay. */
async function planRemoval(ctx: Ctx, entries: Declared[]): Promise<Change[]> {
  const leaving = await listLeavingTenants(
    ctx.db,
    entries.map(({ slug }) => String(slug)),
  )
  return leaving.map(({ id, slug, ...counts }) => ({
    action: 'delete',
    subject: `tenant ${slug}`,
    fields: describeLoss(counts),
    apply: (tx) => removeTenant(ctx, tx, { id, source: OPERATOR }),
  }))
}

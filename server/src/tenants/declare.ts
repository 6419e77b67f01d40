import { isDeepStrictEqual } from 'node:util'
import { type Static, Type } from 'typebox'
import { OPERATOR_SOURCE } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import type { Tx } from '../db/open.ts'
import {
  describeCascade,
  describeFieldChange,
  describeFields,
  findDifference,
  listDeclared,
  requireNotAbsent,
  requireUniqueKeys,
  withEntryContext,
} from '../declaration/compare.ts'
import type { Change, Declaration, Entry, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { groupBy } from '../lib/group-by.ts'
import { listTenantDeletions, streamTenants } from './declare-store.ts'
import { enrollMembers, type NewMember } from './enrollment.ts'
import { LanguageChoice } from './schema.ts'
import { changeTenant, createTenant, removeTenant, validateTenant } from './service.ts'
import { mergeSettings, type Settings } from './settings.ts'
import { listMembersForDeclaration, listTenantsBySlug, listUserIdsByEmail, type Member, type Tenant } from './store.ts'
import { setSuspended } from './suspension.ts'

const DeclaredTenant = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    mfaPolicy: Type.Optional(Type.Enum(['OPTIONAL', 'REQUIRED'])),
    /** Whether its branding may be shown before the sign-in. */
    brandingApproved: Type.Optional(Type.Boolean()),
    /** Whether its members may sign in with a mailed code. */
    emailCodes: Type.Optional(Type.Boolean()),
    /** Whether operators may act as its members. */
    supportAccess: Type.Optional(Type.Boolean()),
    /** The default language of its hosted pages and mails. */
    language: Type.Optional(LanguageChoice),
    suspended: Type.Optional(Type.Boolean()),
    /** A merge patch for the current settings (RFC 7396). */
    settings: Type.Optional(Type.Unsafe<Settings>({ type: 'object' })),
    /** Members who are not listed stay unchanged. */
    members: Type.Optional(
      Type.Array(
        Type.Object(
          {
            email: Type.String(),
            role: Type.Enum(['owner', 'admin', 'member']),
            /** ACTIVE by default. */
            status: Type.Optional(Type.Enum(['ACTIVE', 'SUSPENDED'])),
          },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
)
type DeclaredTenant = Static<typeof DeclaredTenant>
/** With canonical addresses and a status for every member. */
type TenantEntry = Omit<DeclaredTenant, 'members'> & { members: NewMember[] }

export const tenantsSection: Section = {
  key: 'tenants',
  entry: DeclaredTenant,
  keys: ['slug'],
  async plan(ctx, entries, { declaration, absent }) {
    const declared = (entries as DeclaredTenant[]).map(toTenantEntry)
    const slugs = declared.map(({ slug }) => slug)
    requireUniqueKeys('tenant', slugs)
    for (const entry of declared) {
      await withEntryContext(`tenant ${entry.slug}`, () => {
        validateTenant(entry)
        mergeSettings({}, entry.settings ?? {})
      })
    }
    for (const { slug, members } of declared)
      requireNotAbsent(absent, emailsOf(members), (email) => `makes ${email} a member of tenant ${slug}`)
    await requireUsers(ctx, declared, declaration)
    const existing = new Map((await listTenantsBySlug(ctx.db, slugs)).map((tenant) => [tenant.slug, tenant]))
    const ids = [...existing.values()].map(({ id }) => id)
    const members = groupBy(await listMembersForDeclaration(ctx.db, ids), ({ tenantId }) => tenantId)
    return declared.flatMap((entry) => {
      const tenant = existing.get(entry.slug)
      if (!tenant) return planCreation(ctx, entry)
      return planUpdate(ctx, entry, { tenant, currentMembers: members.get(tenant.id) ?? [] })
    })
  },
  planRemoval,
  export: ({ db }) => streamTenants(db),
}

function toTenantEntry({ members = [], ...tenant }: DeclaredTenant): TenantEntry {
  const canonical = members.map(({ email, role, status = 'ACTIVE' }) => ({
    email: parseEmail(email) ?? email,
    role,
    status,
  }))
  requireUniqueKeys(`member of tenant ${tenant.slug}:`, emailsOf(canonical))
  return { ...tenant, name: tenant.name.trim(), members: canonical }
}

const emailsOf = (members: NewMember[]) => members.map(({ email }) => email)

/** The members must exist as users or be declared too. */
async function requireUsers(ctx: Ctx, entries: TenantEntry[], declaration: Declaration): Promise<void> {
  const declared = listDeclared(declaration, 'users', 'email').map((email) => parseEmail(email) ?? email)
  const emails = entries.flatMap(({ members }) => emailsOf(members))
  const existing = (await listUserIdsByEmail(ctx.db, emails)).map(({ email }) => email)
  const known = new Set([...declared, ...existing])
  const unknown = emails.find((email) => !known.has(email))
  if (unknown) throw new OperatorError(`The declaration makes ${unknown} a member, but there is no such user.`)
}

const planCreation = (ctx: Ctx, entry: TenantEntry): Change[] => [
  {
    action: 'create',
    subject: `tenant ${entry.slug}`,
    fields: [
      ...describeFields(entry, ['name', 'mfaPolicy', 'brandingApproved', 'emailCodes', 'supportAccess']),
      ...describeFields(entry, ['language', 'suspended']),
      ...describeFields(entry.settings ?? {}, Object.keys(entry.settings ?? {})).map((line) => `settings.${line}`),
      ...entry.members.map((member) => describeMember(undefined, member)),
    ],
    async apply(tx) {
      const { id: tenantId } = await createTenant(ctx, tx, entry, OPERATOR_SOURCE)
      const { brandingApproved = false, emailCodes = false, supportAccess = false, language = null } = entry
      if (brandingApproved || emailCodes || supportAccess || language !== null) {
        const change = { brandingApproved, emailCodes, supportAccess, language }
        await changeTenant(ctx, tx, { id: tenantId, change, source: OPERATOR_SOURCE })
      }
      await enrollMembers(ctx, tx, { tenantId, members: entry.members, source: OPERATOR_SOURCE })
    },
    finish: (tx) => applySuspension(ctx, tx, entry),
  },
]

/** Suspends or reactivates the tenant after all other changes have been applied. */
async function applySuspension(ctx: Ctx, tx: Tx, { slug, suspended }: TenantEntry): Promise<void> {
  const [tenant] = suspended === undefined ? [] : await listTenantsBySlug(tx, [slug])
  if (!tenant || suspended === undefined) return
  await setSuspended(ctx, tx, { id: tenant.id, suspended, source: OPERATOR_SOURCE })
}

function planUpdate(
  ctx: Ctx,
  entry: TenantEntry,
  { tenant, currentMembers }: { tenant: Tenant; currentMembers: Member[] },
): Change[] {
  const current = toDeclaredState(tenant)
  const settable = ['name', 'mfaPolicy', 'brandingApproved', 'emailCodes', 'supportAccess', 'language'] as const
  const { change, fields } = findDifference(current, entry, [...settable])
  const suspension = findDifference(current, entry, ['suspended'])
  const settings = describeSettings(tenant.settings, entry.settings)
  const membersByEmail = new Map(currentMembers.map((member) => [member.email, member]))
  const changedMembers = entry.members.filter(({ email, role, status }) => {
    const member = membersByEmail.get(email)
    return member?.role !== role || member.status !== status
  })
  const tenantLines = [...fields, ...settings]
  if (tenantLines.length + suspension.fields.length + changedMembers.length === 0) return []
  return [
    {
      action: 'update',
      subject: `tenant ${tenant.slug}`,
      fields: [
        ...tenantLines,
        ...suspension.fields,
        ...changedMembers.map((member) => describeMember(membersByEmail.get(member.email), member)),
      ],
      async apply(tx) {
        const tenantChange = { ...change, ...(entry.settings && { settings: entry.settings }) }
        if (tenantLines.length > 0)
          await changeTenant(ctx, tx, { id: tenant.id, change: tenantChange, source: OPERATOR_SOURCE })
        await enrollMembers(ctx, tx, {
          tenantId: tenant.id,
          members: changedMembers,
          source: OPERATOR_SOURCE,
        })
      },
      finish: (tx) => applySuspension(ctx, tx, entry),
    },
  ]
}

const toDeclaredState = ({
  name,
  mfa_policy,
  branding_approved,
  email_codes,
  support_access,
  language,
  suspended_at,
}: Tenant) => ({
  name,
  mfaPolicy: mfa_policy,
  brandingApproved: branding_approved,
  emailCodes: email_codes,
  supportAccess: support_access,
  language,
  suspended: suspended_at !== null,
})

/** One line for each changed setting. */
function describeSettings(before: Settings, declared: Settings = {}): string[] {
  const after = mergeSettings(before, declared)
  const names = Object.keys(declared).filter((name) => !isDeepStrictEqual(before[name], after[name]))
  return names.map((name) => describeFieldChange(`settings.${name}`, before[name] ?? null, after[name] ?? null))
}

function describeMember(before: Member | undefined, { email, role, status }: NewMember): string {
  if (before) return `${email}: ${before.role} ${before.status} → ${role} ${status}`
  return `${role} ${email}${status === 'ACTIVE' ? '' : ` ${status}`}`
}

/** The users of a deleted tenant are kept. */
async function planRemoval(ctx: Ctx, entries: Entry[]): Promise<Change[]> {
  const deletions = await listTenantDeletions(
    ctx.db,
    entries.map(({ slug }) => String(slug)),
  )
  return deletions.map(({ id, slug, ...counts }) => ({
    action: 'delete',
    subject: `tenant ${slug}`,
    fields: describeCascade(counts),
    apply: (tx) => removeTenant(ctx, tx, { id, source: OPERATOR_SOURCE }),
  }))
}

import { type Static, Type } from 'typebox'
import { SYSTEM } from '../audit/record.ts'
import type { Ctx } from '../context.ts'
import { findDifference, inEntry, listDeclared, refuseTwice } from '../declaration/compare.ts'
import type { Change, Declaration, Section } from '../declaration/section.ts'
import { OperatorError } from '../errors.ts'
import { parseEmail } from '../lib/email.ts'
import { enrol, type NewMember } from './enrolment.ts'
import { changeTenant, checkTenant, createTenant } from './service.ts'
import { listMembers, listTenantsBySlug, listUserIdsByEmail, type Member, type Tenant } from './store.ts'

const DeclaredTenant = Type.Object(
  {
    slug: Type.String(),
    name: Type.String(),
    mfaPolicy: Type.Optional(Type.Enum(['OPTIONAL', 'REQUIRED'])),
    /** Members who are not listed are left alone. */
    members: Type.Optional(
      Type.Array(
        Type.Object(
          { email: Type.String(), role: Type.Enum(['owner', 'admin', 'member']) },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
)
/** A declaration is applied by whoever runs the service. */
const OPERATOR = { actor: SYSTEM }

type Entry = Static<typeof DeclaredTenant> & { members: NewMember[] }

export const tenantsSection: Section = {
  key: 'tenants',
  entry: DeclaredTenant,
  async plan(ctx, entries, declaration) {
    const declared = (entries as Static<typeof DeclaredTenant>[]).map(toEntry)
    const slugs = declared.map(({ slug }) => slug)
    refuseTwice('tenant', slugs)
    for (const entry of declared) await inEntry(`tenant ${entry.slug}`, () => checkTenant(entry))
    await requireUsers(ctx, declared, declaration)
    const existing = new Map((await listTenantsBySlug(ctx.db, slugs)).map((tenant) => [tenant.slug, tenant]))
    const members = await listMembers(
      ctx.db,
      [...existing.values()].map(({ id }) => id),
    )
    return declared.flatMap((entry) => {
      const tenant = existing.get(entry.slug)
      if (!tenant) return planCreation(ctx, entry)
      const present = members.filter(({ tenantId }) => tenantId === tenant.id)
      return planUpdate(ctx, entry, { tenant, present })
    })
  },
}

function toEntry({ members = [], ...tenant }: Static<typeof DeclaredTenant>): Entry {
  const canonical = members.map(({ email, role }) => ({ email: parseEmail(email) ?? email, role }))
  refuseTwice(
    `member of tenant ${tenant.slug}:`,
    canonical.map(({ email }) => email),
  )
  return { ...tenant, name: tenant.name.trim(), members: canonical }
}

/** Whoever is to be a member must be here, or be declared too. */
async function requireUsers(ctx: Ctx, entries: Entry[], declaration: Declaration): Promise<void> {
  const coming = listDeclared(declaration, 'users', 'email').map((email) => parseEmail(email) ?? email)
  const emails = entries.flatMap(({ members }) => members.map(({ email }) => email))
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
    fields: entry.members.map(({ email, role }) => `${role} ${email}`),
    async apply(tx) {
      const { id: tenantId } = await createTenant(ctx, tx, entry, OPERATOR)
      await enrol(ctx, tx, { tenantId, members: entry.members, source: OPERATOR })
    },
  },
]

function planUpdate(
  ctx: Ctx,
  entry: Entry,
  { tenant, present }: { tenant: Tenant; present: Member[] },
): Change[] {
  const current = { name: tenant.name, mfaPolicy: tenant.mfa_policy }
  const { change, fields } = findDifference(current, entry, ['name', 'mfaPolicy'])
  const standing = new Map(present.map((member) => [member.email, member]))
  const newcomers = entry.members.filter(({ email, role }) => {
    const member = standing.get(email)
    return member?.role !== role || member.status !== 'ACTIVE'
  })
  if (fields.length + newcomers.length === 0) return []
  const describe = ({ email, role }: NewMember) => {
    const member = standing.get(email)
    if (!member) return `${role} ${email}`
    return `${email}: ${member.role} ${member.status} → ${role} ACTIVE`
  }
  return [
    {
      action: 'update',
      subject: `tenant ${tenant.slug}`,
      fields: [...fields, ...newcomers.map(describe)],
      async apply(tx) {
        if (fields.length > 0) await changeTenant(ctx, tx, { id: tenant.id, change, source: OPERATOR })
        await enrol(ctx, tx, { tenantId: tenant.id, members: newcomers, source: OPERATOR })
      },
    },
  ]
}

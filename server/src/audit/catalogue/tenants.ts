import { type Static, Type } from 'typebox'
import { defineKinds, facts, Id, Moment, nullable, SAMPLE, some, telling } from './kind.ts'

const Role = Type.Enum(['owner', 'admin', 'member'])
const Status = Type.Enum(['ACTIVE', 'SUSPENDED', 'INVITED'])
const MfaPolicy = Type.Enum(['OPTIONAL', 'REQUIRED'])
const Place = facts({ role: Role, status: Status })
const HasRole = facts({ role: Role })
const HasStatus = facts({ status: Status })
const Settings = Type.Record(Type.String(), Type.Unknown())
const TenantState = some({
  name: Type.String(),
  slug: Type.String(),
  mfaPolicy: MfaPolicy,
  settings: Settings,
  brandingApproved: Type.Boolean(),
})
const Text = nullable(Type.String())
const Branding = some({ displayName: Text, color: Text, logo: Text })
const InvitationStatus = facts({ status: Type.Enum(['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED']) })
const Settled = facts({ invitationId: Id, before: InvitationStatus, after: InvitationStatus })
const Deadline = facts({ expiresAt: Moment })

const ACME = { name: 'Acme', slug: 'acme' }
const member = { role: 'member', status: 'ACTIVE' } as const
const { invitation: invitationId, application: applicationId, licenseType: licenseTypeId } = SAMPLE

const settling = (status: Static<typeof InvitationStatus>['status']) =>
  telling(Settled, { invitationId, before: { status: 'PENDING' }, after: { status } })
const coming = telling(facts({ after: Place }), { after: member })
const going = telling(facts({ before: Place }), { before: member })

const Suspension = facts({ suspended: Type.Boolean() })
const suspension = (suspended: boolean) =>
  telling(facts({ before: Suspension, after: Suspension }), {
    before: { suspended: !suspended },
    after: { suspended },
  })

export const tenantKinds = defineKinds({
  'tenant.created': {
    says: 'A tenant was founded.',
    ...telling(
      facts({
        after: facts({
          ...{ name: Type.String(), slug: Type.String(), mfaPolicy: MfaPolicy },
          settings: Type.Optional(Settings),
        }),
      }),
      { after: { ...ACME, mfaPolicy: 'OPTIONAL' } },
    ),
  },
  'tenant.changed': {
    says: 'Name, slug, settings or MFA policy of a tenant were changed, or whether its branding is approved.',
    ...telling(facts({ before: TenantState, after: TenantState }), {
      before: { mfaPolicy: 'OPTIONAL' },
      after: { mfaPolicy: 'REQUIRED' },
    }),
  },
  'tenant.branding_changed': {
    says: 'How the hosted pages look for a tenant was changed; of a logo its SHA-256 is told.',
    ...telling(facts({ before: Branding, after: Branding }), {
      before: { color: null },
      after: { color: '#3b5bdb' },
    }),
  },
  'tenant.suspended': {
    says: 'An operator suspended a tenant: nobody can act for it.',
    ...suspension(true),
  },
  'tenant.reactivated': { says: 'An operator ended the suspension of a tenant.', ...suspension(false) },
  'tenant.deleted': {
    says: 'A tenant was deleted.',
    ...telling(facts({ before: facts({ name: Type.String(), slug: Type.String() }) }), { before: ACME }),
  },
  'member.joined': { says: 'Somebody became a member by accepting an invitation.', ...coming },
  'member.added': { says: 'Somebody became a member: the founder, or whom an operator added.', ...coming },
  'member.role_changed': {
    says: 'A member has another role.',
    ...telling(facts({ before: HasRole, after: HasRole }), {
      before: { role: 'member' },
      after: { role: 'admin' },
    }),
  },
  'member.suspended': {
    says: 'A member was suspended.',
    ...telling(facts({ before: HasStatus, after: HasStatus }), {
      before: { status: 'ACTIVE' },
      after: { status: 'SUSPENDED' },
    }),
  },
  'member.reactivated': {
    says: 'The suspension of a member was ended.',
    ...telling(facts({ before: HasStatus, after: HasStatus }), {
      before: { status: 'SUSPENDED' },
      after: { status: 'ACTIVE' },
    }),
  },
  'member.removed': { says: 'A member was removed.', ...going },
  'member.left': { says: 'A member left.', ...going },
  'member.returned': { says: 'A member is back, with the account that they took back.', ...coming },
  'invitation.created': {
    says: 'Somebody was invited.',
    ...telling(
      facts({
        invitationId: Id,
        after: facts({
          role: Role,
          status: Type.Literal('PENDING'),
          expiresAt: Moment,
          // The seat that is kept for them, if any.
          applicationId: Type.Optional(Id),
          licenseTypeId: Type.Optional(Id),
        }),
      }),
      {
        invitationId,
        after: {
          ...{ role: 'member', status: 'PENDING', expiresAt: '2026-11-22T09:30:00.000Z' },
          ...{ applicationId, licenseTypeId },
        },
      },
    ),
  },
  'invitation.resent': {
    says: 'An invitation was sent again.',
    ...telling(facts({ invitationId: Id, before: Deadline, after: Deadline }), {
      invitationId,
      before: { expiresAt: '2026-11-22T09:30:00.000Z' },
      after: { expiresAt: '2026-11-25T14:00:00.000Z' },
    }),
  },
  'invitation.revoked': { says: 'An invitation was taken back.', ...settling('REVOKED') },
  'invitation.accepted': { says: 'An invitation was accepted.', ...settling('ACCEPTED') },
  'invitation.expired': { says: 'An invitation was not accepted in time.', ...settling('EXPIRED') },
})

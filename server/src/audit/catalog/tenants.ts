import { type Static, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { defineActions, Id, nullable, partialObject, SAMPLE_IDS, strictObject, withExample } from './definition.ts'

const Role = Type.Enum(['owner', 'admin', 'member'])
const Status = Type.Enum(['ACTIVE', 'SUSPENDED', 'INVITED'])
const MfaPolicy = Type.Enum(['OPTIONAL', 'REQUIRED'])
const Membership = strictObject({ role: Role, status: Status })
const HasRole = strictObject({ role: Role })
const HasStatus = strictObject({ status: Status })
const Settings = Type.Record(Type.String(), Type.Unknown())
const Text = nullable(Type.String())
const TenantState = partialObject({
  name: Type.String(),
  slug: Type.String(),
  mfaPolicy: MfaPolicy,
  settings: Settings,
  brandingApproved: Type.Boolean(),
  emailCodes: Type.Boolean(),
  supportAccess: Type.Boolean(),
  language: Text,
})
const Branding = partialObject({ displayName: Text, color: Text, logo: Text })
const MailTexts = partialObject({ subject: Text, heading: Text, text: Text, button: Text })
const InvitationStatus = strictObject({ status: Type.Enum(['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED']) })
const InvitationTransition = strictObject({
  invitationId: Id,
  before: InvitationStatus,
  after: InvitationStatus,
})
const Deadline = strictObject({ expiresAt: Timestamp })

const ACME = { name: 'Acme', slug: 'acme' }
const member = { role: 'member', status: 'ACTIVE' } as const
const { invitation: invitationId, application: applicationId, licenseType: licenseTypeId } = SAMPLE_IDS

const invitationTransition = (status: Static<typeof InvitationStatus>['status']) =>
  withExample(InvitationTransition, { invitationId, before: { status: 'PENDING' }, after: { status } })
const membershipCreated = withExample(strictObject({ after: Membership }), { after: member })
const membershipDeleted = withExample(strictObject({ before: Membership }), { before: member })

const Suspension = strictObject({ suspended: Type.Boolean() })
const suspension = (suspended: boolean) =>
  withExample(strictObject({ before: Suspension, after: Suspension }), {
    before: { suspended: !suspended },
    after: { suspended },
  })

export const tenantActions = defineActions({
  'tenant.created': {
    summary: 'A tenant was created.',
    ...withExample(
      strictObject({
        after: strictObject({
          name: Type.String(),
          slug: Type.String(),
          mfaPolicy: MfaPolicy,
          settings: Type.Optional(Settings),
        }),
      }),
      { after: { ...ACME, mfaPolicy: 'OPTIONAL' } },
    ),
  },
  'tenant.changed': {
    summary: 'The name, slug, settings, MFA policy, default language or branding approval of a tenant was changed.',
    ...withExample(strictObject({ before: TenantState, after: TenantState }), {
      before: { mfaPolicy: 'OPTIONAL' },
      after: { mfaPolicy: 'REQUIRED' },
    }),
  },
  'tenant.branding_changed': {
    summary: 'The branding of a tenant was changed. A logo is represented by its SHA-256.',
    ...withExample(strictObject({ before: Branding, after: Branding }), {
      before: { color: null },
      after: { color: '#3b5bdb' },
    }),
  },
  'tenant.mail_template_changed': {
    summary: 'The text of a mail was changed for a tenant. A text that is null is the default.',
    ...withExample(strictObject({ kind: Type.String(), before: MailTexts, after: MailTexts }), {
      kind: 'invitation',
      before: { subject: null },
      after: { subject: 'Welcome to {{tenant}}' },
    }),
  },
  'tenant.suspended': {
    summary: 'An operator suspended a tenant. Its members have no access to it.',
    ...suspension(true),
  },
  'tenant.reactivated': { summary: 'An operator ended the suspension of a tenant.', ...suspension(false) },
  'support_access.started': {
    summary:
      'An operator started to act as a member, for support. `onBehalfOf` is in every entry of what they do then.',
    ...withExample(strictObject({ sessionId: Id, reason: Type.String(), endsAt: Timestamp }), {
      sessionId: SAMPLE_IDS.session,
      reason: 'Ticket 4711: the invoice page stays empty',
      endsAt: '2026-11-14T10:30:00.000Z',
    }),
  },
  'support_access.ended': {
    summary:
      'An operator stopped to act as a member: they ended it (ENDED), its time was over (EXPIRED), or something else ended it (WITHDRAWN), such as a change of the tenant, of the membership or of the operator.',
    ...withExample(
      strictObject({ sessionId: Id, operatorId: Id, cause: Type.Enum(['ENDED', 'EXPIRED', 'WITHDRAWN']) }),
      { sessionId: SAMPLE_IDS.session, operatorId: SAMPLE_IDS.actor, cause: 'ENDED' },
    ),
  },
  'tenant.deleted': {
    summary: 'A tenant was deleted.',
    ...withExample(strictObject({ before: strictObject({ name: Type.String(), slug: Type.String() }) }), {
      before: ACME,
    }),
  },
  'member.joined': { summary: 'A user became a member by accepting an invitation.', ...membershipCreated },
  'member.added': {
    summary: 'A user became a member by creating the tenant, or was added by an operator.',
    ...membershipCreated,
  },
  'member.role_changed': {
    summary: 'The role of a member was changed.',
    ...withExample(strictObject({ before: HasRole, after: HasRole }), {
      before: { role: 'member' },
      after: { role: 'admin' },
    }),
  },
  'member.suspended': {
    summary: 'A member was suspended.',
    ...withExample(strictObject({ before: HasStatus, after: HasStatus }), {
      before: { status: 'ACTIVE' },
      after: { status: 'SUSPENDED' },
    }),
  },
  'member.reactivated': {
    summary: 'The suspension of a member was ended.',
    ...withExample(strictObject({ before: HasStatus, after: HasStatus }), {
      before: { status: 'SUSPENDED' },
      after: { status: 'ACTIVE' },
    }),
  },
  'member.removed': { summary: 'A member was removed.', ...membershipDeleted },
  'member.left': { summary: 'A member left.', ...membershipDeleted },
  'member.returned': {
    summary: 'A membership was restored together with the account.',
    ...membershipCreated,
  },
  'invitation.created': {
    summary: 'A person was invited.',
    ...withExample(
      strictObject({
        invitationId: Id,
        after: strictObject({
          role: Role,
          status: Type.Literal('PENDING'),
          expiresAt: Timestamp,
          // The reserved seat, if any.
          applicationId: Type.Optional(Id),
          licenseTypeId: Type.Optional(Id),
        }),
      }),
      {
        invitationId,
        after: {
          role: 'member',
          status: 'PENDING',
          expiresAt: '2026-11-22T09:30:00.000Z',
          applicationId,
          licenseTypeId,
        },
      },
    ),
  },
  'invitation.resent': {
    summary: 'An invitation was sent again.',
    ...withExample(strictObject({ invitationId: Id, before: Deadline, after: Deadline }), {
      invitationId,
      before: { expiresAt: '2026-11-22T09:30:00.000Z' },
      after: { expiresAt: '2026-11-25T14:00:00.000Z' },
    }),
  },
  'invitation.revoked': { summary: 'An invitation was revoked.', ...invitationTransition('REVOKED') },
  'invitation.accepted': { summary: 'An invitation was accepted.', ...invitationTransition('ACCEPTED') },
  'invitation.expired': { summary: 'An invitation expired.', ...invitationTransition('EXPIRED') },
})

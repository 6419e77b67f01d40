import { type Static, type TSchema, Type } from 'typebox'
import { Profile } from '../profile/schema.ts'

const Timestamp = Type.String({ format: 'date-time' })
const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const Text = nullable(Type.String())
const Facts = Type.Record(Type.String(), Type.Unknown())

const { memberships, ...profile } = Profile.properties

const Session = Type.Object({
  id: Type.String(),
  userAgent: Type.String(),
  ipAddress: Type.String(),
  createdAt: Timestamp,
  lastActive: Timestamp,
  authenticatedAt: Timestamp,
  methods: Type.Array(Type.String(), { description: 'How you showed who you are (RFC 8176)' }),
})

const SsoLink = Type.Object({
  provider: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
  email: Text,
  displayName: Text,
  avatarUrl: Text,
  linkedAt: Timestamp,
  lastUsedAt: Timestamp,
})

const Passkey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: Timestamp,
  lastUsedAt: nullable(Timestamp),
})

const Consent = Type.Object({
  application: Type.String(),
  tenant: Text,
  scopes: Type.Array(Type.String()),
  grantedAt: Timestamp,
})

export const AuditEntry = Type.Object({
  id: Type.String(),
  occurredAt: Timestamp,
  action: Type.String(),
  by: Type.String({ description: 'you, or a user, client or system that is not you' }),
  tenantId: Text,
  details: Facts,
  personal: Type.Record(Type.String(), Type.Unknown(), { description: 'What of it is about you' }),
})
export type AuditEntry = Static<typeof AuditEntry>

const License = Type.Object({
  tenant: Type.String({ description: 'Its slug' }),
  application: Type.String({ description: 'Its slug' }),
  licenseType: Type.String({ description: 'Its slug' }),
  status: Type.Enum(['ASSIGNED', 'RESERVED', 'PARKED']),
  assignedAt: Timestamp,
})

/** Everything that is kept about a person, but for what would open their account. */
export const PersonalData = Type.Object(
  {
    exportedAt: Timestamp,
    profile: Type.Object(profile),
    memberships,
    sessions: Type.Array(Session),
    ssoLinks: Type.Array(SsoLink),
    mfa: Type.Object({
      totp: Type.Boolean(),
      passkeys: Type.Array(Passkey),
      recoveryCodesLeft: Type.Integer(),
    }),
    consents: Type.Array(Consent),
    licenses: Type.Array(License),
    auditEntries: Type.Array(AuditEntry, { description: 'Newest first, at most 10,000' }),
    auditEntriesTruncated: Type.Boolean({ description: 'There are older entries than these' }),
  },
  { title: 'PersonalData' },
)
export type PersonalData = Static<typeof PersonalData>

import { type Static, type TSchema, Type } from 'typebox'
import { Timestamp } from '../../http/routing/schema.ts'
import { Profile } from '../profile/schema.ts'

const nullable = <S extends TSchema>(schema: S, options?: { description: string }) =>
  Type.Union([schema, Type.Null()], options)
const NullableString = nullable(Type.String())
const JsonObject = Type.Record(Type.String(), Type.Unknown())

const { memberships, ...profile } = Profile.properties

const Session = Type.Object({
  id: Type.String(),
  userAgent: Type.String(),
  ipAddress: Type.String(),
  createdAt: Timestamp,
  lastActive: Timestamp,
  authenticatedAt: Timestamp,
  methods: Type.Array(Type.String(), { description: 'Authentication methods (`amr`, RFC 8176)' }),
})

const SsoLink = Type.Object({
  provider: Type.String(),
  issuer: Type.String(),
  subject: Type.String(),
  email: NullableString,
  displayName: NullableString,
  avatarUrl: NullableString,
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
  application: Type.String({ description: 'Its name' }),
  tenant: nullable(Type.String(), { description: 'Its name' }),
  scopes: Type.Array(Type.String()),
  grantedAt: Timestamp,
  lastUsedAt: nullable(Timestamp, { description: 'When it last obtained tokens that are still valid' }),
})

export const AuditEntry = Type.Object({
  id: Type.String(),
  occurredAt: Timestamp,
  action: Type.String(),
  by: Type.String({
    description: '`you`, or the kind of another actor: `user`, `client` or `system`',
  }),
  tenantId: NullableString,
  details: JsonObject,
  personal: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The part of the entry that is about you',
  }),
})
export type AuditEntry = Static<typeof AuditEntry>

const Seat = Type.Object({
  tenant: Type.String({ description: 'Its slug' }),
  application: Type.String({ description: 'Its slug' }),
  licenseType: Type.String({ description: 'Its slug' }),
  status: Type.Enum(['ASSIGNED', 'RESERVED', 'PARKED'], {
    description: 'PARKED: kept while the member is suspended or the account is disabled',
  }),
  assignedAt: Timestamp,
})

/** All personal data of an account, without its credentials. */
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
    licenses: Type.Array(Seat),
    auditEntries: Type.Array(AuditEntry, { description: 'Newest first, at most 10,000' }),
    auditEntriesTruncated: Type.Boolean({ description: 'There are older entries than these' }),
  },
  { title: 'PersonalData' },
)
export type PersonalData = Static<typeof PersonalData>

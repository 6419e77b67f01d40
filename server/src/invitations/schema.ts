import { type Static, Type } from 'typebox'

const Role = Type.Enum(['owner', 'admin', 'member'])
const Status = Type.Enum(['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'])
const Moment = Type.String({ format: 'date-time' })

export const ByTenant = Type.Object({ id: Type.String() })
export const ByInvitation = Type.Object({ id: Type.String(), invitationId: Type.String() })
export const ByToken = Type.Object({ token: Type.String() })

export const LONGEST_DAYS = 90

export const InviteRequest = Type.Object(
  {
    email: Type.String({ maxLength: 1_000 }),
    role: Type.Optional(Role),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: LONGEST_DAYS, description: '7 unless said otherwise' }),
    ),
    applicationId: Type.Optional(
      Type.String({ description: 'With licenseTypeId: a seat is kept for them until they accept' }),
    ),
    licenseTypeId: Type.Optional(Type.String()),
  },
  { title: 'InviteRequest' },
)
export type InviteRequest = Static<typeof InviteRequest>

export const CreatedInvitation = Type.Object(
  { id: Type.String(), email: Type.String(), role: Role, status: Status, expiresAt: Moment },
  { title: 'CreatedInvitation' },
)
export type CreatedInvitation = Static<typeof CreatedInvitation>

export const InvitationQuery = Type.Object({
  status: Type.Unsafe<Static<typeof Status>>({ ...Status, default: 'PENDING' }),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
})

export const InvitationList = Type.Object(
  {
    invitations: Type.Array(
      Type.Object({
        ...CreatedInvitation.properties,
        createdAt: Moment,
        invitedBy: Type.Union([Type.Object({ id: Type.String(), displayName: Type.String() }), Type.Null()], {
          description: 'null when their account is gone',
        }),
      }),
      { description: 'The newest first' },
    ),
  },
  { title: 'InvitationList' },
)
export type InvitationList = Static<typeof InvitationList>

export const MOST_ROWS = 200

/** What a row holds is judged row by row. */
const BulkRow = Type.Object({
  email: Type.Unknown({ description: 'As for one invitation, and so are the others' }),
  role: Type.Optional(Type.Unknown()),
  expiresInDays: Type.Optional(Type.Unknown()),
  applicationId: Type.Optional(Type.Unknown()),
  licenseTypeId: Type.Optional(Type.Unknown()),
})
export type BulkRow = Static<typeof BulkRow>

export const BulkInviteRequest = Type.Object(
  { invitations: Type.Array(BulkRow, { minItems: 1, maxItems: MOST_ROWS }) },
  { title: 'BulkInviteRequest' },
)

export const BulkInviteReply = Type.Object(
  {
    created: Type.Integer({ description: 'Rows that became an invitation' }),
    failed: Type.Integer(),
    results: Type.Array(
      Type.Object({
        email: Type.Unknown({ description: 'As it was sent' }),
        statusCode: Type.Integer({ description: '201, or what the row alone would have been answered' }),
        invitation: Type.Optional(CreatedInvitation),
        error: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        details: Type.Optional(Type.Unknown()),
      }),
      { description: 'One for each row, in their order' },
    ),
  },
  { title: 'BulkInviteReply' },
)
export type BulkInviteReply = Static<typeof BulkInviteReply>

export const ShownInvitation = Type.Object(
  {
    tenant: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
    role: Role,
    email: Type.String(),
    invitedBy: Type.Union([Type.Object({ displayName: Type.String() }), Type.Null()]),
    expiresAt: Moment,
    hasAccount: Type.Boolean({
      description: 'Whether whoever is invited signs in to accept, instead of choosing a password',
    }),
  },
  { title: 'ShownInvitation' },
)
export type ShownInvitation = Static<typeof ShownInvitation>

const name = Type.String({ maxLength: 100 })

export const AcceptRequest = Type.Object(
  {
    password: Type.Optional(
      Type.String({ maxLength: 4096, description: 'Only from who has no account yet' }),
    ),
    givenName: Type.Optional(name),
    familyName: Type.Optional(name),
  },
  { title: 'AcceptRequest' },
)
export type AcceptRequest = Static<typeof AcceptRequest>

export const Accepted = Type.Object(
  { success: Type.Boolean(), tenantId: Type.String(), tenantName: Type.String() },
  { title: 'AcceptedInvitation' },
)

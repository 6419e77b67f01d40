import { type Static, Type } from 'typebox'
import { checkedByHandler, Timestamp } from '../http/routing/schema.ts'
import { CreatedInvitation, InvitationStatus } from '../tenants/invitation-body.ts'

const Role = Type.Enum(['owner', 'admin', 'member'])

export const ByTenant = Type.Object({ id: Type.String() })
export const ByInvitation = Type.Object({ id: Type.String(), invitationId: Type.String() })
export const ByToken = Type.Object({ token: Type.String() })

export const MAX_EXPIRY_DAYS = 90

export const CreateInvitationRequest = Type.Object(
  {
    email: Type.String({ maxLength: 1_000 }),
    role: Type.Optional(Role),
    expiresInDays: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_EXPIRY_DAYS, description: 'Default: INVITATION_TTL, 7 days' }),
    ),
    applicationId: Type.Optional(
      Type.String({ description: 'With licenseTypeId: a seat is kept for them until they accept' }),
    ),
    licenseTypeId: Type.Optional(Type.String()),
  },
  { title: 'CreateInvitationRequest' },
)
export type CreateInvitationRequest = Static<typeof CreateInvitationRequest>

export const InvitationQuery = Type.Object({
  status: Type.Unsafe<Static<typeof InvitationStatus>>({ ...InvitationStatus, default: 'PENDING' }),
  page: Type.Integer({ minimum: 1, maximum: 1_000_000, default: 1 }),
  limit: Type.Integer({ minimum: 1, maximum: 1_000, default: 1_000 }),
})

export const InvitationList = Type.Object(
  {
    invitations: Type.Array(
      Type.Object({
        ...CreatedInvitation.properties,
        createdAt: Timestamp,
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

export const MAX_BULK_ROWS = 200

/** Rows are validated one by one, so that an invalid row does not fail the request. */
const BulkRow = Type.Object({
  email: Type.Unknown({ description: 'As for one invitation, and so are the others' }),
  role: Type.Optional(checkedByHandler(Role)),
  expiresInDays: Type.Optional(checkedByHandler({ type: 'integer', minimum: 1, maximum: MAX_EXPIRY_DAYS })),
  applicationId: Type.Optional(checkedByHandler({ type: 'string' })),
  licenseTypeId: Type.Optional(checkedByHandler({ type: 'string' })),
})
export type BulkRow = Static<typeof BulkRow>

export const BulkInviteRequest = Type.Object(
  { invitations: Type.Array(BulkRow, { minItems: 1, maxItems: MAX_BULK_ROWS }) },
  { title: 'BulkInviteRequest' },
)

export const BulkInviteResponse = Type.Object(
  {
    created: Type.Integer({ description: 'Rows that became an invitation' }),
    failed: Type.Integer(),
    results: Type.Array(
      Type.Object({
        email: Type.Unknown({ description: 'As it was sent' }),
        statusCode: Type.Integer({
          description: '201, or the status that a single request would have returned',
        }),
        invitation: Type.Optional(CreatedInvitation),
        error: Type.Optional(Type.String()),
        message: Type.Optional(Type.String()),
        details: Type.Optional(Type.Unknown()),
      }),
      { description: 'One for each row, in their order' },
    ),
  },
  { title: 'BulkInviteResponse' },
)
export type BulkInviteResponse = Static<typeof BulkInviteResponse>

export const InvitationDetails = Type.Object(
  {
    tenant: Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() }),
    role: Role,
    email: Type.String(),
    invitedBy: Type.Union([Type.Object({ displayName: Type.String() }), Type.Null()]),
    expiresAt: Timestamp,
    hasAccount: Type.Boolean({
      description: 'Whether the invited person signs in to accept, instead of choosing a password',
    }),
  },
  { title: 'InvitationDetails' },
)
export type InvitationDetails = Static<typeof InvitationDetails>

const name = Type.String({ maxLength: 100 })

export const AcceptInvitationRequest = Type.Object(
  {
    password: Type.Optional(Type.String({ maxLength: 4096, description: 'Only for a person without an account' })),
    givenName: Type.Optional(name),
    familyName: Type.Optional(name),
  },
  { title: 'AcceptInvitationRequest' },
)
export type AcceptInvitationRequest = Static<typeof AcceptInvitationRequest>

export const Accepted = Type.Object(
  { success: Type.Boolean(), tenantId: Type.String(), tenantName: Type.String() },
  { title: 'AcceptedInvitation' },
)

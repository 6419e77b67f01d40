import { type Static, Type } from 'typebox'
import { Timestamp } from '../http/routing/schema.ts'

/** An invitation to a tenant. It stands here because the invitations are in a higher layer. */
export const InvitationStatus = Type.Enum(['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'])

export const CreatedInvitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: Type.Enum(['owner', 'admin', 'member']),
    status: InvitationStatus,
    expiresAt: Timestamp,
  },
  { title: 'CreatedInvitation' },
)
export type CreatedInvitation = Static<typeof CreatedInvitation>

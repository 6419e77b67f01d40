import type { Role } from '../db/tables.ts'
import type { Letter } from '../mail/letter.tsx'
import { quoted } from '../mail/quoted.ts'
import { asRole } from './as-role.ts'

export interface InvitationFacts {
  token: string
  tenantName: string
  /** Undefined: no person of the tenant. */
  inviter: string | undefined
  role: Role
  expiresAt: Date
}

export const invitationLetter = ({
  token,
  tenantName,
  inviter,
  role,
  expiresAt,
}: InvitationFacts): Letter => ({
  subject: `Join ${quoted(tenantName)}`,
  paragraphs: [
    `${inviter === undefined ? 'An admin' : quoted(inviter)} invites you to join ${quoted(tenantName)}${asRole(role)}.`,
    `The invitation is good until ${expiresAt.toISOString().slice(0, 10)}. It is for you alone: do not pass this mail on.`,
    'If you do not know who that is, there is nothing you need to do.',
  ],
  action: { label: 'See the invitation', path: `/invitations/${token}` },
})

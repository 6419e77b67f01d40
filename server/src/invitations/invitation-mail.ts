import type { Role } from '../db/tables.ts'
import type { MailContent } from '../mail/content.tsx'
import { quoteName } from '../mail/quote-name.ts'
import { toRolePhrase } from './role-phrase.ts'

export interface InvitationMailInput {
  token: string
  tenantName: string
  /** The name of the inviting person; undefined for a client or an operator. */
  inviter: string | undefined
  role: Role
  expiresAt: Date
}

export const toInvitationMail = ({
  token,
  tenantName,
  inviter,
  role,
  expiresAt,
}: InvitationMailInput): MailContent => ({
  subject: `Join ${quoteName(tenantName)}`,
  paragraphs: [
    `${inviter === undefined ? 'An admin' : quoteName(inviter)} invites you to join ${quoteName(tenantName)}${toRolePhrase(role)}.`,
    `The invitation is good until ${expiresAt.toISOString().slice(0, 10)}. It is for you alone: do not pass this mail on.`,
    'If you do not know who that is, there is nothing you need to do.',
  ],
  action: { label: 'See the invitation', path: `/invitations/${token}` },
})

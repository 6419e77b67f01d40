import type { Role } from '../db/tables.ts'
import type { MailDesign } from '../mail/design.ts'
import type { Mail } from '../mail/mail.ts'

export interface InvitationMailInput {
  token: string
  tenantName: string
  /** The name of the inviting person; undefined for a client or an operator. */
  inviter: string | undefined
  design: MailDesign
  role: Role
  expiresAt: Date
}

export const toInvitationMail = ({
  token,
  tenantName: tenant,
  inviter = '',
  design,
  role,
  expiresAt,
}: InvitationMailInput): Mail => ({
  kind: 'invitation',
  values: { tenant, inviter, expires: expiresAt },
  facts: [{ label: 'role', value: role }],
  path: `/invitations/${token}`,
  design,
})

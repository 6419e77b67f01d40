import type { Role } from '../db/tables.ts'
import type { MailDesign } from '../mail/design.ts'
import type { Mail } from '../mail/mail.ts'
import { toDateText } from '../mail/texts/dates.ts'
import { ROLE_NAMES } from '../mail/texts/phrases.ts'

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
  values: { tenant, inviter, expires: toDateText(expiresAt) },
  facts: [{ label: 'role', value: ROLE_NAMES[role] }],
  path: `/invitations/${token}`,
  design,
})

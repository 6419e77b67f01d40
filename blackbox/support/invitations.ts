import { call } from './calls.ts'
import { type Mail, mailTo } from './mail.ts'
import { type Answer, unique } from './service.ts'
import { invitationTokenFor } from './tenants.ts'

type Headers = Record<string, string>

/** An invitation as the list shows it. */
export interface ListedInvitation {
  id: string
  email: string
  role: string
  status: string
  expiresAt: string
  createdAt: string
  invitedBy: { id: string; displayName: string } | null
}

/** Something that happened in a tenant, as the log shows it. */
export interface AuditEntry {
  id: string
  occurredAt: string
  action: string
  actor: { kind: string; id: string | null; displayName: string | null }
  clientId: string | null
  tenantId: string | null
  userId: string | null
  email: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
  details: Record<string, unknown>
}

export interface AuditPage {
  entries: AuditEntry[]
  pagination: { page: number; limit: number; total: number; pages: number }
  next: string | null
}

/** An address that nobody has. */
export const newAddress = () => `${unique('someone')}@blackbox.test`

/** What somebody without an account says when they accept. */
export const newcomer = () => ({
  password: unique('a long enough secret'),
  givenName: 'Nora',
  familyName: 'New',
})

export const invitationsPath = (tenantId: string) => `/api/tenants/${tenantId}/invitations`

/** Asks for an invitation. What becomes of it is the test's to say. */
export const askToInvite = (headers: Headers, tenantId: string, body: unknown): Promise<Answer> =>
  call('POST', invitationsPath(tenantId), { headers, body })

export const look = (token: string): Promise<Answer> => call('GET', `/api/invitations/${token}`)

/** Accepts as whoever the headers speak for: nobody, unless they say more. */
export const accept = (token: string, body: unknown = {}, headers: Headers = {}): Promise<Answer> =>
  call('POST', `/api/invitations/${token}/accept`, { headers, body })

export const resend = (headers: Headers, tenantId: string, id: string): Promise<Answer> =>
  call('POST', `${invitationsPath(tenantId)}/${id}/resend`, { headers })

export const revoke = (headers: Headers, tenantId: string, id: string): Promise<Answer> =>
  call('DELETE', `${invitationsPath(tenantId)}/${id}`, { headers })

export async function listInvitations(
  headers: Headers,
  tenantId: string,
  query = '',
): Promise<ListedInvitation[]> {
  const path = invitationsPath(tenantId) + query
  const { status, body } = await call<{ invitations: ListedInvitation[] }>('GET', path, { headers })
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body.invitations
}

/** The mails that brought an address an invitation, newest first. They are there when the call is answered. */
export const invitationMails = async (email: string): Promise<Mail[]> =>
  (await mailTo(email)).filter(({ text }) => text.includes('/invitations/'))

/** Invites an address nobody has: the invitation and the token that was mailed. */
export async function inviteStranger(headers: Headers, tenantId: string, fields: object = {}) {
  const email = newAddress()
  const { status, body } = await askToInvite(headers, tenantId, { email, ...fields })
  if (status !== 201) throw new Error(`invite: ${status} ${JSON.stringify(body)}`)
  return { email, id: String(body.id), token: await invitationTokenFor(email) }
}

export async function readAudit(headers: Headers, tenantId: string, query = ''): Promise<AuditPage> {
  const path = `/api/tenants/${tenantId}/audit${query}`
  const { status, body } = await call<AuditPage>('GET', path, { headers })
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

import { call } from './calls.ts'
import { listMails, type Mail } from './mail.ts'
import { type ApiResponse, unique } from './service.ts'
import { waitForInvitationToken } from './tenants.ts'

type Headers = Record<string, string>

/** An invitation in the list. */
export interface ListedInvitation {
  id: string
  email: string
  role: string
  status: string
  expiresAt: string
  createdAt: string
  invitedBy: { id: string; displayName: string } | null
}

/** An entry of the audit log. */
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

/** An address without an account. */
export const newAddress = () => `${unique('someone')}@blackbox.test`

/** The fields that a person without an account sends to accept. */
export const newAccountFields = () => ({
  password: unique('a long enough secret'),
  givenName: 'Nora',
  familyName: 'New',
})

export const invitationsPath = (tenantId: string) => `/api/tenants/${tenantId}/invitations`

/** Sends an invitation request. The test checks the response. */
export const requestInvitation = (headers: Headers, tenantId: string, body: unknown): Promise<ApiResponse> =>
  call('POST', invitationsPath(tenantId), { headers, body })

export const getInvitation = (token: string): Promise<ApiResponse> => call('GET', `/api/invitations/${token}`)

/** Accepts with the given headers. Default: without authentication. */
export const acceptInvitation = (token: string, body: unknown = {}, headers: Headers = {}): Promise<ApiResponse> =>
  call('POST', `/api/invitations/${token}/accept`, { headers, body })

export const resendInvitation = (headers: Headers, tenantId: string, id: string): Promise<ApiResponse> =>
  call('POST', `${invitationsPath(tenantId)}/${id}/resend`, { headers })

export const revokeInvitation = (headers: Headers, tenantId: string, id: string): Promise<ApiResponse> =>
  call('DELETE', `${invitationsPath(tenantId)}/${id}`, { headers })

export async function listInvitations(headers: Headers, tenantId: string, query = ''): Promise<ListedInvitation[]> {
  const path = invitationsPath(tenantId) + query
  const { status, body } = await call<{ invitations: ListedInvitation[] }>('GET', path, { headers })
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body.invitations
}

/** The invitation mails of an address, newest first. They are sent before the response. */
export const listInvitationMails = async (email: string): Promise<Mail[]> =>
  (await listMails(email)).filter(({ text }) => text.includes('/invitations/'))

/** Invites an address without an account. Returns the invitation and the mailed token. */
export async function inviteNewAddress(headers: Headers, tenantId: string, fields: object = {}) {
  const email = newAddress()
  const { status, body } = await requestInvitation(headers, tenantId, { email, ...fields })
  if (status !== 201) throw new Error(`invite: ${status} ${JSON.stringify(body)}`)
  return { email, id: String(body.id), token: await waitForInvitationToken(email) }
}

export async function readAudit(headers: Headers, tenantId: string, query = ''): Promise<AuditPage> {
  const path = `/api/tenants/${tenantId}/audit${query}`
  const { status, body } = await call<AuditPage>('GET', path, { headers })
  if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
  return body
}

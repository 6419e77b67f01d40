import { callAdmin } from './admin.ts'
import { call } from './calls.ts'
import type { ApiResponse } from './service.ts'

/** A tenant in the admin API. */
export interface AdminTenant {
  id: string
  name: string
  slug: string
  settings: Record<string, unknown>
  mfaPolicy: string
  memberCount: number
  brandingApproved: boolean
  suspended: boolean
  suspendedAt: string | null
  createdAt: string
  updatedAt: string
}

export interface CreatedTenant extends AdminTenant {
  invitation: { id: string; email: string; role: string; status: string; expiresAt: string } | null
}

/** With the token of the instance machine. */
export const createTenant = (body: unknown) => callAdmin<CreatedTenant>('POST', '/tenants', body)
export const readTenant = (id: string) => callAdmin<AdminTenant>('GET', `/tenants/${id}`)
export const changeTenant = (id: string, body: unknown) => callAdmin<AdminTenant>('PATCH', `/tenants/${id}`, body)
export const setSuspended = (id: string, suspended: boolean) => changeTenant(id, { suspended })
export const deleteTenant = (id: string) => callAdmin('DELETE', `/tenants/${id}`)
export const addMember = (id: string, userId: string, role: string) =>
  callAdmin('POST', `/tenants/${id}/members`, { userId, role })

/** The id of the authenticated user. */
export async function getUserId(headers: Record<string, string>): Promise<string> {
  const { body }: ApiResponse<{ id?: string; user?: { id: string } }> = await call('GET', '/api/users/me', {
    headers,
  })
  const id = body.id ?? body.user?.id
  if (id === undefined) throw new Error(`not authenticated: ${JSON.stringify(body)}`)
  return id
}

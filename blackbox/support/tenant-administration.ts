import { admin } from './admin.ts'
import { call } from './calls.ts'
import type { Answer } from './service.ts'

/** A tenant as whoever runs the instance sees it. */
export interface AdministeredTenant {
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

export interface CreatedTenant extends AdministeredTenant {
  invitation: { id: string; email: string; role: string; status: string; expiresAt: string } | null
}

/** As the instance's own machine. */
export const createTenant = (body: unknown) => admin<CreatedTenant>('POST', '/tenants', body)
export const readTenant = (id: string) => admin<AdministeredTenant>('GET', `/tenants/${id}`)
export const changeTenant = (id: string, body: unknown) =>
  admin<AdministeredTenant>('PATCH', `/tenants/${id}`, body)
export const setSuspended = (id: string, suspended: boolean) => changeTenant(id, { suspended })
export const deleteTenant = (id: string) => admin('DELETE', `/tenants/${id}`)
export const addMember = (id: string, userId: string, role: string) =>
  admin('POST', `/tenants/${id}/members`, { userId, role })

/** The id of whoever the headers speak for. */
export async function whoIs(headers: Record<string, string>): Promise<string> {
  const { body }: Answer<{ id?: string; user?: { id: string } }> = await call('GET', '/api/users/me', {
    headers,
  })
  const id = body.id ?? body.user?.id
  if (id === undefined) throw new Error(`nobody: ${JSON.stringify(body)}`)
  return id
}

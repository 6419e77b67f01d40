import { type ApiResponse, call, createSignedInUser } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, CALLBACK, machineToken } from '../support/world.ts'
import { insertMembership, insertTenant, type TestTenant } from '../tenants/tenant-rows.ts'

export const NO_BRANDING = { displayName: null, color: null, theme: null, logoUrl: null, updatedAt: null }

/** A new application with a client, and calls of its branding routes as an operator. */
export async function createBrandedApplication({ url }: TestService, { trusted = true } = {}) {
  const name = 'Reports'
  const { id } = await admin<{ id: string }>(url, '/api/admin/applications', { name, trusted })
  const client = await admin<{ clientId: string }>(url, '/api/admin/clients', {
    applicationId: id,
    kind: 'SPA',
    name: 'Web',
    redirectUris: [CALLBACK],
    postLogoutRedirectUris: ['http://localhost:8080/'],
  })
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  const address = `${url}/api/admin/applications/${id}`
  return {
    id,
    clientId: client.clientId,
    show: () => call(`${address}/branding`, { method: 'GET', headers }),
    brand: (body: unknown): Promise<ApiResponse> => call(`${address}/branding`, { method: 'PUT', headers, body }),
    unbrand: () => call(`${address}/branding`, { method: 'DELETE', headers }),
    remove: () => call(address, { method: 'DELETE', headers }),
  }
}
export type BrandedApplication = Awaited<ReturnType<typeof createBrandedApplication>>

/** A new tenant with an owner, and calls of its branding routes as the owner. */
export async function newBrandedTenant(service: TestService) {
  const owner = await createSignedInUser(service)
  const company: TestTenant = await insertTenant(service)
  await insertMembership(service, company, owner, { role: 'owner' })
  const path = `/api/tenants/${company.id}/branding`
  return {
    owner,
    company,
    path,
    show: () => owner.call('GET', path),
    brand: (body: unknown) => owner.call('PUT', path, body),
    approve: () => approve(service, company.id),
  }
}

/** Approves the branding of a tenant as an operator, or withdraws the approval. */
export const approve = ({ url }: TestService, tenantId: string, brandingApproved = true) =>
  admin(url, `/api/admin/tenants/${tenantId}`, { brandingApproved }, 'PATCH')

import { type Answer, call, newSomebody } from '../account/people.ts'
import type { TestService } from '../support/service.ts'
import { admin, CALLBACK, machineToken } from '../support/world.ts'
import { type Company, employ, newCompany } from '../tenants/company.ts'

export const NONE = { displayName: null, color: null, logoUrl: null, updatedAt: null }

/** An application of a test's own, with a client, as whoever runs the instance sees it. */
export async function newBranded({ url }: TestService, { trusted = true } = {}) {
  const name = 'Reports'
  const { id } = await admin<{ id: string }>(url, '/api/admin/applications', { name, trusted })
  const client = await admin<{ clientId: string }>(url, '/api/admin/clients', {
    ...{ applicationId: id, kind: 'SPA', name: 'Web', redirectUris: [CALLBACK] },
    postLogoutRedirectUris: ['http://localhost:8080/'],
  })
  const headers = { authorization: `Bearer ${await machineToken(url, 'demo-ops')}` }
  const address = `${url}/api/admin/applications/${id}`
  return {
    ...{ id, clientId: client.clientId },
    show: () => call(`${address}/branding`, { method: 'GET', headers }),
    brand: (body: unknown): Promise<Answer> => call(`${address}/branding`, { method: 'PUT', headers, body }),
    unbrand: () => call(`${address}/branding`, { method: 'DELETE', headers }),
    remove: () => call(address, { method: 'DELETE', headers }),
  }
}
export type Branded = Awaited<ReturnType<typeof newBranded>>

/** A tenant with its owner. */
export async function newBrandedTenant(service: TestService) {
  const owner = await newSomebody(service)
  const company: Company = await newCompany(service)
  await employ(service, company, owner, { role: 'owner' })
  const path = `/api/tenants/${company.id}/branding`
  return {
    ...{ owner, company, path },
    show: () => owner.call('GET', path),
    brand: (body: unknown) => owner.call('PUT', path, body),
    approve: () => approve(service, company.id),
  }
}

/** An operator lets the branding of a tenant be shown before the sign-in, or does so no longer. */
export const approve = ({ url }: TestService, tenantId: string, brandingApproved = true) =>
  admin(url, `/api/admin/tenants/${tenantId}`, { brandingApproved }, 'PATCH')

import type { Input, Reply } from '@latchkey/client'
import type { QueryKey } from '@tanstack/react-query'
import { call } from '../../api/api.ts'

export type Branding = Reply<'GET /api/tenants/{id}/branding'>
export type BrandingBody = NonNullable<Input<'PUT /api/tenants/{id}/branding'>['body']>

/** The owner of a branding. Applications and tenants have the same API under different paths. */
export interface Owner {
  kind: 'application' | 'tenant'
  id: string
  /** The default display name. */
  name: string
}

export const brandingKey = ({ kind, id }: Owner): QueryKey => ['branding', kind, id]

export const brandingApi = ({ kind, id }: Owner) => (kind === 'tenant' ? tenantApi(id) : applicationApi(id))

const tenantApi = (id: string) => ({
  read: () => call('GET /api/tenants/{id}/branding', { path: { id } }),
  change: (body: BrandingBody) => call('PUT /api/tenants/{id}/branding', { path: { id }, body }),
  reset: () => call('DELETE /api/tenants/{id}/branding', { path: { id } }),
})

const applicationApi = (id: string): ReturnType<typeof tenantApi> => ({
  read: () => call('GET /api/admin/applications/{id}/branding', { path: { id } }),
  change: (body) => call('PUT /api/admin/applications/{id}/branding', { path: { id }, body }),
  reset: () => call('DELETE /api/admin/applications/{id}/branding', { path: { id } }),
})

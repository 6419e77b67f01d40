import type { QueryKey } from '@tanstack/react-query'
import type { Input, Reply } from 'latchkey-sdk'
import { call } from '../../api/api.ts'

export type Branding = Reply<'GET /api/tenants/{id}/branding'>
export type BrandingBody = NonNullable<Input<'PUT /api/tenants/{id}/branding'>['body']>

/** Whose branding it is. Both are the same but for their door. */
export interface Owner {
  kind: 'application' | 'tenant'
  id: string
  /** What the pages show where there is no other name. */
  name: string
}

export const keyAt = ({ kind, id }: Owner): QueryKey => ['branding', kind, id]

export const doorOf = ({ kind, id }: Owner) => (kind === 'tenant' ? tenantDoor(id) : applicationDoor(id))

const tenantDoor = (id: string) => ({
  read: () => call('GET /api/tenants/{id}/branding', { path: { id } }),
  change: (body: BrandingBody) => call('PUT /api/tenants/{id}/branding', { path: { id }, body }),
  reset: () => call('DELETE /api/tenants/{id}/branding', { path: { id } }),
})

const applicationDoor = (id: string): ReturnType<typeof tenantDoor> => ({
  read: () => call('GET /api/admin/applications/{id}/branding', { path: { id } }),
  change: (body) => call('PUT /api/admin/applications/{id}/branding', { path: { id }, body }),
  reset: () => call('DELETE /api/admin/applications/{id}/branding', { path: { id } }),
})

import type { Reply } from '@latchkey/client'

export type AdminTenant = Reply<'GET /api/admin/tenants/{id}'>

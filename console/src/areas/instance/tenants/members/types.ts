import type { Reply } from '@latchkey/client'

export type AdminMember = Reply<'GET /api/admin/tenants/{id}/members'>['members'][number]

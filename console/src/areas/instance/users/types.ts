import type { Reply } from '@latchkey/client'

export type UserDetails = Reply<'GET /api/admin/users/{id}'>

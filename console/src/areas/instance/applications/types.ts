import type { Reply } from '@latchkey/client'

export type Application = Reply<'GET /api/admin/applications/{id}'>

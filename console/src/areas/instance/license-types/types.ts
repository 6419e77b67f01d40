import type { Reply } from '@latchkey/client'

export type LicenseType = Reply<'GET /api/licensing/license-types'>[number]

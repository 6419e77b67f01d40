import type { Reply } from '@latchkey/client'

export type Subscription = Reply<'GET /api/licensing/tenants/{tenantId}/subscriptions'>[number]
export type LedgerEntry = Reply<'GET /api/licensing/tenants/{tenantId}/ledger'>['entries'][number]

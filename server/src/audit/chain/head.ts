import { defineJob } from '../../jobs/job.ts'
import { formatChainEnd } from './link.ts'
import { findHead } from './store.ts'

/** Logs the head of the audit chain daily. A copy kept elsewhere reveals whether the end of the chain was deleted. */
export const logAuditHead = defineJob<unknown>({
  name: 'log_audit_head',
  schedule: '7 0 * * *',
  async run(ctx) {
    const { position, hash } = await findHead(ctx.db)
    ctx.log.info({ head: formatChainEnd({ position: Number(position), hash }) }, 'head of the audit log')
  },
})

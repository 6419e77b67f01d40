import { defineJob } from '../../jobs/job.ts'
import { writeEnd } from './link.ts'
import { findHead } from './store.ts'

/** Once a day the log of the service says where the audit log ends: kept elsewhere, it shows whether the end was cut off. */
export const logAuditHead = defineJob<unknown>({
  name: 'log_audit_head',
  schedule: '7 0 * * *',
  async run(ctx) {
    const { position, hash } = await findHead(ctx.db)
    ctx.log.info({ head: writeEnd({ position: Number(position), hash }) }, 'head of the audit log')
  },
})

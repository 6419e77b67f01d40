import { defineJob } from '../jobs/job.ts'
import { closeSupportSessions } from '../sessions/support/session.ts'

/** Records the end of support access in the audit log, unless the operator ended it. Access itself ends without it. */
export const closeSupportAccess = defineJob<unknown>({
  name: 'close_support_access',
  schedule: '* * * * *',
  run: closeSupportSessions,
})
